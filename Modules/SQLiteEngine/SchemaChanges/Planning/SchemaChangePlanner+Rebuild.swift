internal import Migrator

extension SchemaChangePlanner {
  /// The columns whose values a copy of the table's rows has to carry; generated ones are computed anew.
  func copiedColumns(of table: EditableTable) throws(DatabaseError) -> [String] {
    let generated = Set(
      (try connection.columns(in: table.object.name) ?? []).filter(\.isGenerated).map { $0.name.asciiLowercased })
    return table.stored.columns.map(\.name).filter { !generated.contains($0.asciiLowercased) }
  }

  /// Gives a table another definition and keeps its rows, rowids, indexes, triggers, counter and statistics.
  ///
  /// The old table steps aside under another name and the new one is created under its final name, so that its text
  /// is exact, and so are references to itself. The order is the reverse of the procedure that SQLite documents
  /// (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes), which is safe while
  /// foreign keys are not enforced and renaming does not rewrite references: then nothing else notices.
  ///
  /// - Parameter columns: The columns to copy, which both definitions have.
  mutating func rebuild(
    _ table: EditableTable, as sql: String, copying columns: [String]
  ) throws(DatabaseError) {
    try requireRebuildable(table)
    let name = table.object.name
    let folded = name.asciiLowercased
    let (new, old) = ("main.\(SQLSpelling.identifier(name))", catalog.unusedName(for: name))
    // 1. What goes with the old table: read from the catalog, which is in the order of creation.
    let companions = catalog.objects.filter {
      ($0.kind == .index || $0.kind == .trigger) && $0.sql != nil && $0.tableName.asciiLowercased == folded
    }
    // The old table is about to bear another name than its own constraints may use.
    let unqualified = table.object.sql.flatMap { TableRenaming.unqualified($0, table: folded) }
    try edit((unqualified.map { [(table.object, $0)] } ?? []) + unqualifiedIndexes(of: folded))
    // 2. Renaming must leave references, triggers and views alone.
    try setLegacyAlterTable(true)
    // 3. The old table steps aside.
    emit("ALTER TABLE \(new) RENAME TO \(SQLSpelling.identifier(old))")
    // 4. The new one takes its place.
    emit(sql)
    // 5. The rows, with their numbers.
    copyRows(of: table, from: old, columns: columns)
    // 6. The counter of used ids stays, whatever was deleted (https://www.sqlite.org/autoinc.html).
    if table.stored.isAutoincrement {
      let (newText, oldText) = (SQLSpelling.text(name), SQLSpelling.text(old))
      emit("DELETE FROM main.sqlite_sequence WHERE name = \(newText)")
      emit(
        "INSERT INTO main.sqlite_sequence(name, seq) SELECT \(newText), seq FROM main.sqlite_sequence"
          + " WHERE name = \(oldText)")
    }
    // 7. The old table goes, and with it its indexes and triggers, temporary ones too. Statistics bear the table's
    //    name, which renaming did not change in them, and stay.
    emit("DROP TABLE main.\(SQLSpelling.identifier(old))")
    // 8. Indexes and triggers return, in their order.
    for kind in [SchemaObject.Kind.index, .trigger] {
      for object in companions where object.kind == kind { emit(object.creationSQL) }
    }
    // 9. The setting of step 2 goes back.
    try restoreLegacyAlterTable()
    catalog.moveToEnd(of: table.object, sql: sql, companions: companions)
  }

  private func requireRebuildable(_ table: EditableTable) throws(DatabaseError) {
    if try connection.enforcesForeignKeys() {
      throw refusal(
        "\(engineVersion) has to rebuild \"\(table.object.name)\", which deletes the rows that refer to it while"
          + " foreign keys are enforced",
        remedy: "Let the migration check foreign keys deferred: `foreignKeyChecks: .deferred`.")
    }
    if features.renamesTablesInTriggers, !features.hasLegacyAlterTable {
      throw refusal(
        "\(engineVersion) rewrites triggers and views when a table steps aside, and cannot be told not to",
        remedy: "Use an engine with SQLite 3.26 or newer.")
    }
    guard table.stored.isWithoutRowID || rowIDName(of: table) != nil else {
      throw refusal(
        "the columns of \"\(table.object.name)\" hide its rowids, which a rebuild would change",
        remedy: "Create the table anew, copy the rows, drop the old table and rename the new one.")
    }
  }

  /// A name for the row's own number that no column hides (https://www.sqlite.org/lang_createtable.html#rowid).
  private func rowIDName(of table: EditableTable) -> String? {
    let columns = Set(table.stored.columns.map { $0.name.asciiLowercased })
    return ["rowid", "_rowid_", "oid"].first { !columns.contains($0) }
  }

  private mutating func copyRows(of table: EditableTable, from old: String, columns: [String]) {
    let new = "main.\(SQLSpelling.identifier(table.object.name))"
    let old = "main.\(SQLSpelling.identifier(old))"
    var names = columns.map(SQLSpelling.identifier)
    // An INTEGER PRIMARY KEY is the rowid by another name: setting both to the same value is allowed.
    if !table.stored.isWithoutRowID, let rowID = rowIDName(of: table) { names.insert(rowID, at: 0) }
    let list = names.joined(separator: ", ")
    // OR ABORT overrides the table's own ON CONFLICT clauses, by which rows could be left out silently.
    emit("INSERT OR ABORT INTO \(new)(\(list)) SELECT \(list) FROM \(old)")
    // SQL has no assertion: the absolute value of the smallest integer is an error, which undoes all.
    emit(
      "SELECT CASE WHEN (SELECT count(*) FROM \(new)) = (SELECT count(*) FROM \(old)) THEN 'all rows were copied'"
        + " ELSE abs(-9223372036854775807 - 1) END")
  }
}

extension SchemaCatalog {
  /// What a rebuild does to the order of creation.
  mutating func moveToEnd(of table: Object, sql: String, companions: [Object]) {
    let names = Set(companions.map(\.name) + [table.name])
    var moved = [table] + companions.filter { $0.kind == .index } + companions.filter { $0.kind == .trigger }
    moved[0].sql = sql
    objects.removeAll { names.contains($0.name) && ($0.kind != .view) }
    objects += moved
  }
}

extension SchemaCatalog.Object {
  /// The statement that creates the object; the stored text of temporary ones does not tell that they are.
  fileprivate var creationSQL: String {
    guard let sql, isTemporary else { return sql ?? "" }
    let source = SQLSource(sql)
    guard let first = source.token(0), source.token(1)?.isWord("temp") != true,
      source.token(1)?.isWord("temporary") != true
    else { return sql }
    return source.replacing([first.range.upperBound..<first.range.upperBound], with: " TEMP")
  }
}
