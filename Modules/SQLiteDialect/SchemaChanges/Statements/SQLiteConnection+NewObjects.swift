internal import Migrator

extension SQLiteConnection {
  func statements(creating table: NewTableDescription) throws(DatabaseError) -> [String] {
    try requireFeatures(of: table)
    return table.createStatements
  }

  func statement(creating index: NewIndexDescription) throws(DatabaseError) -> String {
    // An explicit schema takes precedence over the option `.temporary`.
    index.createSQL(isTemporary: try isTemporary(index.table))
  }

  /// Throws if the engine's version does not support the table.
  func requireFeatures(of table: NewTableDescription) throws(DatabaseError) {
    if table.options.contains(.strict), !features.hasStrictTables {
      throw refusal(
        "\(versionText) does not support STRICT tables such as \"\(table.name)\"",
        remedy: "Omit the option, or use an engine with SQLite 3.37 or newer.")
    }
    for case .definition(let column) in table.columns { try requireFeatures(of: column, in: table.name) }
  }

  /// Throws if a column is generated and the engine's version does not support generated columns.
  func requireFeatures(of column: NewColumnDescription, in table: String) throws(DatabaseError) {
    guard column.generated != nil, !features.hasGeneratedColumns else { return }
    throw refusal(
      "\(versionText) does not support generated columns such as \"\(column.name)\" of \"\(table)\"",
      remedy: "Compute the value in a view or a query, or use an engine with SQLite 3.31 or newer.")
  }

  func statement(creating trigger: NewTriggerDescription) throws(DatabaseError) -> String {
    guard let sql = trigger.createSQL else {
      throw refusal(
        "the trigger \"\(trigger.name)\" has no complete statement",
        remedy: "Give at least one SQL statement, with each quote and comment closed.", condition: .statement)
    }
    return sql
  }
}
