#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import SQLSyntax

/// A reason why the migrations of a folder cannot be run, with its location.
public struct MigrationProblem: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  package enum Kind: Hashable, Sendable {
    /// The folder does not exist, is a file, contains no migration, or is itself one migration.
    case missingFolder, notAFolder, noMigrations, singleMigrationFolder
    /// The folder does not contain a migration, but these subfolders contain SQL files.
    case migrationsBelow([String])
    /// A file or folder could not be read.
    case unreadable(Unreadability)
    /// The name of a file or folder is not UTF-8 text, or the file is UTF-16 text.
    case nameNotUTF8, utf16
    /// The file is not UTF-8 text; `offset` is the position of the first invalid byte.
    case notUTF8(offset: Int)
    /// Another file, with the path `other`, has the same identifier.
    case duplicateIdentifier(String, other: String)
    /// Another file, with the path `other`, has the same number, which the tools of this layout reject.
    case duplicateVersion(String, other: String)
    /// A folder that contains a `down.sql`, or whose name ends with `.sql`, does not contain a forward file.
    case missingUpFile
    /// A file that only Flyway runs: `R__name.sql`, `B1__name.sql`, or a callback such as `afterMigrate.sql`.
    case repeatableMigration, baselineMigration, flywayCallback
    /// The name of the file or its folder says that it undoes migrations; a teardown drops or empties every table of the files
    /// before it.
    case undoName, undoFolder, teardown
    /// The file and another one, with this path, have the same number, and look like one migration in two forms.
    case pair(String)
    /// The file has no number, in a folder in which others have one, or whose order a file of Sqitch decides.
    case noPlace, unreadPlan
    /// A comment or setting with which another tool skips statements, or runs them under a condition.
    case unreadRule(String)
    /// A statement in a comment that only MySQL runs.
    case mySQLComment(String)
    /// A comment says that the file requires the migration with this identifier, which comes later.
    case laterRequirement(String)
    /// The name says that the file is a copy of another one, with this path.
    case copyName(String)
    /// The comment is the heading of a part that undoes the migration, or seems to be; `down` is the heading of such a part in
    /// the layout of the file, nil for a file without the markers of a tool.
    case undoHeading(String, down: String? = nil)
    /// The file contains several migrations; the second one begins with this comment.
    case severalMigrations(String)
    /// The file `U1__name.sql` may be an undo migration of Flyway or a forward migration of refinery.
    case ambiguousUndo
    /// The journal of Drizzle cannot be read, or does not list the file.
    case brokenJournal, notInJournal
    /// The journal of Drizzle lists a file that does not exist.
    case journalEntryWithoutFile(String)
    /// The file `atlas.sum` does not match the folder.
    case atlasSum(AtlasDifference)
    /// A line comment contains a lone carriage return; SQLite reads the text after it as part of the comment.
    case carriageReturnInComment
    /// The text cannot be split into statements.
    case brokenSQL(SQLTextError.Kind)
    /// The file contains a command of the sqlite3 shell, such as `.read`.
    case shellCommand(String)
    /// The file contains a comment that begins with `#`, a quote of PostgreSQL such as `$$`, or a conflict that a merge has left.
    case shellComment, dollarQuote, mergeConflict
    /// A dbmate, goose or sql-migrate comment is unknown, or is in the wrong place.
    case invalidMarker(String)
    /// A statement precedes the marker with which the forward part begins.
    case statementBeforeUp
    /// A `-- migrator:` comment contains an unknown directive.
    case unknownDirective(String)
    /// A `-- migrator:` comment misuses a known directive.
    case invalidDirective(String, Misuse)
    /// The file contains a `BEGIN`, `COMMIT` or `ROLLBACK` at a place where the migrator does not allow these
    /// statements.
    case transactionControl(String)
    /// A file that runs without a transaction has a `BEGIN` inside its own transaction, or a `COMMIT` or `ROLLBACK` outside.
    case unpairedTransaction(String)
    /// The file contains a `BEGIN` without its `COMMIT`.
    case transactionLeftOpen
    /// The file contains a statement that fails, or has no effect, inside a transaction.
    case needsNoTransaction(String)
    /// A `PRAGMA foreign_keys` is in a transaction of the file, or contradicts an earlier one or the file's directive.
    case misplacedForeignKeys, contradictoryForeignKeys
    /// The file contains `PRAGMA foreign_keys` with a value that means neither on nor off.
    case unknownForeignKeysValue(String)
    /// The file contains a PRAGMA that sets or changes a key, or the encoding of the database.
    case misplacedPragma(String)
  }

  /// The reasons why a file or folder could not be read.
  package enum Unreadability: Hashable, Sendable {
    /// The user does not have permission to read the file or folder.
    case noPermission
    /// The file or folder does not exist; for example, it is the target of a broken link.
    case missing
    /// The file is larger than any file of SQL that the migrator reads.
    case tooLarge(sizeInBytes: Int, limitInBytes: Int)
    /// The operating system reports another reason.
    case other(String)
  }

  /// A difference between `atlas.sum` and its folder.
  package enum AtlasDifference: Hashable, Sendable {
    /// The file has been edited since its hash was written to `atlas.sum`.
    case edited
    /// The file is not listed in `atlas.sum`.
    case notListed
    /// The named file is listed, but does not exist.
    case missing(String)
    /// The list cannot be read, or does not have the hash in its first line.
    case broken
  }

  /// The ways in which a directive can be misused.
  package enum Misuse: Hashable, Sendable {
    /// The argument of the directive is missing or unknown.
    case argument
    /// The directive occurs twice, with different arguments.
    case contradiction
    /// The directive does not name a later migration of the folder.
    case noLaterMigration
    /// The comment lacks the colon after `migrator`.
    case missingColon
  }

  /// The kind of the problem.
  package let kind: Kind
  /// The path of the file or folder, for display.
  public let path: String
  /// The position in the file; nil if the problem concerns the whole file or folder.
  package let position: SQLTextPosition?
  /// The line in the file, from 1; nil if the problem concerns the whole file or folder.
  public var line: Int? { position?.line }
  /// The column in the line, from 1; nil if the problem concerns the whole file or folder.
  public var column: Int? { position?.column }

  /// Creates a problem in a file or folder, optionally at a position.
  package init(_ kind: Kind, path: String, position: SQLTextPosition? = nil) {
    (self.kind, self.path, self.position) = (kind, path, position)
  }

  /// The location as `path:line:column`, or only the path if there is no position.
  package var location: String {
    guard let position else { return path }
    return "\(path):\(position.line):\(position.column)"
  }

  /// The location and the problem, followed by a line with the reason and a line with the remedy.
  public var description: String {
    let explanation = explanation(toolName: nil)
    let why = explanation.why.isEmpty ? "" : "\n  why: \(explanation.why)"
    return "\(location): \(explanation.what)\(why)\n  do:  \(explanation.remedy)"
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}
