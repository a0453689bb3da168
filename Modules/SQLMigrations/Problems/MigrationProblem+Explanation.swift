internal import SQLSyntax

// The messages: what is wrong, why that matters, and what to do next, for a reader who sees it for the first time.
extension MigrationProblem {
  /// Returns the message about the problem: what is wrong, the reason why that is a problem, and the next step.
  ///
  /// - Parameter toolName: The name of the tool that the reader runs; nil for an app or a build.
  package func explanation(toolName: String?) -> (what: String, why: String, remedy: String) {
    (what, why, remedy(toolName))
  }

  private var what: String {
    switch kind {
    case .missingFolder: "there is no such folder"
    case .notAFolder: "this is a file, not a folder"
    case .noMigrations: "the folder contains no migration"
    case .singleMigrationFolder: "this folder is one migration, not a folder of migrations"
    case .unreadable: "cannot be read"
    case .notUTF8: "not UTF-8 text"
    case .utf16: "UTF-16 text, not UTF-8"
    case .duplicateIdentifier(let identifier, let other): "the identifier \"\(identifier)\" is that of \(other) too"
    case .duplicateVersion(let version, let other): "version \(version) is that of \(other) too"
    case .missingUpFile: "the folder has no up.sql"
    case .repeatableMigration: "a repeatable migration of Flyway"
    case .baselineMigration: "a baseline migration of Flyway"
    case .flywayCallback: "a script that Flyway runs at an event"
    case .ambiguousUndo: "a U file without a V file of its version"
    case .brokenSQL: "the SQL cannot be cut into statements"
    case .shellCommand(let command): "`\(command)` is a command of the sqlite3 shell"
    case .invalidMarker(let marker): "`-- \(marker)` cannot be followed here"
    case .statementBeforeUp: "a statement before the up marker"
    case .unknownDirective(let name): "unknown directive \"\(name)\""
    case .invalidDirective(let name, _): "the directive \"\(name)\" cannot be followed"
    case .transactionControl(let keyword): "\(keyword) inside a migration"
    case .transactionLeftOpen: "BEGIN without COMMIT"
    case .needsNoTransaction(let statement): "\(statement) inside a transaction"
    case .misplacedForeignKeys: "PRAGMA foreign_keys between other statements"
    case .unknownForeignKeysValue(let value): "PRAGMA foreign_keys with the value \"\(value)\""
    case .encryptionPragma(let name): "PRAGMA \(name) in a migration"
    case .contradictoryForeignKeys: "PRAGMA foreign_keys says the contrary of the directive in this file"
    }
  }

  private var why: String {
    switch kind {
    case .missingFolder: "migrations are read from it"
    case .notAFolder: "migrations are read from a folder"
    case .noMigrations:
      "looked for *.sql files, and for folders with an up.sql; down files and dot files do not count"
    case .singleMigrationFolder: "it contains up.sql and down.sql"
    case .unreadable(.noPermission): "you have no permission to read it"
    case .unreadable(.missing): "it does not exist; it may be a link to something that is gone"
    case .unreadable(.other(let reason)): reason
    case .notUTF8(let offset): "byte \(offset) of the file does not belong to any UTF-8 character"
    case .utf16: "the file begins with the byte order mark of UTF-16"
    case .duplicateIdentifier: "a migration is recorded by its identifier"
    case .duplicateVersion: "tools of this layout know a migration by its number, so their order would be chance"
    case .missingUpFile: "it has down.sql, or is called like an SQL file; there is nothing to apply"
    case .repeatableMigration: "it runs again whenever its text changes; here a migration runs once"
    case .baselineMigration: "it replaces the migrations up to its version on new databases only"
    case .flywayCallback: "here only migrations run, each once"
    case .ambiguousUndo:
      "it is an undo for Flyway and a forward migration for refinery; running the wrong one destroys data"
    case .brokenSQL(let error): error.description
    case .shellCommand: "a database engine does not know it"
    case .invalidMarker: "unknown, repeated, or not where its tool expects it"
    case .statementBeforeUp: "it belongs neither to the up part nor to the down part"
    case .unknownDirective: "a directive that is not followed would change what the migration does"
    case .invalidDirective(_, .argument): "what follows it is missing or not understood"
    case .invalidDirective(_, .contradiction): "the file says it twice, with different meanings"
    case .invalidDirective(_, .missingColon):
      "the colon after \"migrator\" is missing, so it would be a mere comment"
    case .transactionControl(let keyword):
      "the migrator commits a migration and its record together; \(keyword) would part them"
    case .transactionLeftOpen: "the file would leave its transaction open"
    case .needsNoTransaction: "SQLite refuses or ignores it there"
    case .misplacedForeignKeys: "SQLite ignores it inside a transaction"
    case .unknownForeignKeysValue: "it is neither on nor off"
    case .encryptionPragma: "keys do not belong in files, and a conversion is no migration"
    case .contradictoryForeignKeys: "only one of them can be followed"
    }
  }

