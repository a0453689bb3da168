package import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  /// Returns the statements that perform a change on this engine's version, in order.
  ///
  /// Newer engines rename and drop columns themselves. For older engines, the plan edits the stored definitions, which
  /// does not touch any row, or rebuilds the table with its indexes and triggers. Planning only reads the database.
  ///
  /// - Throws: ``DatabaseError`` as `unsupported` when the engine cannot make the change without losing data, or when
  ///   the meaning of a name in a stored definition is uncertain. The database is unchanged.
  package func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    switch change {
    case .createTable(let table): return SchemaChangeStatements(try statements(creating: table))
    case .alterTable(let name, let alterations, let schema):
      let catalog = try SchemaCatalog(self, holding: name, in: schema)
      return try AlterationPlan(name, alterations, catalog).statements()
    case .recreateTable(let table, let copying):
      let schema = table.options.contains(.temporary) ? "temp" : table.schema
      let catalog = try SchemaCatalog(self, holding: table.name, in: schema)
      return try RebuildPlan(TableDraft(recreating: table, copying: copying, catalog)).statements()
    case .renameTable(let name, let newName, let schema):
      return try TableRenamePlan(name, in: schema, to: newName, self).statements()
    case .createIndex(let index): return SchemaChangeStatements([try statement(creating: index)])
    case .createView(let view): return SchemaChangeStatements([view.createSQL])
    case .createTrigger(let trigger): return SchemaChangeStatements([try statement(creating: trigger)])
    case .createVirtualTable(let table): return SchemaChangeStatements([try statement(creating: table)])
    case .createFullTextTable(let table): return SchemaChangeStatements(try statements(creating: table))
    case .dropTable(let name, let ifExists, let schema): return drop("TABLE", name, ifExists, schema)
    case .dropIndex(let name, let ifExists, let schema): return drop("INDEX", name, ifExists, schema)
    case .dropView(let name, let ifExists, let schema): return drop("VIEW", name, ifExists, schema)
    case .dropTrigger(let name, let ifExists, let schema): return drop("TRIGGER", name, ifExists, schema)
    }
  }

  private func drop(_ kind: String, _ name: String, _ ifExists: Bool, _ schema: String?) -> SchemaChangeStatements {
    SchemaChangeStatements(["DROP \(kind) \(ifExists ? "IF EXISTS " : "")\(name.quotedIdentifier(in: schema))"])
  }
}
