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
      for alteration in alterations { try alter(table: name, alteration) }
    case .renameTable(let name, let newName):
      catalog = try SchemaCatalog(connection)
      try renameTable(name, to: newName)
    case .dropTable(let name, let ifExists):
      emit("DROP TABLE \(ifExists ? "IF EXISTS " : "")\(SQLSpelling.identifier(name))")
    case .createIndex(let index): emit(index.createSQL(isTemporary: try isTemporary(index.table)))
    case .dropIndex(let name, let ifExists):
      emit("DROP INDEX \(ifExists ? "IF EXISTS " : "")\(SQLSpelling.identifier(name))")
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

  private mutating func createTable(_ table: TableDefinition) throws(DatabaseError) {
    if table.options.contains(.strict), !features.hasStrictTables {
      throw refusal(
        "\(engineVersion) has no STRICT tables, which \"\(table.name)\" is to be",
        remedy: "Leave the option out, or use an engine with SQLite 3.37 or newer.")
    }
    for case .definition(let column) in table.columns where column.generated != nil {
      try requireGeneratedColumns(for: column.name, of: table.name)
    }
    emit(table.createSQL)
    let isTemporary = table.options.contains(.temporary)
    for index in table.allIndexes { emit(index.createSQL(isTemporary: isTemporary)) }
  }

  /// Refuses a generated column where the engine has none.
  func requireGeneratedColumns(for column: String, of table: String) throws(DatabaseError) {
    guard !features.hasGeneratedColumns else { return }
    throw refusal(
      "\(engineVersion) has no generated columns, which \"\(column)\" of \"\(table)\" is to be",
      remedy: "Compute the value in a view or a query, or use an engine with SQLite 3.31 or newer.")
  }

  /// Whether a name is that of a temporary table, which comes before one of the main schema.
  func isTemporary(_ table: String) throws(DatabaseError) -> Bool {
    let name = SQLSpelling.text(table)
    return try !connection.rows(
      "SELECT 1 FROM temp.sqlite_temp_master WHERE type = 'table' AND name = \(name) COLLATE NOCASE"
    ).isEmpty
  }

  private mutating func alter(table: String, _ alteration: TableAlteration) throws(DatabaseError) {
    switch alteration {
    case .addColumn(let column): try addColumn(column, to: table)
    case .addColumnSQL(let sql): addColumn(sql: sql, to: table)
    case .renameColumn(let name, let newName): try renameColumn(name, to: newName, of: table)
    case .dropColumn(let name): try dropColumn(name, of: table)
    }
  }
}
