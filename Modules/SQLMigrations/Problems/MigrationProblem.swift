#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import SQLSyntax

/// One reason why the migrations of a folder cannot be run, and where it lies.
public struct MigrationProblem: LocalizedError, Hashable, Sendable, CustomStringConvertible {
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
    /// `PRAGMA foreign_keys` between other statements, or inside a transaction of the file's own.
    case misplacedForeignKeys
    /// `PRAGMA foreign_keys` with a value that is neither on nor off.
    case unknownForeignKeysValue(String)
    /// A pragma that gives or changes a key.
    case encryptionPragma(String)
    /// `PRAGMA foreign_keys` says the contrary of the file's directive.
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
    /// The colon after `migrator` is missing.
    case missingColon
  }

  /// The kind of the problem.
  package let kind: Kind
  /// The file or folder where it lies, as it is shown.
  public let path: String
  /// The place in the file, when there is one.
  package let position: SQLTextPosition?
  /// The line in the file, from 1, when there is one.
  public var line: Int? { position?.line }
  /// The column in the line, from 1, when there is one.
  public var column: Int? { position?.column }

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
  public var description: String {
    let words = explanation(toolName: nil)
    return "\(location): \(words.what)\n  why: \(words.why)\n  do:  \(words.remedy)"
  }

  /// The same.
  public var errorDescription: String? { description }
}
