package import Migrator

extension SQLiteConnection {
  /// The statements that make a change on this engine's version, in their order.
  ///
  /// Newer engines rename and drop columns themselves. For older ones the stored definitions are edited, which keeps
  /// every row where it is, or the table is rebuilt with all that belongs to it.
  ///
  /// - Throws: ``DatabaseError`` as unsupported when the engine cannot make the change without a loss, or when it is
  ///   not certain what a name in a stored definition means. Nothing has been changed then.
  package func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    try statements(for: change, features: features)
  }

  /// The statements that make a change with the features of another version, for tests.
  ///
  /// Planning reads and changes nothing. What the engine would refuse obscurely, or do with a loss, is refused here.
  func statements(for change: SchemaChange, features: SQLiteFeatures) throws(DatabaseError) -> SchemaChangeStatements {
    let engine = TargetEngine(connection: self, features: features)
    switch change {
    case .createTable(let table): return SchemaChangeStatements(try engine.statements(creating: table))
    case .alterTable(let name, let alterations, let schema):
      let catalog = try SchemaCatalog(engine, holding: name, in: schema)
      return try AlterationPlan(name, alterations, catalog).statements()
    case .recreateTable(let table, let copying):
      let schema = table.options.contains(.temporary) ? "temp" : table.schema
      let catalog = try SchemaCatalog(engine, holding: table.name, in: schema)
      return try RebuildPlan(TableDraft(recreating: table, copying: copying, catalog)).statements()
    case .renameTable(let name, let newName, let schema):
      return try TableRenamePlan(name, in: schema, to: newName, engine).statements()
    case .createIndex(let index): return SchemaChangeStatements([try engine.statement(creating: index)])
    case .createView(let view): return SchemaChangeStatements([view.createSQL])
    case .createTrigger(let trigger): return SchemaChangeStatements([try engine.statement(creating: trigger)])
    case .createVirtualTable(let table): return SchemaChangeStatements([try engine.statement(creating: table)])
    case .createFullTextTable(let table): return SchemaChangeStatements(try engine.statements(creating: table))
    case .dropTable(let name, let ifExists, let schema): return drop("TABLE", name, ifExists, schema)
    case .dropIndex(let name, let ifExists, let schema): return drop("INDEX", name, ifExists, schema)
    case .dropView(let name, let ifExists, let schema): return drop("VIEW", name, ifExists, schema)
    case .dropTrigger(let name, let ifExists, let schema): return drop("TRIGGER", name, ifExists, schema)
    }
  }

  private func drop(_ kind: String, _ name: String, _ ifExists: Bool, _ schema: String?) -> SchemaChangeStatements {
    SchemaChangeStatements(["DROP \(kind) \(ifExists ? "IF EXISTS " : "")\(SQLSpelling.identifier(name, in: schema))"])
  }
}
