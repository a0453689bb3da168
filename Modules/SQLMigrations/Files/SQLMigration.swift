#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Migrator
package import SQLSyntax

/// A migration as SQL text: from a file in a folder, or embedded in the program by the plugin `EmbedSQLMigrations`.
///
/// Register it with ``Migrator/DatabaseMigrator/registerMigrations(_:)``. The text is parsed only when the migration
/// runs, so that migrations that are already applied cost no time.
public struct SQLMigration: Sendable, Hashable {
  /// The directives of a migration's file, combined with settings in files beside it.
  public struct Directives: Sendable, Hashable {
    /// The time at which foreign keys are checked.
    public let foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks
    /// The identifiers of the migrations that this migration replaces.
    public let merges: [String]
    /// Whether the statements run in one transaction.
    public let runsInTransaction: Bool

    /// The later migration that repairs the foreign key violations of this migration; nil if this migration must not
    /// leave any violations.
    public let violationsUntil: String?

    /// Creates directives; the defaults are those of a file without directives.
    public init(
      foreignKeyChecks: DatabaseMigrator.ForeignKeyChecks = .deferred, merges: [String] = [],
      runsInTransaction: Bool = true, violationsUntil: String? = nil
    ) {
      (self.foreignKeyChecks, self.merges) = (foreignKeyChecks, merges)
      (self.runsInTransaction, self.violationsUntil) = (runsInTransaction, violationsUntil)
    }
  }

  /// The name of the migration in the ledger: the file name without `.sql`.
  public let identifier: String
  /// The path of the file, for errors.
  public let path: String
  /// The checksum of ``sql``; the ledger contains it, so that an edit to an applied migration is detected.
  public let checksum: String
  /// The directives of the file.
  public let directives: Directives
  /// The text of the file's forward part.
  public let sql: String

  /// Creates a migration from values that ``MigrationFolder`` or the plugin `EmbedSQLMigrations` has read.
  public init(
    identifier: String, path: String, checksum: String, directives: Directives = Directives(), sql: String
  ) {
    (self.identifier, self.path, self.checksum) = (identifier, path, checksum)
    (self.directives, self.sql) = (directives, sql)
  }

  /// Creates a migration from a file that was read.
  package init(_ file: MigrationFile) {
    self.init(
      identifier: file.identifier, path: file.path, checksum: file.checksum,
      directives: Directives(
        foreignKeyChecks: file.foreignKeyMode == .immediate ? .immediate : .deferred, merges: file.merges,
        runsInTransaction: file.runsInTransaction, violationsUntil: file.violationsUntil?.identifier),
      sql: file.text)
  }

  /// Parses the text; throws an error with all problems if the migration cannot be run.
  func file() throws(MigrationFolderError) -> MigrationFile {
    let file = MigrationFile(
      MigrationName(path: path, identifier: identifier), text: sql, runsInTransaction: directives.runsInTransaction)
    guard file.problems.isEmpty else { throw MigrationFolderError(folder: path, problems: file.problems) }
    return file
  }
}

extension SQLMigration {
  /// The failure of a statement in a migration; `MigrationFailure.underlying` has this type.
  public struct StatementError: LocalizedError, CustomStringConvertible, WrappingError {
    /// The error from the engine, or from the migrator.
    public let underlying: any Error
    /// The migration file.
    package let file: MigrationFile
    /// The statement's index in `MigrationFile.statements`.
    package let index: Int

    /// The path of the file.
    public var path: String { file.path }
    /// The line that the engine reports, or else the line on which the statement begins, from 1.
    public var line: Int { position.line }
    /// The column in that line, from 1.
    public var column: Int { position.column }
    /// The position and the error.
    public var description: String { "\(place): \(underlying)" }
    /// A sentence with the position and the reason, but without the statement.
    public var errorDescription: String? {
      "a statement failed at \(place)\(failureReason.map { " - \($0)" } ?? "")"
    }
    /// The reason, as given by the underlying error.
    public var failureReason: String? { (underlying as? any LocalizedError)?.errorDescription }
    /// A sentence of the underlying error that says how to fix the problem; nil if it has none.
    public var recoverySuggestion: String? { (underlying as? any LocalizedError)?.recoverySuggestion }

