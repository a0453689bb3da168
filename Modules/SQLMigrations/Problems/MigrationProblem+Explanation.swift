extension MigrationProblem {
  /// A problem in words, for somebody who sees it for the first time.
  package struct Explanation: Hashable, Sendable {
    /// What was found.
    package let what: String
    /// Why it stands in the way.
    package let why: String
    /// What to do next.
    package let remedy: String

    init(_ what: String, why: String, remedy: String) {
      self.what = what
      self.why = why
      self.remedy = remedy
    }
  }

  /// The problem in words.
  ///
  /// - Parameter toolName: How the tool is called that the reader runs.
  package func explanation(toolName: String) -> Explanation {
    switch kind {
    case .missingFolder: .missingFolder
    case .notAFolder: .notAFolder
    case .noMigrations: .noMigrations
    case .singleMigrationFolder: .singleMigrationFolder
    case .unreadable(let reason): .unreadable(reason)
    case .notUTF8(let offset): .notUTF8(offset: offset)
    case .utf16: .utf16
    case .duplicateIdentifier(let identifier, let other): .duplicateIdentifier(identifier, other: other)
    case .duplicateVersion(let version, let other): .duplicateVersion(version, other: other)
    case .missingUpFile: .missingUpFile
    case .repeatableMigration: .repeatableMigration
    case .baselineMigration: .baselineMigration
    case .flywayCallback: .flywayCallback
    case .ambiguousUndo: .ambiguousUndo
    case .brokenSQL(let error): .brokenSQL(error)
    case .shellCommand(let command): .shellCommand(command)
    case .invalidMarker(let marker): .invalidMarker(marker)
    case .statementBeforeUp: .statementBeforeUp
    case .unknownDirective(let word): .unknownDirective(word)
    case .invalidDirective(let word, let misuse): .invalidDirective(word, misuse)
    case .transactionControl(let keyword): .transactionControl(keyword)
    case .transactionLeftOpen: .transactionLeftOpen
    case .needsNoTransaction(let statement): .needsNoTransaction(statement)
    case .misplacedForeignKeys: .misplacedForeignKeys
    case .unknownForeignKeysValue(let value): .unknownForeignKeysValue(value)
    case .encryptionPragma(let name): .encryptionPragma(name, toolName: toolName)
    case .contradictoryForeignKeys: .contradictoryForeignKeys
    }
  }
}
