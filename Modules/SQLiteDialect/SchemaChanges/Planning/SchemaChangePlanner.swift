internal import Migrator

/// Turns a schema change into the statements that make it on the version of a connection's engine.
///
/// Planning reads and changes nothing. What the engine would refuse obscurely, or do with a loss, is refused here.
struct SchemaChangePlanner {
  let connection: any SQLiteConnection
  let features: SQLiteFeatures

  /// The schema whose tables are altered.
  var schema = SchemaName.main

  /// The definitions as they will be behind the statements so far; empty for changes that do not depend on them.
  var catalog = SchemaCatalog()

  /// The statements so far.
  var plan = SchemaChangeStatements([])

  /// The table that is going to be created anew, with all that steps so far ask for.
  var pending: PendingRebuild?

  /// Prepares to plan for a connection, by the features of its engine or by others.
  init(_ connection: any SQLiteConnection, features: SQLiteFeatures) {
    self.connection = connection
    self.features = features
  }

  /// The statements that make a change.
  mutating func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    switch change {
    case .createTable(let table): try createTable(table)
    case .alterTable(let name, let alterations, let schema):
      try readCatalog(for: name, in: schema)
      try alter(table: name, alterations)
    case .recreateTable(let table, let copying):
      try readCatalog(for: table.name, in: table.options.contains(.temporary) ? "temp" : table.schema)
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

  /// Reads the definitions among which a table is altered.
  ///
  /// Without the name of a schema, a temporary table comes first, as it does for the engine.
  private mutating func readCatalog(for table: String, in name: String?) throws(DatabaseError) {
    let temporary: String? = try isTemporary(table) ? "temp" : nil
    schema = try connection.schemaName(name ?? temporary)
    catalog = try SchemaCatalog(connection, schema)
    catalog.isSchemaNamed = name ?? temporary != nil
  }

  /// A table's name in a statement, behind that of its schema where something else could be meant without.
  func target(_ table: String) -> String {
    catalog.isSchemaNamed ? schema.qualified(table) : SQLSpelling.identifier(table)
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
