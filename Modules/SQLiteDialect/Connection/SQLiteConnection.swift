package import Migrator

/// A connection to an engine of the SQLite family that runs SQL and gives rows.
///
/// This module needs nothing else, so that it serves an engine in this process as well as one behind a network. A
/// connection that conforms has with it what the core's `SchemaIntrospection` asks for.
package protocol SQLiteConnection: TransactionControl {
  /// The engine's name, version and abilities, for messages and for what depends on how the engine was built.
  var engine: EngineDescription { get }

  /// What the engine's version of SQLite can do.
  var features: SQLiteFeatures { get }

  /// Prepares the first statement found in a script at or after an offset, as the core's `DatabaseConnection` does.
  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation

  /// Calls a closure while statements may write to the engine's own tables, and protects these again afterwards where
  /// they were before.
  ///
  /// Source: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html, which no statement can set. An engine that cannot
  /// be told otherwise calls the closure as it is.
  func withoutDefense(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError)
}

extension SQLiteConnection {
  /// Runs all statements of a script; rows that they yield are skipped.
  ///
  /// - Throws: ``DatabaseError`` of the first statement that fails; those before it have run.
  package func execute(_ script: String) throws(DatabaseError) {
    var offset = 0
    while offset < script.utf8.count {
      let preparation = try prepare(script, utf8Offset: offset)
      guard let statement = preparation.statement else { return }
      while try statement.step() {}
      offset = preparation.endOffset
    }
  }

  /// Calls a closure with each row of a query.
  package func forEachRow(
    _ sql: String, _ body: (any DatabaseStatement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    guard let statement = try prepare(sql, utf8Offset: 0).statement else { return }
    defer { statement.reset() }
    while try statement.step() { try body(statement) }
  }

  /// All rows of a query.
  package func rows(_ sql: String) throws(DatabaseError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    try forEachRow(sql) { (row: any DatabaseStatement) throws(DatabaseError) in
      rows.append((0..<row.columnCount).map { DatabaseValue(row, column: $0) })
    }
    return rows
  }

  /// The first column of the first row as an integer; nil when there is no row or the value is NULL.
  package func integer(_ sql: String) throws(DatabaseError) -> Int64? {
    guard let row = try firstRow(sql), row.valueKind(at: 0) != .null else { return nil }
    return row.integer(at: 0)
  }

  /// The first column of the first row as text; nil when there is no row or the value is NULL.
  package func text(_ sql: String) throws(DatabaseError) -> String? {
    guard let row = try firstRow(sql), row.valueKind(at: 0) != .null else { return nil }
    return row.text(at: 0)
  }

  private func firstRow(_ sql: String) throws(DatabaseError) -> (any DatabaseStatement)? {
    guard let statement = try prepare(sql, utf8Offset: 0).statement, try statement.step() else { return nil }
    return statement
  }

  /// An error that the backend reports by itself.
  package func error(
    _ condition: DatabaseError.Condition, _ message: String, remedy: String? = nil, sql: String? = nil
  ) -> DatabaseError {
    DatabaseError(condition, engine: engine.name, message: message, remedy: remedy, sql: sql)
  }
}
