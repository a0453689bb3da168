internal import Migrator
internal import SQLSyntax

// The messages: what is wrong, why it matters, and what to do next. They are for readers who do not know this package.
extension MigrationProblem {
  /// Returns the message about the problem: what is wrong, why it is a problem, and the next step.
  ///
  /// - Parameter toolName: The name of the tool that the user runs; nil in an app or a build.
  package func explanation(toolName: String?) -> (what: String, why: String, remedy: String) {
    (what, why, remedy(toolName))
  }

  private var what: String {
    switch kind {
    case .missingFolder: "this folder does not exist"
    case .notAFolder: "this is a file, not a folder of migrations"
    case .noMigrations, .migrationsBelow: "this folder contains no migrations"
    case .singleMigrationFolder: "this folder is one migration, not a folder of migrations"
    case .unreadable: "cannot be read"
    case .nameNotUTF8: "the name is not UTF-8 text"
    case .notUTF8: "not UTF-8 text"
    case .utf16: "UTF-16 text, not UTF-8"
    case .duplicateIdentifier(let identifier, let other): "the identifier \"\(identifier)\" is also used by \(other)"
    case .duplicateVersion(let version, let other): "version \(version) is also used by \(other)"
    case .missingUpFile: "the folder has no up.sql and no migration.sql"
    case .repeatableMigration: "a repeatable migration of Flyway"
    case .baselineMigration: "a baseline migration of Flyway"
    case .flywayCallback: "a Flyway callback script"
    case .undoName: "the name says that the file undoes a migration"
    case .pair(let other): "this file and \(other) look like one migration in two forms"
    case .teardown: "the file drops or empties every table that the files before it create"
    case .noPlace: "the file has no place in the order of the files beside it"
    case .notInJournal: "meta/_journal.json does not list the file"
    case .unreadPlan: "the plan of Sqitch decides the order of the files, but is not read"
    case .unreadRule(let rule): "`\(rule)` is a rule of another tool, and is not followed"
    case .mySQLComment(let comment): "only MySQL and MariaDB run `\(comment)`"
    case .laterRequirement(let identifier): "the file requires \(identifier), which comes after it"
    case .copyName(let original): "the name is that of a copy of \(original)"
    case .undoFolder: "the name says that the files in this folder undo migrations"
    case .undoHeading(let comment, _): "`\(comment)` looks like the heading of a part that undoes the migration"
    case .severalMigrations(let comment): "`\(comment)` begins another migration in the same file"
    case .ambiguousUndo: "a U file without a V file of the same version"
    case .brokenJournal: "this is not a Drizzle journal"
    case .journalEntryWithoutFile(let name): "it lists \(name), which does not exist"
    case .atlasSum(.edited): "the file is not the one that atlas.sum records"
    case .atlasSum(.notListed): "atlas.sum does not list the file"
    case .atlasSum(.missing(let name)): "it lists \(name), which does not exist"
    case .atlasSum(.broken): "its first line is not the hash of the other lines"
    case .carriageReturnInComment: "a comment continues after a carriage return"
    case .brokenSQL: "the SQL cannot be parsed"
    case .shellCommand("DELIMITER"): "`DELIMITER` is a command of the mysql shell"
    case .shellCommand(let command): "`\(command)` is a command of the sqlite3 shell"
    case .shellComment: "`#` does not begin a comment"
    case .mergeConflict: "a conflict that a merge has left"
    case .dollarQuote: "`$$` is a quote of PostgreSQL"
    case .invalidMarker(let marker): "`-- \(marker)` is not valid here"
    case .statementBeforeUp: "a statement before the up marker"
    case .unknownDirective(let name): "unknown directive \"\(name)\""
    case .invalidDirective(let name, _): "invalid directive \"\(name)\""
    case .transactionControl(let keyword): "\(keyword) inside a migration"
    case .unpairedTransaction("BEGIN"): "BEGIN inside a transaction"
    case .unpairedTransaction(let keyword): "\(keyword) without BEGIN"
    case .transactionLeftOpen: "BEGIN without COMMIT"
    case .needsNoTransaction(let statement): "\(statement) inside a transaction"
    case .misplacedForeignKeys: "PRAGMA foreign_keys = OFF inside a transaction"
    case .unknownForeignKeysValue(let value): "PRAGMA foreign_keys with the value \"\(value)\""
    case .misplacedPragma(let name): "PRAGMA \(name) in a migration"
    case .contradictoryForeignKeys: "the file switches foreign keys both on and off"
    }
  }

