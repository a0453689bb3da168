internal import Migrator

/// The engine that is to make a change: what its version can do, and what it answers before anything is changed.
struct TargetEngine {
  let connection: any SQLiteConnection
  let features: SQLiteFeatures

  /// The engine's version, for messages that begin with its name.
  var version: String { "version \(connection.engine.version)" }

  /// An error that refuses a change before anything was done.
  func refusal(
    _ message: String, remedy: String, condition: DatabaseError.Condition = .unsupported
  ) -> DatabaseError {
    DatabaseError(condition, engine: connection.engine.name, message: message, remedy: remedy)
  }

  /// Whether a query yields a row.
  func hasRow(_ query: String) throws(DatabaseError) -> Bool { try !connection.rows(query).isEmpty }

  /// Whether a name is that of a temporary table, which comes before one of the main schema.
  func isTemporary(_ table: String) throws(DatabaseError) -> Bool {
    let name = SQLSpelling.text(table)
    return try hasRow(
      "SELECT 1 FROM temp.sqlite_temp_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE LIMIT 1")
  }

  /// The schemas that have a table or view of a name, the one in which the engine finds it first of all.
  func schemas(holding table: String) throws(DatabaseError) -> [SchemaName] {
    let condition = "type IN ('table', 'view') AND name = \(SQLSpelling.text(table)) COLLATE NOCASE"
    var holding: [SchemaName] = []
    for schema in try connection.schemaNames() {
      if try hasRow("SELECT 1 FROM \(schema.definitions) WHERE \(condition) LIMIT 1") { holding.append(schema) }
    }
    return holding
  }
}