    /// The position that the engine reports, or else the start of the statement.
    package var position: SQLTextPosition {
      let statement = file.statements[index]
      let offset = (underlying as? DatabaseError)?.utf8Offset
      return offset.map(statement.position(ofUTF8Offset:)) ?? statement.position
    }

    private var place: String { "\(path):\(line):\(column)" }
  }

  /// The error thrown if a database has applied some, but not all, of the migrations that a file merges.
  public struct PartialMergeError: LocalizedError, CustomStringConvertible {
    /// The merged migrations that are applied.
    public let applied: Set<String>
    /// The merged migrations that are not applied.
    public let missing: Set<String>

    /// A sentence with all merged migrations, and those that are applied.
    public var description: String {
      "it merges \(listed(applied.union(missing).sorted())), but the database has only \(listed(applied.sorted()))"
    }
    /// The same text as ``description``.
    public var errorDescription: String? { description }
  }
}

extension MigrationFile {
  /// Runs one statement.
  ///
  /// SQLite before 3.26 leaves the foreign keys, views and triggers of other tables at the old name when a table is renamed
  /// while foreign keys are off (https://www.sqlite.org/lang_altertable.html#alter_table_rename). The library's own rename
  /// takes them along, unless the file drops the renamed table afterwards, and gives its name to another one, to which they
  /// then refer.
  /// Before 3.23, it takes TRUE and FALSE for names: as defaults, they would be the texts 'TRUE' and 'FALSE'.
  package func execute(at index: Int, _ db: Database) throws {
    let sql = statements[index].text
    try db.refuseBooleanDefault(sql)
    guard case .renameTable(let name, let newName) = SQLStatementEffect(of: sql),
      !statements[(index + 1)...].replace(name, renamedTo: newName)
    else { return try db.execute(sql: sql) }
    var leavesOldName = false
    // Not statements of the migration.
    try db.untraced {
      leavesOldName =
        try Row.fetchOne(db, sql: "PRAGMA legacy_alter_table") == nil && db.otherDefinitionsMention(name)
    }
    guard leavesOldName else { return try db.execute(sql: sql) }
    // What the engine does not compile is an error there, too, such as a keyword as the name.
    _ = try db.makeStatement(sql: sql)
    try db.rename(table: name, to: newName)
  }

  /// Runs all statements in order.
  ///
  /// - Parameters:
  ///   - isInterrupted: Returns whether to stop; called before each statement.
  ///   - onStatement: Called before each statement with its number, from 1.
  /// - Throws: ``SQLMigration/StatementError`` when a statement fails; `CancellationError` after an interruption.
  package func run(_ db: Database, isInterrupted: () -> Bool, onStatement: (Int) -> Void = { _ in }) throws {
    let skippedCount = db.skippedStatements.count
    for (index, statement) in statements.enumerated() {
      guard !isInterrupted() else { throw CancellationError() }
      onStatement(index + 1)
      do {
        try execute(at: index, db)
      } catch {
        if db.skip(statement.text, after: error, since: skippedCount) { continue }
        guard !isInterrupted(), !(error is CancellationError) else { throw CancellationError() }
        throw SQLMigration.StatementError(underlying: statement.explaining(error, db), file: self, index: index)
      }
    }
  }
}

extension Database {
  /// Throws an error if a statement gives a column the default TRUE or FALSE, and the engine would make a text of it.
  fileprivate func refuseBooleanDefault(_ sql: String) throws {
    // The ability came one version later than these keywords (https://www.sqlite.org/changes.html).
    guard !engine.abilities.contains(.upsert) else { return }
    let source = SQLSource(sql)
    let tokens = source.tokens
    guard tokens.first?.isWord("create") ?? false || tokens.first?.isWord("alter") ?? false,
      let index = tokens.indices.dropLast().first(where: { index in
        tokens[index].isWord("default") && (tokens[index + 1].isWord("true") || tokens[index + 1].isWord("false"))
      })
    else { return }
    var knowsBooleans = false
    untraced { knowsBooleans = (try? Int.fetchOne(self, sql: "SELECT TRUE")) == 1 }
    guard !knowsBooleans else { return }
    let keyword = tokens[index + 1].text
    throw DatabaseError(
      .unsupported, engine: engine.name,
      message: "DEFAULT \(keyword) would be the text '\(keyword)' in \(engine.name) \(engine.version)",
      remedy:
        "TRUE and FALSE need SQLite 3.23: use a newer library, or write \(tokens[index + 1].isWord("true") ? 1 : 0).",
      sql: sql,
      utf8Offset: tokens[index + 1].range.lowerBound)
  }

