package import Migrator
internal import SQLSyntax

extension SQLiteConnection {
  /// Returns the statements that perform a change on this engine's version, in order; planning only reads the database.
  ///
  /// Newer engines rename and drop columns themselves. For older engines, the plan edits the stored definitions, which
  /// does not touch any row, or rebuilds the table with its indexes and triggers.
  ///
  /// - Throws: ``DatabaseError`` as `unsupported` when the engine cannot make the change without losing data, or when
  ///   the meaning of a name in a stored definition is uncertain.
  package func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    switch change {
    case .createTable(let table):
      try requireFeatures(of: table)
      return SchemaChangeStatements(table.createStatements)
    case .alterTable(let name, let alterations, let schema):
      let catalog = try SchemaCatalog(self, holding: name, in: schema)
      return try AlterationPlan(name, alterations, catalog).statements()
    case .recreateTable(let table, let copying):
      let schema = table.options.contains(.temporary) ? "temp" : table.schema
      let catalog = try SchemaCatalog(self, holding: table.name, in: schema)
      return try RebuildPlan(TableDraft(recreating: table, copying: copying, catalog)).statements()
    case .renameTable(let name, let newName, let schema):
      return try TableRenamePlan(name, in: schema, to: newName, self).statements()
    case .createIndex(let index):
      // An explicit schema takes precedence over the option `.temporary`.
      return SchemaChangeStatements([index.createSQL(isTemporary: try isTemporary(index.table))])
    case .createView(let view): return SchemaChangeStatements([view.createSQL])
    case .createTrigger(let trigger): return SchemaChangeStatements([try statement(creating: trigger)])
    case .createVirtualTable(let table): return SchemaChangeStatements([try statement(creating: table)])
    case .createFullTextTable(let table): return SchemaChangeStatements(try statements(creating: table))
    case .dropTable(let name, let ifExists, let schema):
      let triggers = try synchronizationTriggers(of: name, in: schema).map { "DROP TRIGGER \($0)" }
      return SchemaChangeStatements(triggers + drop("TABLE", name, ifExists, schema).statements)
    case .dropIndex(let name, let ifExists, let schema): return drop("INDEX", name, ifExists, schema)
    case .dropView(let name, let ifExists, let schema): return drop("VIEW", name, ifExists, schema)
    case .dropTrigger(let name, let ifExists, let schema): return drop("TRIGGER", name, ifExists, schema)
    }
  }

  func statement(creating trigger: NewTriggerDescription) throws(DatabaseError) -> String {
    guard let sql = trigger.createSQL else {
      throw refusal(
        "the trigger \"\(trigger.name)\" has no complete statement",
        remedy: "Give at least one SQL statement, with each quote and comment closed.", condition: .statement)
    }
    return sql
  }

  /// Returns the triggers that keep a full-text table up to date; empty for other tables.
  ///
  /// Without the table, they would make every change to its content table fail. If the table was renamed, their names are still
  /// made of its first name.
  private func synchronizationTriggers(of table: String, in schemaName: String?) throws(DatabaseError) -> [String] {
    let holding = try schemas(holding: table)
    let named = schemaName.map { SchemaName(unchecked: $0) }
    guard let schema = holding.first(where: { named == nil || $0 == named }) else { return [] }
    let isFullText =
      "SELECT 1 FROM \(schema.definitions) WHERE type = 'table' AND name = \(table.quotedText) COLLATE NOCASE "
      + "AND rootpage = 0 AND sql LIKE '%fts%'"
    guard try hasRow(isFullText) else { return [] }
    let triggers = try rows("SELECT name, sql FROM \(schema.definitions) WHERE type = 'trigger' ORDER BY name")
    return triggers.compactMap { row in
      guard case .text(let name) = row[0], case .text(let sql) = row[1],
        NewFullTextTableDescription.namesSynchronizationTrigger(name)
      else { return nil }
      let tokens = SQLSource(sql).tokens
      let writes = zip(tokens, tokens.dropFirst()).contains {
        ($0.isWord("into") || $0.isWord("from")) && $1.folded == table.asciiLowercased
      }
      return writes ? "\(schema.prefix).\(name.quotedIdentifier)" : nil
    }
  }

  private func drop(_ kind: String, _ name: String, _ ifExists: Bool, _ schema: String?) -> SchemaChangeStatements {
    SchemaChangeStatements([SQLSpelling.drop(kind, name, ifExists: ifExists, schema: schema)])
  }
}