  private var why: String {
    switch kind {
    case .missingFolder: ""
    case .notAFolder: ""
    case .noMigrations:
      "it has no *.sql file and no folder with an up.sql or migration.sql; down files and dot files do not count"
    case .migrationsBelow(let folders): "its SQL files are in \(listed(folders))"
    case .singleMigrationFolder: "its SQL files are those of one migration"
    case .unreadable(.noPermission): "you have no permission to read it"
    case .unreadable(.missing): "it is a broken link, or was removed a moment ago"
    case .unreadable(.tooLarge(let size, let limit)):
      "it has \(counted(size, "byte")), and a file can have at most \(counted(limit, "byte"))"
    case .unreadable(.other(let reason)): reason
    case .nameNotUTF8: "the name of a migration is recorded as text; its invalid bytes are shown as \u{FFFD}"
    case .notUTF8(let offset): "byte \(offset) of the file is not valid UTF-8"
    case .utf16: "each of its characters has two bytes"
    case .duplicateIdentifier: "the migrator records migrations by identifier, so each identifier must be unique"
    case .duplicateVersion:
      "the tools of this layout identify a migration by its number, so the order of the two is undefined"
    case .missingUpFile: "it has a down.sql, or is named like an SQL file, but contains nothing to apply"
    case .repeatableMigration: "Flyway runs it again whenever its text changes; this tool runs each migration once"
    case .baselineMigration: "Flyway runs it only on new databases, in place of the migrations up to its version"
    case .flywayCallback: "this tool runs only migrations, each once"
    case .undoName, .undoFolder, .teardown: "migrations only run forward, and running it could destroy data"
    case .pair:
      "one of them may undo the other, or be for another database; both would run, in the order of their names"
    case .noPlace: "files beside it have numbers; a tool with numbers does not run it, and here it would run last"
    case .notInJournal: "drizzle-kit does not run it, and a merge may have lost its entry"
    case .unreadPlan: "without versions, the order of the files would be that of their names"
    case .unreadRule:
      "that tool skips statements by it, or runs them under a condition; here they would run always, once and in this order"
    case .mySQLComment: "it is a comment for SQLite, and the migration would be recorded without what it makes"
    case .laterRequirement: "files with a number run in the order of their numbers, all others in that of their names"
    case .copyName: "file managers, cloud folders and merge tools name copies like this, and both files would run"
    case .undoHeading: "migrations only run forward, and running that part would undo what the file has done"
    case .severalMigrations: "a file is one migration, which is recorded under the name of the file"
    case .ambiguousUndo:
      "it is an undo for Flyway and a forward migration for refinery; running the wrong one destroys data"
    case .brokenJournal: "it decides the order of the files; a merge may have left conflict markers in it"
    case .journalEntryWithoutFile: "the journal decides which files are applied, and in which order"
    case .atlasSum(.edited):
      "it was edited, or a file before it was added, removed or renamed, since the hashes were computed"
    case .atlasSum: "Atlas refuses the folder, too: two branches may have added files that do not fit together"
    case .carriageReturnInComment:
      "SQLite ends a comment only at a line feed, so it would not run the text that an editor shows as the next line"
    case .brokenSQL(let error): error.description
    case .shellCommand: "SQLite itself does not support it"
    case .shellComment: "in SQL, comments begin with `--`, or are between `/*` and `*/`"
    case .dollarQuote: "SQLite has no functions, procedures or DO blocks in SQL"
    case .mergeConflict: "the file contains two versions of the same lines"
    case .invalidMarker: "the marker is unknown, repeated, in the wrong place, or asks for variables to be replaced"
    case .statementBeforeUp: "it belongs to neither the up part nor the down part"
    case .unknownDirective: "ignoring a directive could change what the migration does"
    case .invalidDirective(_, .argument): "its argument is missing or not valid"
    case .invalidDirective(_, .contradiction): "the file contains it twice, with different arguments"
    case .invalidDirective(_, .noLaterMigration): "its argument must name a migration that comes after this one"
    case .invalidDirective(_, .missingColon):
      "the colon after \"migrator\" is missing, which makes it an ordinary comment"
    case .transactionControl("END"):
      "SQLite knows it as the end of a trigger, which must begin with CREATE TRIGGER, and as COMMIT, which would separate a migration "
        + "from its record"
    case .transactionControl(let keyword):
      "the migrator commits a migration and its record together; \(keyword) would separate them"
    case .unpairedTransaction("BEGIN"): "the statements before it have begun a transaction, which has not ended"
    case .unpairedTransaction: "no statement before it has begun a transaction, or an earlier one has ended it"
    case .transactionLeftOpen: "the file would leave its transaction open"
    case .needsNoTransaction: "SQLite refuses or ignores it inside a transaction"
    case .misplacedForeignKeys: "SQLite ignores it inside a transaction"
    case .unknownForeignKeysValue: "the value means neither ON nor OFF"
    case .misplacedPragma("encoding"): "SQLite ignores it in a database that has tables, and the migrator's own is one"
    case .misplacedPragma: "keys do not belong in files, and converting a database is not a migration"
    case .contradictoryForeignKeys:
      "a migration runs in one transaction, inside which SQLite ignores PRAGMA foreign_keys"
    }
  }

