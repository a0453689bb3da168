package import SQLSyntax

/// One reason why the migrations of a folder cannot be run, and where it lies.
package struct MigrationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  package enum Kind: Hashable, Sendable {
    /// There is nothing at the folder's path.
    case missingFolder
    /// The folder's path is that of a file.
    case notAFolder
    /// The folder contains no migration.
    case noMigrations
    /// The folder is itself one migration of diesel, with `up.sql` and `down.sql`.
    case singleMigrationFolder
    /// A file or folder could not be read.
    case unreadable(Unreadability)
    /// The name of a file or folder is not UTF-8 text.
    case nameNotUTF8
    /// The file is not UTF-8 text, from this byte on.
    case notUTF8(offset: Int)
    /// The file is UTF-16 text.
    case utf16
    /// Another file, named here by its path, gives the same identifier.
    case duplicateIdentifier(String, other: String)
    /// Another file, named here by its path, has the same number, which the tools of this layout refuse.
    case duplicateVersion(String, other: String)
    /// A folder that has `down.sql`, or is called like an SQL file, has no `up.sql`.
    case missingUpFile
    /// A repeatable migration of Flyway, `R__name.sql`.
    case repeatableMigration
    /// A baseline migration of Flyway, `B1__name.sql`.
    case baselineMigration
    /// A script that Flyway runs at an event, such as `afterMigrate.sql`.
    case flywayCallback
    /// A `U1__name.sql` that may be Flyway's undo or refinery's forward migration.
    case ambiguousUndo
    /// A line comment holds a carriage return and more text after it, which SQLite reads as comment, too.
    case carriageReturnInComment
    /// The text cannot be cut into statements.
    case brokenSQL(SQLTextError.Kind)
    /// A command of the sqlite3 shell, such as `.read`.
    case shellCommand(String)
    /// A comment of dbmate, goose or sql-migrate that is unknown, or not where it must be.
    case invalidMarker(String)
    /// A statement before the marker that begins the forward part.
    case statementBeforeUp
    /// A `-- migrator:` comment with an unknown word.
    case unknownDirective(String)
    /// A `-- migrator:` comment with a known word, wrongly used; the text says how.
    case invalidDirective(String, Misuse)
    /// `BEGIN`, `COMMIT` or `ROLLBACK` where the migrator cannot honour it.
    case transactionControl(String)
    /// `BEGIN` without its `COMMIT`.
    case transactionLeftOpen
    /// A statement that does nothing, or fails, inside a transaction.
    case needsNoTransaction(String)
    /// `PRAGMA foreign_keys = OFF` between a file's own `BEGIN` and `COMMIT`.
    case misplacedForeignKeys
    /// `PRAGMA foreign_keys` with a value that is neither on nor off.
    case unknownForeignKeysValue(String)
    /// A pragma that gives or changes a key.
    case encryptionPragma(String)
    /// `PRAGMA foreign_keys` contradicts an earlier one, or the file's directive.
    case contradictoryForeignKeys
  }

  /// The reasons why a file or folder could not be read.
  package enum Unreadability: Hashable, Sendable {
    /// The user may not read it.
    case noPermission
    /// It does not exist, such as the target of a link.
    case missing
    /// The system gave another reason.
    case other(String)
  }

  /// The wrong uses of a directive.
  package enum Misuse: Hashable, Sendable {
    /// Its argument is missing or unknown.
    case argument
    /// It stands twice, with different meanings.
    case contradiction
    /// It names no later migration of the folder.
    case noLaterMigration
    /// The colon after `migrator` is missing.
    case missingColon
  }

  /// The kind of the problem.
  package let kind: Kind
  /// The file or folder where it lies, as it is shown.
  package let path: String
  /// The place in the file, when there is one.
  package let position: SQLTextPosition?

  /// Makes a problem of a kind in a file, at a place when there is one.
  package init(_ kind: Kind, path: String, position: SQLTextPosition? = nil) {
    (self.kind, self.path, self.position) = (kind, path, position)
  }

  /// The place as `path:line:column`, or the path alone.
  package var location: String {
    guard let position else { return path }
    return "\(path):\(position.line):\(position.column)"
  }

  /// The place and what is wrong, then a line with the reason and a line with what to do.
  package var description: String {
    let words = explanation(toolName: "migrator")
    return "\(location): \(words.what)\n  why: \(words.why)\n  do:  \(words.remedy)"
  }
}