  private func remedy(_ toolName: String?) -> String {
    let option = toolName == nil ? "" : " with --migrations DIR"
    let inNoTransaction = "put `-- \(DirectiveUsage.noTransaction)` on a line of its own in the file"
    return switch kind {
    case .missingFolder: "create it, or name another\(option)"
    case .notAFolder: "name the folder that contains it\(option)"
    case .noMigrations: "create one, or name another folder\(option)"
    case .singleMigrationFolder: "name the folder above it\(option)"
    case .unreadable(.noPermission): "give yourself permission (chmod u+r), or run as its owner"
    case .unreadable(.missing): "restore it, or remove the link"
    case .unreadable(.other): "check the file and its disk"
    case .notUTF8: "save the file as UTF-8; if it is no text, move it out of the folder"
    case .utf16: "save the file as UTF-8"
    case .duplicateIdentifier: "rename the one that has not been applied anywhere"
    case .duplicateVersion: "give the one that has not been applied anywhere a higher number"
    case .missingUpFile: "restore up.sql, or remove the folder"
    case .repeatableMigration:
      "rename it to a versioned file (V<number>__name.sql), and write a new one for each later change"
    case .baselineMigration:
      "rename it to a versioned file that begins with `-- migrator: merges` and the identifiers it replaces"
    case .flywayCallback: "move the file out of the folder, or give it a version if it is a migration"
    case .ambiguousUndo: "rename it to V<number>__name.sql if it goes forward, else move it out of the folder"
    case .brokenSQL: "correct the file; nothing of it has run"
    case .shellCommand: "write the SQL that it stands for, or delete the line"
    case .invalidMarker: "correct the line; each file has one up marker, and its down marker comes after it"
    case .statementBeforeUp: "move it below the up marker"
    case .unknownDirective: "known are: " + DirectiveUsage.all.joined(separator: "; ")
    case .invalidDirective(let name, _): "write " + (DirectiveUsage.usage(of: name) ?? "a directive that is known")
    case .transactionControl: "delete it, split the file into several migrations, or \(inNoTransaction)"
    case .transactionLeftOpen:
      "delete BEGIN, for the migrator opens and commits the transaction itself; a file that asks for no transaction "
        + "needs a COMMIT instead"
    case .needsNoTransaction:
      "move it into a migration of its own, and \(inNoTransaction), outside any BEGIN and COMMIT"
    case .misplacedForeignKeys:
      "move it to the beginning of the file, or write `-- \(DirectiveUsage.foreignKeys)`"
    case .unknownForeignKeysValue: "write ON or OFF, or `-- \(DirectiveUsage.foreignKeys)`"
    case .encryptionPragma: "use `\(toolName ?? "migrator") encrypt`, `decrypt`, `rekey` or `upgrade-cipher`"
    case .contradictoryForeignKeys: "delete one of them"
    }
  }
}

enum DirectiveUsage {
  static let foreignKeys = "migrator: foreign-keys immediate|deferred"
  static let noTransaction = "migrator: no-transaction"
  static let all = [
    foreignKeys, "migrator: merges IDENTIFIER ...", noTransaction, "migrator: allow RULE reason",
    "migrator: allow-file RULE reason",
  ]

  /// The way to write a directive of this name; nil for an unknown one.
  static func usage(of name: String) -> String? {
    all.first { $0.split(separator: " ").dropFirst().first.map(String.init) == name }
  }
}
