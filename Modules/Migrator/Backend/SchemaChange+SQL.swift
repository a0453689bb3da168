internal import SQLSyntax

extension SchemaChange {
  /// The statements that make the change on SQLite 3.35 or later; nil if they depend on the schema.
  ///
  /// They create, rename and drop objects, and add, rename and drop columns (https://www.sqlite.org/lang_altertable.html).
  /// For other alterations, for recreating a table and for full-text tables, the backend must read the schema.
  public var standardStatements: [String]? {
    switch self {
    case .createTable(let table): return table.createStatements
    case .alterTable(let name, let alterations, let schema):
      var statements: [String] = []
      for alteration in alterations {
        guard let own = alteration.statements(altering: name, in: schema) else { return nil }
        statements += own
      }
      return statements
    case .renameTable(let name, let newName, let schema):
      return ["ALTER TABLE \(name.quotedIdentifier(in: schema)) RENAME TO \(newName.quotedIdentifier)"]
    case .createIndex(let index): return [index.createSQL(isTemporary: false)]
    case .createView(let view): return [view.createSQL]
    case .createTrigger(let trigger): return trigger.createSQL.map { [$0] }
    case .createVirtualTable(let table): return [table.createSQL]
    case .dropTable(let name, let ifExists, let schema):
      return [SQLSpelling.drop("TABLE", name, ifExists: ifExists, schema: schema)]
    case .dropIndex(let name, let ifExists, let schema):
      return [SQLSpelling.drop("INDEX", name, ifExists: ifExists, schema: schema)]
    case .dropView(let name, let ifExists, let schema):
      return [SQLSpelling.drop("VIEW", name, ifExists: ifExists, schema: schema)]
    case .dropTrigger(let name, let ifExists, let schema):
      return [SQLSpelling.drop("TRIGGER", name, ifExists: ifExists, schema: schema)]
    case .recreateTable, .createFullTextTable: return nil
    }
  }
}

extension TableAlterationDescription {
  fileprivate func statements(altering table: String, in schema: String?) -> [String]? {
    let alter = "ALTER TABLE \(table.quotedIdentifier(in: schema))"
    switch self {
    case .addColumn(let column):
      guard !column.isBeyondAddColumn else { return nil }
      var index = column.indexDefinition(on: table, ifNotExists: false)
      index?.schema = schema
      return ["\(alter) ADD COLUMN \(column.sql)"] + (index.map { [$0.createSQL(isTemporary: false)] } ?? [])
    case .addColumnSQL(let sql): return ["\(alter) ADD COLUMN \(SQLFragment.trimmed(sql))"]
    case .renameColumn(let name, let newName):
      return ["\(alter) RENAME COLUMN \(name.quotedIdentifier) TO \(newName.quotedIdentifier)"]
    case .dropColumn(let name): return ["\(alter) DROP COLUMN \(name.quotedIdentifier)"]
    case .changeColumn, .addConstraint, .dropConstraint, .setPrimaryKey, .reorderColumns: return nil
    }
  }
}
