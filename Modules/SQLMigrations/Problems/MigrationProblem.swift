#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import SQLSyntax

/// One reason why the migrations of a folder cannot be run, and its location.
public struct MigrationProblem: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  package enum Kind: Hashable, Sendable {
    /// Nothing exists at the folder's path.
    case missingFolder
    /// A file, not a folder, is at the folder's path.
    case notAFolder
    /// The folder contains no migration.
    case noMigrations
    /// The folder is itself one migration, such as one with `up.sql` and `down.sql`.
    case singleMigrationFolder
    /// A file or folder could not be read.
    case unreadable(Unreadability)
    /// The name of a file or folder is not UTF-8 text.
    case nameNotUTF8
    /// The file is not UTF-8 text; `offset` is the first invalid byte.
    case notUTF8(offset: Int)
    /// The file is UTF-16 text.
    case utf16
    /// Another file, given by its path, has the same identifier.
    case duplicateIdentifier(String, other: String)
    /// Another file, given by its path, has the same number, which the tools of this layout refuse.
    case duplicateVersion(String, other: String)
    /// A folder with a `down.sql`, or with a name like an SQL file, has no forward file.
    case missingUpFile
    /// A repeatable migration of Flyway, `R__name.sql`.
    case repeatableMigration
    /// A baseline migration of Flyway, `B1__name.sql`.
    case baselineMigration
    /// A Flyway callback, such as `afterMigrate.sql`.
    case flywayCallback
    /// A `U1__name.sql` that may be Flyway's undo or refinery's forward migration.
    case ambiguousUndo
    /// The journal of Drizzle cannot be read.
    case brokenJournal
    /// The journal of Drizzle lists a file that does not exist.
    case journalEntryWithoutFile(String)
    /// The file `atlas.sum` does not match the folder.
    case atlasSum(AtlasDifference)
    /// A line comment holds a carriage return and more text after it, which SQLite reads as comment, too.
    case carriageReturnInComment
    /// The text cannot be split into statements.
    case brokenSQL(SQLTextError.Kind)
    /// A command of the sqlite3 shell, such as `.read`.
    case shellCommand(String)
    /// A dbmate, goose or sql-migrate comment that is unknown or in the wrong place.
    case invalidMarker(String)
    /// A statement before the marker that begins the forward part.
    case statementBeforeUp
    /// A `-- migrator:` comment with an unknown directive.
    case unknownDirective(String)
    /// A `-- migrator:` comment that misuses a known directive.
    case invalidDirective(String, Misuse)
    /// `BEGIN`, `COMMIT` or `ROLLBACK` where the migrator does not allow it.
    case transactionControl(String)
    /// `BEGIN` without its `COMMIT`.
    case transactionLeftOpen
    /// A statement that does nothing, or fails, inside a transaction.
    case needsNoTransaction(String)
    /// `PRAGMA foreign_keys = OFF` between a file's own `BEGIN` and `COMMIT`.
    case misplacedForeignKeys
    /// `PRAGMA foreign_keys` with a value that is neither on nor off.
    case unknownForeignKeysValue(String)
    /// A pragma that sets or changes a key.
    case encryptionPragma(String)
    /// `PRAGMA foreign_keys` contradicts an earlier one, or the file's directive.
    case contradictoryForeignKeys
  }

  /// The reasons why a file or folder could not be read.
  package enum Unreadability: Hashable, Sendable {
    /// The user has no permission to read it.
    case noPermission
    /// It does not exist, as with the target of a broken link.
    case missing
    /// Another reason, from the operating system.
    case other(String)
  }

  /// The differences between `atlas.sum` and its folder.
  package enum AtlasDifference: Hashable, Sendable {
    /// The file is not the one that was hashed.
    case edited
    /// The file is not listed.
    case notListed
    /// The named file is listed, but does not exist.
    case missing(String)
    /// The list cannot be read, or does not have the hash in its first line.
    case broken
  }

  /// The wrong uses of a directive.
  package enum Misuse: Hashable, Sendable {
    /// Its argument is missing or unknown.
    case argument
    /// It occurs twice, with different arguments.
    case contradiction
    /// It names no later migration of the folder.
    case noLaterMigration
    /// The colon after `migrator` is missing.
    case missingColon
  }

  /// The kind of the problem.
  package let kind: Kind
  /// The path of the file or folder, for display.
  public let path: String
  /// The position in the file; nil when the problem concerns the whole file or folder.
  package let position: SQLTextPosition?
  /// The line in the file, from 1; nil when the problem concerns the whole file or folder.
  public var line: Int? { position?.line }
  /// The column in the line, from 1; nil when the problem concerns the whole file or folder.
  public var column: Int? { position?.column }

  /// Creates a problem in a file or folder, optionally at a position.
  package init(_ kind: Kind, path: String, position: SQLTextPosition? = nil) {
    (self.kind, self.path, self.position) = (kind, path, position)
  }

  /// The location as `path:line:column`, or the path alone.
  package var location: String {
    guard let position else { return path }
    return "\(path):\(position.line):\(position.column)"
  }

  /// The location and the problem, then a line with the reason and a line with the remedy.
  public var description: String {
    let explanation = explanation(toolName: nil)
    return "\(location): \(explanation.what)\n  why: \(explanation.why)\n  do:  \(explanation.remedy)"
  }

  /// The description.
  public var errorDescription: String? { description }
}