  /// Whether another definition than that of a table contains the table's name, according to its text.
  fileprivate func otherDefinitionsMention(_ table: String) throws -> Bool {
    try Bool.fetchOne(
      self,
      sql: "SELECT EXISTS (SELECT * FROM main.sqlite_master WHERE instr(lower(sql), lower(?)) > 0 "
        + "AND NOT (type = 'table' AND name = ? COLLATE NOCASE AND sql NOT LIKE '%REFERENCES%'))",
      arguments: [table, table]) ?? false
  }
}

extension Collection<SQLStatement> {
  /// Whether statements give the name of a renamed table to another one, and drop the renamed table.
  fileprivate func replace(_ name: String, renamedTo newName: String) -> Bool {
    let effects = map { SQLStatementEffect(of: $0.text) }
    return effects.contains {
      if case .dropTable(let table) = $0 { table.asciiLowercased == newName.asciiLowercased } else { false }
    }
      && effects.contains {
        switch $0 {
        case .createTable(let made), .renameTable(_, let made): made.asciiLowercased == name.asciiLowercased
        default: false
        }
      }
  }
}

extension SQLStatement {
  /// Returns the error of the statement; if the engine is too old for the statement, the error says so instead of
  /// "syntax error".
  package func explaining(_ error: any Error, _ db: Database) -> any Error {
    guard var error = error as? DatabaseError, error.condition == .statement, error.message.contains("syntax error"),
      let needed = neededVersion,
      // If the version cannot be read, the engine's own message is used.
      let version = try? String.fetchOne(db, sql: "SELECT sqlite_version()"),
      let minor = version.split(separator: ".").dropFirst().first.flatMap({ Int($0) }), minor < needed.minor
    else { return error }
    error.condition = .unsupported
    error.message = "\(needed.feature) needs SQLite 3.\(needed.minor), and this engine is SQLite \(version)"
    error.remedy =
      "Use a newer engine, or create a new table, copy the rows, drop the old table and rename the new one, in this order."
    return error
  }

  /// The feature that the statement uses, and the minor version of SQLite 3 that introduced it
  /// (https://www.sqlite.org/changes.html); nil if all versions support the statement.
  private var neededVersion: (feature: String, minor: Int)? {
    if case .dropColumn = SQLStatementEffect(of: text) { return ("DROP COLUMN", 35) }
    guard case .alterTable(let alteration)? = (try? SQLTree(parsing: text))?.statement,
      case .renameColumn = alteration.action
    else { return nil }
    return ("RENAME COLUMN", 25)
  }
}

extension Migration {
  /// Creates a migration that runs an SQL file; see ``MigrationFile/run(_:isInterrupted:onStatement:)``.
  package init(
    _ file: MigrationFile, isInterrupted: @escaping @Sendable () -> Bool, onStatement: @escaping @Sendable (Int) -> Void
  ) {
    self.init(SQLMigration(file)) { db in try file.run(db, isInterrupted: isInterrupted, onStatement: onStatement) }
  }

  /// Creates the database migration of a file; `run` executes its statements.
  init(_ migration: SQLMigration, run: @escaping @Sendable (Database) throws -> Void) {
    let merged = Set(migration.directives.merges)
    let body: @Sendable (Database, Set<String>) throws -> Void = { db, applied in
      // A database to which all merged migrations were applied already has the result of this file. If only some of
      // them were applied, the database is in a state that the file's author has not anticipated.
      guard applied.isEmpty || applied == merged else {
        throw SQLMigration.PartialMergeError(applied: applied, missing: merged.subtracting(applied))
      }
      if applied.isEmpty { try run(db) }
    }
    self.init(
      identifier: migration.identifier,
      mode: migration.directives.foreignKeyChecks == .immediate ? .immediate : .deferred,
      mergedIdentifiers: merged, checksum: migration.checksum, text: migration.sql,
      violationsUntil: migration.directives.violationsUntil,
      work: migration.directives.runsInTransaction ? .wrapped(body) : .unwrapped(body))
  }
}
