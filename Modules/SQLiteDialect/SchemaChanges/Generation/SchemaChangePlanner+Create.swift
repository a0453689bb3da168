internal import Migrator

extension SchemaChangePlanner {
  /// Creates a table and its indexes.
  mutating func createTable(_ table: NewTableDescription) throws(DatabaseError) {
    try refuseUnknownFeatures(of: table)
    emit(table.createSQL)
    let isTemporary = table.options.contains(.temporary)
    for index in table.allIndexes { emit(index.createSQL(isTemporary: isTemporary)) }
  }

  /// Refuses a definition that the engine's version does not understand.
  func refuseUnknownFeatures(of table: NewTableDescription) throws(DatabaseError) {
    if table.options.contains(.strict), !features.hasStrictTables {
      throw refusal(
        "\(engineVersion) has no STRICT tables, which \"\(table.name)\" is to be",
        remedy: "Leave the option out, or use an engine with SQLite 3.37 or newer.")
    }
    for case .definition(let column) in table.columns where column.generated != nil {
      try requireGeneratedColumns(for: column.name, of: table.name)
    }
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

  /// Creates an index, in the schema of its table.
  mutating func createIndex(_ index: NewIndexDescription) throws(DatabaseError) {
    // A schema that was named comes before the question whether the table is temporary.
    let isTemporary = try isTemporary(index.table)
    emit(index.createSQL(isTemporary: isTemporary))
  }

  /// Removes an object.
  mutating func drop(_ kind: String, _ name: String, _ ifExists: Bool, _ schema: String?) {
    emit("DROP \(kind) \(ifExists ? "IF EXISTS " : "")\(SQLSpelling.identifier(name, in: schema))")
  }

  /// Creates a virtual table.
  mutating func createVirtualTable(_ table: NewVirtualTableDescription) throws(DatabaseError) {
    try requireModule(table.module, for: table.name)
    emit(table.createSQL)
  }

  /// Refuses a virtual table whose module the engine does not have, as far as it tells.
  func requireModule(_ module: String, for table: String) throws(DatabaseError) {
    let name = module.asciiLowercased
    // Engines before 3.30 have no such list, unless built with it (https://www.sqlite.org/pragma.html#pragma_module_list).
    let known = try connection.rows("PRAGMA module_list").compactMap { row -> String? in
      if case .text(let name)? = row.first { name.asciiLowercased } else { nil }
    }
    let ability: EngineAbilities? = ["fts4": .fts4, "fts5": .fts5][name]
    let isThere = known.isEmpty ? ability.map(connection.engine.abilities.contains) ?? true : known.contains(name)
    guard !isThere else { return }
    let other = name == "fts5" && connection.engine.abilities.contains(.fts4) ? " Use FTS4 instead." : ""
    throw refusal(
      "\(engineVersion) has no module \"\(module)\", which \"\(table)\" is to use",
      remedy: "Use an engine that was built with it, or register it in `prepareDatabase`.\(other)")
  }

  /// The statement that creates a trigger.
  func createSQL(of trigger: NewTriggerDescription) throws(DatabaseError) -> String {
    let body = SQLSource(trigger.statements)
    guard let last = body.tokens.last, body.isWellFormed else {
      throw refusal(
        "the trigger \"\(trigger.name)\" has no complete statement",
        remedy: "Give at least one SQL statement, with each quote and comment closed.", condition: .statement)
    }
    return trigger.createSQL(statements: trigger.statements, isTerminated: last.isOperator(";"))
  }

  /// Gives a table of an attached database another name.
  mutating func renameTable(_ name: String, in schema: String, to newName: String) throws(DatabaseError) {
    if !features.renamesTablesInTriggers {
      // What an older engine does not rename would be rewritten in the stored definitions, which only those of the main
      // schema can be for sure.
      let rows = try connection.rows("SELECT name, sql FROM \(SQLSpelling.identifier(schema)).sqlite_master")
      let folded = name.asciiLowercased
      for case (.text(let other), .text(let sql)) in rows.map({ ($0[0], $0[1]) }) where other.asciiLowercased != folded
      {
        guard SQLSource(sql).tokens.contains(where: { $0.folded == folded }) else { continue }
        // Its indexes are renamed with it.
        if sql.asciiLowercased.hasPrefix("create index") || sql.asciiLowercased.hasPrefix("create unique") { continue }
        throw refusal(
          "\(engineVersion) does not rename tables in triggers, views and foreign keys, and \"\(other)\" of"
            + " \"\(schema)\" names \"\(name)\"",
          remedy: "Open that database by itself and rename the table there.")
      }
    }
    try setLegacyAlterTable(false)
    emit(
      "ALTER TABLE \(SQLSpelling.identifier(name, in: schema)) RENAME TO \(SQLSpelling.identifier(newName))")
    try restoreLegacyAlterTable()
  }
}
