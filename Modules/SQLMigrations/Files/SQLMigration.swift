#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Migrator
package import SQLSyntax

/// A migration as SQL text: a file of a folder, or embedded in the program by the plugin `EmbedSQLMigrations`.
///
/// Register it with ``Migrator/DatabaseMigrator/registerMigrations(_:)``. Its text is parsed when the migration runs, so that
/// migrations that are applied already cost nothing.
public struct SQLMigration: Sendable, Hashable {
  /// The requests of the file's `-- migrator:` comments, and of what else decides how it runs.
  public struct Directives: Sendable, Hashable {
    /// The moment at which foreign keys are checked.
    public let foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks
    /// The identifiers of the migrations that this one replaces.
    public let merges: [String]
    /// Whether the statements run in one transaction.
    public let runsInTransaction: Bool

    /// Creates directives; those of a file without any unless given.
    public init(
      foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks = .deferred, merges: [String] = [],
      runsInTransaction: Bool = true
    ) {
      (self.foreignKeyChecks, self.merges) = (foreignKeyChecks, merges)
      self.runsInTransaction = runsInTransaction
    }
  }

  /// The name of the migration in the ledger: the name of its file without `.sql`.
  public let identifier: String
  /// The path of its file, as errors show it.
  public let path: String
  /// A digest of ``sql``, by which the ledger shows whether the file was edited after it was applied.
  public let checksum: String
  /// The requests of the file.
  public let directives: Directives
  /// The text of the file's forward part.
  public let sql: String

  /// Creates a migration of values that ``MigrationFolder`` or the plugin `EmbedSQLMigrations` found.
  public init(
    identifier: String, path: String, checksum: String, directives: Directives = Directives(), sql: String
  ) {
    (self.identifier, self.path, self.checksum) = (identifier, path, checksum)
    (self.directives, self.sql) = (directives, sql)
  }

  /// Creates the migration of a file.
  package init(_ file: MigrationFile) {
    self.init(
      identifier: file.identifier, path: file.path, checksum: file.checksum,
      directives: Directives(
        foreignKeyChecks: file.foreignKeyMode == .immediate ? .immediate : .deferred, merges: file.merges,
        runsInTransaction: file.runsInTransaction),
      sql: file.text)
  }

  /// Parses the text.
  func file() throws(MigrationFolderError) -> MigrationFile {
    let file = MigrationFile(
      MigrationName(path: path, identifier: identifier), text: sql, runsInTransaction: directives.runsInTransaction)
    guard file.problems.isEmpty else { throw MigrationFolderError(folder: path, problems: file.problems) }
    return file
  }
}

extension SQLMigration {
  /// A statement of a migration failed; `MigrationFailure.underlying` is one.
  public struct StatementError: LocalizedError, CustomStringConvertible {
    /// The error of the engine, or of the migrator.
    public let underlying: any Error
    /// The file.
    package let file: MigrationFile
    /// The statement's place among `MigrationFile.statements`, from 0.
    package let index: Int

    /// The path of the file.
    public var path: String { file.path }
    /// The line of the engine's place in the statement, or else of the statement's beginning, from 1.
    public var line: Int { position.line }
    /// The column of that place, from 1.
    public var column: Int { position.column }
    /// The place and the error.
    public var description: String { "\(place): \(underlying)" }
    /// The place, without the statement.
    public var errorDescription: String? { "a statement failed at \(place)" }
    /// The reason that the engine gave.
    public var failureReason: String? { (underlying as? any LocalizedError)?.errorDescription }

    /// The place in the file.
    package var position: SQLTextPosition {
      let statement = file.statements[index]
      let offset = (underlying as? DatabaseError)?.utf8Offset
      return offset.map(statement.position(ofUTF8Offset:)) ?? statement.position
    }

    private var place: String { "\(path):\(line):\(column)" }
  }

  /// A migration merges others of which the database has some and not the rest.
  public struct PartialMergeError: LocalizedError, CustomStringConvertible {
    /// The merged migrations that the database has.
    public let applied: Set<String>
    /// The merged migrations that the database does not have.
    public let missing: Set<String>

    /// The merged migrations, and those of them that the database has.
    public var description: String {
      "it merges \(listed(applied.union(missing).sorted())), of which the database has \(listed(applied.sorted())) only"
    }
    /// The same.
    public var errorDescription: String? { description }
  }
}

extension MigrationFile {
  /// Runs all statements in their order.
  ///
  /// - Parameters:
  ///   - isInterrupted: Whether to stop, asked before each statement.
  ///   - onStatement: Called before each statement with its number from 1.
  /// - Throws: ``SQLMigration/StatementError`` for a statement that failed; `CancellationError` after an interruption.
  package func run(_ db: Database, isInterrupted: () -> Bool, onStatement: (Int) -> Void = { _ in }) throws {
    for (index, statement) in statements.enumerated() {
      guard !isInterrupted() else { throw CancellationError() }
      onStatement(index + 1)
      do {
        try db.execute(sql: statement.text)
      } catch {
        guard !isInterrupted(), !(error is CancellationError) else { throw CancellationError() }
        throw SQLMigration.StatementError(underlying: error, file: self, index: index)
      }
    }
  }
}

extension Migration {
  /// Creates the migration that runs an SQL file; see ``MigrationFile/run(_:isInterrupted:onStatement:)``.
  package init(
    _ file: MigrationFile, isInterrupted: @escaping @Sendable () -> Bool, onStatement: @escaping @Sendable (Int) -> Void
  ) {
    self.init(SQLMigration(file)) { db in try file.run(db, isInterrupted: isInterrupted, onStatement: onStatement) }
  }

  /// Creates the migration of a file, whose statements `run` executes.
  init(_ migration: SQLMigration, run: @escaping @Sendable (Database) throws -> Void) {
    let merged = Set(migration.directives.merges)
    let body: @Sendable (Database, Set<String>) throws -> Void = { db, applied in
      // A database that has what the file merges is already where the file leads; one that has a part of it is
      // somewhere that the file's author has not seen.
      guard applied.isEmpty || applied == merged else {
        throw SQLMigration.PartialMergeError(applied: applied, missing: merged.subtracting(applied))
      }
      if applied.isEmpty { try run(db) }
    }
    self.init(
      identifier: migration.identifier,
      mode: migration.directives.foreignKeyChecks == .immediate ? .immediate : .deferred,
      mergedIdentifiers: merged, checksum: migration.checksum,
      work: migration.directives.runsInTransaction ? .wrapped(body) : .unwrapped(body))
  }
}
