internal import Migrator

extension SchemaChangePlanner {
  /// Gives a column another name, wherever it is used.
  mutating func renameColumn(_ name: String, to newName: String, of table: String) throws(DatabaseError) {
    let dependents = Dependents(on: table.asciiLowercased, in: catalog)
    if let virtual = dependents.virtualTables(naming: name.asciiLowercased).first {
      // The engine itself would rename the column and leave the virtual table looking for the old name.
      throw refusal(
        "\(virtual.description) reads \"\(name)\" of \"\(table)\" by that name",
        remedy: "Drop the virtual table, rename the column, and create the virtual table anew.")
    }
    guard features.renamesColumns else {
      try rewriteColumn(name, to: newName, of: table, dependents)
      return
    }
    emit(
      "ALTER TABLE \(SQLSpelling.identifier(table)) RENAME COLUMN \(SQLSpelling.identifier(name))"
        + " TO \(SQLSpelling.identifier(newName))")
    // What the engine makes of the texts matters to the steps that follow only.
    do {
      for (object, sql) in try columnRenaming(name, to: newName, of: table, dependents) {
        catalog.setSQL(sql, of: object)
      }
    } catch { catalog.isStale = true }
  }

  /// Renames a column in the stored definitions, which is what `RENAME COLUMN` does from SQLite 3.25 on.
  private mutating func rewriteColumn(
    _ name: String, to newName: String, of table: String, _ dependents: Dependents
  ) throws(DatabaseError) {
    let edits = try columnRenaming(name, to: newName, of: table, dependents)
    try edit(edits)
    // Reads the schema, and fails unless the column has its new name: one that is qualified is never taken for a text.
    let (table, column) = (SQLSpelling.identifier(table), SQLSpelling.identifier(newName))
    emit("SELECT \(table).\(column) FROM main.\(table) LIMIT 0")
  }

  /// The definitions that change when a column gets another name.
  ///
  /// - Throws: ``DatabaseError`` as unsupported when it is not certain what a name in one of them means.
  private func columnRenaming(
    _ name: String, to newName: String, of table: String, _ dependents: Dependents
  ) throws(DatabaseError) -> [(object: SchemaCatalog.Object, sql: String)] {
    let editable = try editableTable(table)
    let (folded, newFolded) = (name.asciiLowercased, newName.asciiLowercased)
    _ = try column(name, of: editable)
    if folded != newFolded, editable.stored.column(named: newFolded) != nil {
      throw refusal(
        "duplicate column name: \(newName) in table \"\(table)\"", remedy: "Choose another name.",
        condition: .statement)
    }
    guard !["rowid", "oid", "_rowid_"].contains(newFolded) else {
      // It would hide the row's own number (https://www.sqlite.org/lang_createtable.html#rowid).
      throw refusal("a column named \"\(newName)\" would hide the rowid", remedy: "Choose another name.")
    }
    let renaming = ColumnRenaming(
      column: folded, newColumn: newFolded, newName: SQLSpelling.identifier(newName), table: table.asciiLowercased)
    var edits: [(object: SchemaCatalog.Object, sql: String)] = []
    for object in catalog.objects where object.kind == .table || object.kind == .index {
      guard !object.isTemporary, !object.isVirtual, let sql = object.sql else { continue }
      if let text = try rewrite(object, sql, by: renaming) { edits.append((object, text)) }
    }
    for dependent in dependents.viewsAndTriggers {
      if let text = try rewrite(dependent, by: renaming) { edits.append((dependent.object, text)) }
    }
    return edits
  }

  private func rewrite(
    _ object: SchemaCatalog.Object, _ sql: String, by renaming: ColumnRenaming
  ) throws(DatabaseError) -> String? {
    let isAffected = object.tableName.asciiLowercased == renaming.table
    let outcome =
      switch (object.kind, isAffected) {
      case (.index, true): renaming.index(sql)
      case (.table, true): renaming.ownTable(sql)
      case (.table, false): renaming.otherTable(sql)
      default: ColumnRenaming.Outcome.unchanged
      }
    switch outcome {
    case .unchanged: return nil
    case .changed(let text): return text
    case .uncertain: throw uncertainty(object, renaming.column)
    }
  }

  private func rewrite(
    _ dependent: Dependents.Dependent, by renaming: ColumnRenaming
  ) throws(DatabaseError) -> String? {
    guard case .changed(let text) = renaming.dependent(dependent) else {
      if case .unchanged = renaming.dependent(dependent) { return nil }
      throw uncertainty(dependent.object, renaming.column)
    }
    // The temporary schema is not edited: its objects are gone soon, and the application makes them.
    guard !dependent.object.isTemporary else { throw uncertainty(dependent.object, renaming.column) }
    return text
  }

  private func uncertainty(_ object: SchemaCatalog.Object, _ column: String) -> DatabaseError {
    refusal(
      "\(engineVersion) has no RENAME COLUMN, and it is not certain whether \"\(column)\" in \(object.description)"
        + " means the column that is to be renamed",
      remedy: "Drop the \(object.kind.rawValue), rename the column, and create the \(object.kind.rawValue) anew.")
  }
}