  private func remedy(_ toolName: String?) -> String {
    let naming = toolName == nil ? "name" : "use --migrations DIR to name"
    let wholeFile = "-- \(DirectiveUsage.wholeFile)"
    let inNoTransaction = "add the line `-- \(DirectiveUsage.noTransaction)` to the file"
    return switch kind {
    case .missingFolder: "create it, or \(naming) another folder"
    case .notAFolder: "\(naming) the folder that contains it"
    case .noMigrations: "create one, or \(naming) another folder"
    case .migrationsBelow: "\(naming) the folder that contains the migrations; if several do, move them into one"
    case .singleMigrationFolder: "\(naming) the folder above it"
    case .unreadable(.noPermission): "give yourself permission to read it (chmod u+rX), or run the command as its owner"
    case .unreadable(.missing): "restore the file, or remove the link"
    case .unreadable(.tooLarge):
      "split it into several migrations, or load its rows with another program; if it is not SQL, move it out of the folder"
    case .unreadable(.other): "check the file and the disk"
    case .nameNotUTF8: "rename it, or move it out of the folder"
    case .notUTF8: "save the file as UTF-8; if it is not text, move it out of the folder"
    case .utf16: "save the file as UTF-8"
    case .duplicateIdentifier: "rename the file that has not been applied anywhere"
    case .duplicateVersion:
      "give the file that has not been applied anywhere a higher number; one that undoes the other needs the ending of its tool, such "
        + "as .down.sql"
    case .missingUpFile: "restore the file, or remove the folder"
    case .repeatableMigration:
      "rename it to a versioned file (V<number>__name.sql), and write a new one for each later change"
    case .baselineMigration:
      "rename it to a versioned file that begins with `-- migrator: merges` and the identifiers it replaces"
    case .flywayCallback: "move the file out of the folder, or give it a version if it is a migration"
    case .ambiguousUndo:
      "rename it to V<number>__name.sql if it is a forward migration; otherwise move it out of the folder"
    case .brokenJournal, .journalEntryWithoutFile:
      "restore what is missing; or, if drizzle-kit no longer writes the folder, delete meta/_journal.json: the names of the "
        + "files then decide the order"
    case .atlasSum(.edited):
      "restore it, or run `atlas migrate hash` if the edit is intended; if Atlas no longer uses the folder, delete atlas.sum"
    case .atlasSum:
      "review the order of the files, and run `atlas migrate hash`; if Atlas no longer uses the folder, delete atlas.sum"
    case .carriageReturnInComment: "save the file with LF or CR LF line endings"
    case .brokenSQL: "correct the file; none of it has run"
    case .shellCommand("DELIMITER"): "delete the line, and end each statement with a semicolon"
    case .shellCommand: "write the equivalent SQL, or delete the line"
    case .invalidMarker:
      "correct the line, and write values in place of variables; each file has one up marker, and its down marker comes after it"
    case .statementBeforeUp:
      "move it below the up marker; if the comments are no markers, add `-- migrator: whole-file`"
    case .unknownDirective: "use one of: " + DirectiveUsage.all.map { "`-- \($0)`" }.joined(separator: ", ")
    case .invalidDirective(let name, _):
      "write " + (DirectiveUsage.usage(of: name).map { "`-- \($0)`" } ?? "a known directive")
    case .transactionControl("END"):
      "correct the beginning of the trigger (there is no OR REPLACE: drop it first); if it ends a procedure, an event or IF, which SQLite "
        + "does not have, write the statements themselves; otherwise delete it"
    case .transactionControl:
      "delete it, split the file into several migrations, or \(inNoTransaction), where BEGIN (not START TRANSACTION) begins a "
        + "transaction"
    case .unpairedTransaction("BEGIN"): "write COMMIT before it, or delete it"
    case .unpairedTransaction: "delete it, or write BEGIN (not START TRANSACTION) where the transaction begins"
    case .transactionLeftOpen:
      "delete BEGIN, since the migrator begins and commits the transaction itself; in a file with "
        + "`-- \(DirectiveUsage.noTransaction)`, add a COMMIT instead"
    case .needsNoTransaction:
      "move it into a separate migration, outside any BEGIN and COMMIT, and add the line "
        + "`-- \(DirectiveUsage.noTransaction)` to that migration"
    case .misplacedForeignKeys: "move it before BEGIN"
    case .unknownForeignKeysValue: "write ON or OFF, or `-- \(DirectiveUsage.foreignKeys)`"
    case .misplacedPragma("encoding"):
      "delete it; for another encoding than UTF-8, create the database with a first table before the migrations run"
    case .misplacedPragma: "use `\(toolName ?? "migrator") encrypt`, `decrypt`, `rekey` or `upgrade-cipher`"
    case .contradictoryForeignKeys:
      "remove the line that switches them on: foreign keys are then off while the migration runs, and checked before it commits"
    case .teardown:
      "move it out of the folder; if it is a migration, rename it or, if it is applied somewhere, add the line `\(wholeFile)`"
    case .undoName:
      "move it out of the folder, or name it after the migration that it undoes (1_name.down.sql with 1_name.sql); if it is a "
        + "migration, rename it or, if it is applied somewhere, add the line `\(wholeFile)`"
    case .pair:
      "move the one that undoes the other out of the folder, or name it after that one (1_name.down.sql with 1_name.sql); if "
        + "both are migrations, give one of them another number or, if it is applied somewhere, the line `\(wholeFile)`"
    case .noPlace:
      "move it out of the folder; or, if it is a migration, give it a number and, if it is applied somewhere, the line "
        + "`-- migrator: merges` with its old name; if only a new file has a number, remove that number"
    case .notInJournal:
      "add its entry, or move the file out of the folder; if drizzle-kit no longer writes the folder, delete "
        + "meta/_journal.json: the names of the files then decide the order"
    case .unreadPlan: "number the files in the order of the plan (1_name.sql)"
    case .unreadRule:
      "delete the rule if the statements are meant to run like this; otherwise move them out of the folder"
    case .mySQLComment: "write the statement for SQLite, without the marks of the comment; or delete the comment"
    case .laterRequirement: "give the file a higher number, or delete the comment if it is wrong"
    case .copyName:
      "delete the copy, after moving what only it has into a new migration; if it is a migration, rename it or, if it is "
        + "applied somewhere, add the line `-- \(DirectiveUsage.notACopy)`"
    case .undoFolder:
      "\(naming) the folder with the forward migrations; if these are the forward migrations, rename the folder"
    case .undoHeading(_, let down?):
      "to run only the part above it, write `\(down)`, the heading of such a part in this layout, in place of the comment; to run "
        + "the whole file, change the comment, or add the line `\(wholeFile)`"
    case .undoHeading:
      "to run only the part above it, make `-- Up` the first line of the file, and write `-- Down` here; to run the whole file, "
        + "change the comment, or add the line `\(wholeFile)`"
    case .severalMigrations:
      "write each migration to a file of its own, without the parts that undo it; or add the line `\(wholeFile)` if the whole "
        + "file is one migration"
    case .shellComment: "write `--` in place of `#`"
    case .dollarQuote:
      "write the statements themselves; register a function in the program, and write a trigger's statements between BEGIN "
        + "and END"
    case .mergeConflict:
      "decide which lines are right, and delete the others and the marks <<<<<<<, |||||||, ======= and >>>>>>>; the "
        + "lines between ||||||| and ======= are those before both changes"
    }
  }
}

enum DirectiveUsage {
  static let foreignKeys = "migrator: foreign-keys immediate|deferred"
  static let noTransaction = "migrator: no-transaction"
  static let wholeFile = "migrator: whole-file"
  static let notACopy = "migrator: not-a-copy"
  static let all = [
    foreignKeys, "migrator: merges IDENTIFIER ...", noTransaction, "migrator: allow RULE REASON",
    "migrator: allow-file RULE REASON", "migrator: violations-until IDENTIFIER REASON", wholeFile, notACopy,
  ]

  /// Returns the syntax of the directive with this name; nil if there is no such directive.
  static func usage(of name: String) -> String? {
    all.first { $0.split(separator: " ").dropFirst().first.map(String.init) == name }
  }
}
