extension SchemaChange {
  /// The names that the change gives to objects and columns, and the kinds of these objects.
  ///
  /// Names inside SQL text, and the names of objects to remove or to rename, are not included.
  var givenNames: [(kind: String, name: String)] {
    switch self {
    case .createTable(let table), .recreateTable(let table, _):
      [("table", table.name)] + table.columns.compactMap(\.givenName) + table.indexes.map { ("index", $0.name) }
    case .alterTable(let name, let alterations, _): [("table", name)] + alterations.compactMap(\.givenName)
    case .renameTable(_, let newName, _): [("table", newName)]
    case .createIndex(let index): [("index", index.name)]
    case .createView(let view): [("view", view.name)] + (view.columns ?? []).map { ("column", $0) }
    case .createTrigger(let trigger): [("trigger", trigger.name)]
    case .createVirtualTable(let table): [("table", table.name), ("module", table.module)]
    case .createFullTextTable(let table): [("table", table.name)] + table.columns.map { ("column", $0.name) }
    case .dropTable, .dropIndex, .dropView, .dropTrigger: []
    }
  }
}

extension TableColumn {
  fileprivate var givenName: (kind: String, name: String)? {
    switch self {
    case .definition(let column): ("column", column.name)
    case .sql: nil
    }
  }
}

extension TableAlterationDescription {
  fileprivate var givenName: (kind: String, name: String)? {
    switch self {
    case .addColumn(let column): ("column", column.name)
    case .renameColumn(_, let newName): ("column", newName)
    default: nil
    }
  }
}

extension Database {
  /// Throws an error for an empty name, which SQLite allows and few other programs can handle.
  ///
  /// This is an error and not a trap, because names may come from data, such as the schema of another database.
  ///
  /// - Parameter kind: The kind of the object that gets the name.
  func requireName(_ name: String, of kind: String) throws(DatabaseError) {
    guard name.isEmpty else { return }
    let renaming =
      kind == "table"
      ? " To rename an existing table that has an empty name, run ALTER TABLE \"\" RENAME TO ..." : ""
    throw context.error(
      .misuse, "\(kind == "index" ? "an" : "a") \(kind) cannot have an empty name",
      remedy: "Choose a name.\(renaming)")
  }
}
