internal import Migrator
internal import SQLSyntax

/// What is wrong with the text of a file.
extension MigrationProblem.Explanation {
  static func brokenSQL(_ error: SQLTextError.Kind) -> Self {
    Self(
      "the SQL cannot be cut into statements", why: error.description,
      remedy: "correct the file; nothing of it has run")
  }

  static func shellCommand(_ command: String) -> Self {
    Self(
      "`\(command)` is a command of the sqlite3 shell", why: "a database engine does not know it",
      remedy: "write the SQL that it stands for, or delete the line")
  }

  static func invalidMarker(_ marker: String) -> Self {
    Self(
      "`-- \(marker)` cannot be followed here", why: "unknown, repeated, or not where its tool expects it",
      remedy: "correct the line; each file has one up marker, and its down marker comes after it")
  }

  static let statementBeforeUp = Self(
    "a statement before the up marker", why: "it belongs neither to the up part nor to the down part",
    remedy: "move it below the up marker")

  static func unknownDirective(_ word: String) -> Self {
    Self(
      "unknown directive \"\(word)\"", why: "a directive that is not followed would change what the migration does",
      remedy: "known are: " + MigrationDirectives.usages.joined(separator: "; "))
  }

  static func invalidDirective(_ word: String, _ misuse: MigrationProblem.Misuse) -> Self {
    Self(
      "the directive \"\(word)\" cannot be followed", why: misuse.sentence,
      remedy: "write " + (MigrationDirectives.usage(of: word) ?? "a directive that is known"))
  }

  static func transactionControl(_ keyword: String) -> Self {
    Self(
      "\(keyword) inside a migration",
      why: "the migrator commits a migration and its record together; \(keyword) would part them",
      remedy: "delete it, split the file into several migrations, or \(inNoTransaction)")
  }

  static let transactionLeftOpen = Self(
    "BEGIN without COMMIT", why: "the file would leave its transaction open",
    remedy: "delete BEGIN, for the migrator opens and commits the transaction itself; a file that asks for no "
      + "transaction needs a COMMIT instead")

  static func needsNoTransaction(_ statement: String) -> Self {
    Self(
      "\(statement) inside a transaction", why: "SQLite refuses or ignores it there",
      remedy: "move it into a migration of its own, and \(inNoTransaction), outside any BEGIN and COMMIT")
  }

  static let misplacedForeignKeys = Self(
    "PRAGMA foreign_keys between other statements", why: "SQLite ignores it inside a transaction",
    remedy: "move it to the beginning of the file, or write `-- \(MigrationDirectives.foreignKeysUsage)`")

  static func unknownForeignKeysValue(_ value: String) -> Self {
    Self(
      "PRAGMA foreign_keys with the value \"\(value)\"", why: "it is neither on nor off",
      remedy: "write ON or OFF, or `-- \(MigrationDirectives.foreignKeysUsage)`")
  }

  static func encryptionPragma(_ name: String, toolName: String) -> Self {
    Self(
      "PRAGMA \(name) in a migration", why: "keys do not belong in files, and a conversion is no migration",
      remedy: "use `\(toolName) encrypt`, `decrypt`, `rekey` or `upgrade-cipher`")
  }

  static let contradictoryForeignKeys = Self(
    "PRAGMA foreign_keys says the contrary of the directive in this file", why: "only one of them can be followed",
    remedy: "delete one of them")

  private static var inNoTransaction: String {
    "put `-- \(MigrationDirectives.noTransactionUsage)` on a line of its own in the file"
  }
}

extension MigrationProblem.Misuse {
  fileprivate var sentence: String {
    switch self {
    case .argument: "what follows it is missing or not understood"
    case .contradiction: "the file says it twice, with different meanings"
    case .missingColon: "the colon after \"migrator\" is missing, so it would be a mere comment"
    }
  }
}
