internal import SQLSyntax

/// A record of the statements that migrations run on a scratch copy.
///
/// Sendable because it is captured by `@Sendable` functions; all calls come from the copy's queue.
final class StatementTrace: Sendable {
  /// The maximum number of statements to record; further statements are only counted.
  fileprivate static let limit = 10_000

  fileprivate struct State {
    var statements: [RehearsedStatement] = []
    /// The positions in ``statements`` of statements with parameters, keyed by migration and text.
    var places: [String: [String: Int]] = [:]
    var omitted = 0
    var destruction: DestructionRecord
    var savepoints = SQLSavepoints<DestructionRecord>()
    var skipped: [(migration: String, sql: [String])] = []
  }

  private let state: Lock<State>
  private let cancellation: AccessCancellation

  init(tables: [String], cancellation: AccessCancellation) {
    state = Lock(State(destruction: DestructionRecord(tables: tables)))
    self.cancellation = cancellation
  }

  var statements: [RehearsedStatement] { state.withLock { $0.statements } }
  var omittedRunCount: Int { state.withLock { $0.omitted } }
  /// The statements that were not run because they access another file, or depend on a statement that does.
  var skipped: [(migration: String, sql: [String])] { state.withLock { $0.skipped } }
  var destructive: [DestructiveStatement] { state.withLock { $0.destruction.statements } }
  /// The new names of the renamed tables, by their old names in ASCII lower case.
  var newNames: [String: String] { state.withLock { $0.destruction.newNames } }

  func tracing(_ migration: Migration) -> Migration {
    var traced = migration
    let identifier = migration.identifier
    switch migration.work {
    case .wrapped(let body):
      traced.work = .wrapped { db, applied in try self.during(identifier, db) { try body(db, applied) } }
    case .unwrapped(let body):
      traced.work = .unwrapped { db, applied in try self.during(identifier, db) { try body(db, applied) } }
    case .batched(let batch):
      traced.work = .batched { db, cursor in try self.during(identifier, db) { try batch(db, cursor) } }
    }
    return traced
  }

  private func during<Value>(_ migration: String, _ db: Database, _ body: () throws -> Value) throws -> Value {
    try cancellation.check()
    // A migration does not return to a savepoint of an earlier one.
    state.withLock { $0.savepoints = SQLSavepoints() }
    let outer = db.context.trace
    let trace = { [unowned db] (statement: any DatabaseStatement, isTrusted: Bool) in
      try outer?(statement, isTrusted)
      try self.cancellation.check()
      try self.add(statement, isTrusted: isTrusted, of: migration, db)
    }
    let skippedCount = db.skippedStatements.count
    defer {
      let skipped = Array(db.skippedStatements.dropFirst(skippedCount))
      if !skipped.isEmpty { state.withLock { $0.skipped.append((migration, skipped)) } }
    }
    // What the migration dropped is recorded also if it fails.
    defer { state.withLock { $0.destruction.endMigration() } }
    return try db.context.tracing(with: trace, body)
  }

  private func add(_ statement: any DatabaseStatement, isTrusted: Bool, of migration: String, _ db: Database) throws {
    let sql = statement.sql
    let summary = SQLStatementSummary(of: sql)
    let (kind, effect) = (summary.kind, summary.effect)
    // Read before taking the lock, because it calls the engine.
    var isThere = try effect.table.map { try exists($0, db) } ?? false
    if isThere { isThere = try !db.hidesTable(of: summary) && !isOfGeneratedColumn(effect, db) }
    let run = RehearsedStatement(
      migration: migration, sql: sql, isReadOnly: statement.isReadOnly, isOfBackend: isTrusted, runCount: 1)
    let hasParameters = statement.parameterCount > 0
    state.withLock { state in
      state.add(run, hasParameters: hasParameters)
      state.savepoints.follow(kind, sql, &state.destruction)
      state.destruction.add(effect, sql, of: migration, isTrusted: isTrusted, tableIsThere: isThere)
    }
  }

  /// Returns whether an effect is the removal of a generated column, whose values follow from those of other columns.
  private func isOfGeneratedColumn(_ effect: SQLStatementEffect, _ db: Database) throws -> Bool {
    guard case .dropColumn(let table, let column) = effect else { return false }
    return try db.connection.columns(in: table)?.contains { $0.isGenerated && $0.name.isSameName(as: column) } ?? false
  }

  private func exists(_ table: String, _ db: Database) throws -> Bool {
    let columns = try DatabaseError.ifPossible { try db.connection.columns(in: table) }
    return columns ?? nil != nil
  }
}

extension StatementTrace.State {
  /// Adds a run of a statement.
  ///
  /// A statement with parameters usually runs in a loop, perhaps alternating with others: it is listed once for each
  /// migration, at its first run. Any other statement is listed again unless it repeats the previous one.
  fileprivate mutating func add(_ run: RehearsedStatement, hasParameters: Bool) {
    if hasParameters, let place = places[run.migration]?[run.sql] {
      statements[place].runCount += 1
    } else if let last = statements.last, last.migration == run.migration, last.sql == run.sql {
      statements[statements.count - 1].runCount += 1
    } else if statements.count < StatementTrace.limit {
      if hasParameters { places[run.migration, default: [:]][run.sql] = statements.count }
      statements.append(run)
    } else {
      omitted += 1
    }
  }
}
