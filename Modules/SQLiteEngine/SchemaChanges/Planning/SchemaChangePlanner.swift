internal import Migrator

/// Turns a schema change into the statements that make it on the version of a connection's engine.
///
/// Planning reads and changes nothing. What the engine would refuse obscurely, or do with a loss, is refused here.
struct SchemaChangePlanner {
  let connection: any DatabaseConnection
  let features: SchemaFeatures

  /// The definitions as they will be behind the statements so far; empty for changes that do not depend on them.
  var catalog = SchemaCatalog()

  /// The statements so far.
  var plan = SchemaChangeStatements([])

  /// The table that is going to be created anew, with all that steps so far ask for.
  var pending: PendingRebuild?

  /// Prepares to plan for a connection, by the features of its engine or by others.
  init(_ connection: any DatabaseConnection, features: SchemaFeatures) {
    self.connection = connection
    self.features = features
  }

  /// The statements that make a change.
  mutating func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    switch change {
    case .createTable(let table): try createTable(table)
    case .alterTable(let name, let alterations):
      catalog = try SchemaCatalog(connection)
      try alter(table: name, alterations)
    case .recreateTable(let table, let copying):
      catalog = try SchemaCatalog(connection)
      try recreate(table, copying: copying)
    case .renameTable(let name, let newName, nil):
      catalog = try SchemaCatalog(connection)
      try renameTable(name, to: newName)
    case .renameTable(let name, let newName, let schema?): try renameTable(name, in: schema, to: newName)
    case .dropTable(let name, let ifExists, let schema): drop("TABLE", name, ifExists, schema)
    case .createIndex(let index): try createIndex(index)
    case .dropIndex(let name, let ifExists, let schema): drop("INDEX", name, ifExists, schema)
    case .createView(let view): emit(view.createSQL)
    case .dropView(let name, let ifExists, let schema): drop("VIEW", name, ifExists, schema)
    case .createTrigger(let trigger): emit(try createSQL(of: trigger))
    case .dropTrigger(let name, let ifExists, let schema): drop("TRIGGER", name, ifExists, schema)
    case .createVirtualTable(let table): try createVirtualTable(table)
    case .createFullTextTable(let table): try createFullTextTable(table)
    }
    return plan
  }

  /// Appends a statement.
  mutating func emit(_ sql: String) { plan.statements.append(sql) }

  /// An error that refuses a change before anything was done.
  func refusal(
    _ message: String, remedy: String, condition: DatabaseError.Condition = .unsupported
  ) -> DatabaseError {
    DatabaseError(condition, engine: connection.engine.name, message: message, remedy: remedy)
  }

  /// The engine's version, for messages that begin with its name.
  var engineVersion: String { "version \(connection.engine.version)" }
}
