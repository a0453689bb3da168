internal import Migrator

extension SchemaChangePlanner {
  /// Prepares to create a table anew, unless that is prepared already.
  mutating func beginRebuild(of table: String, verifies: Bool) throws(DatabaseError) {
    guard pending == nil else { return }
    let editable = try editableTable(table)
    pending = PendingRebuild(editable, text: editable.text)
    pending?.verifies = verifies
  }

  /// Creates the table anew that this is prepared for, if any.
  mutating func finishRebuild() throws(DatabaseError) {
    guard var rebuild = pending else { return }
    pending = nil
    rebuild.fillDefaults(before: rebuild.table.text)
    try self.rebuild(rebuild)
  }

  /// Gives a table another definition and keeps its rows, rowids, indexes, triggers, counter and statistics.
  ///
  /// The old table steps aside under another name and the new one is created under its final name, so that its text
  /// is exact, and so are references to itself. The order is the reverse of the procedure that SQLite documents
  /// (https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes), which is safe while
  /// foreign keys are not enforced and renaming does not rewrite references: then nothing else notices.
  private mutating func rebuild(_ rebuild: PendingRebuild) throws(DatabaseError) {
    let table = rebuild.table
    try requireRebuildable(rebuild)
    plan.method = .rebuild
    let name = table.object.name
    let folded = name.asciiLowercased
    let (new, old) = (schema.qualified(name), catalog.unusedName(for: name))
    // 1. What goes with the old table: read from the catalog, which is in the order of creation.
    let replaced = Set(rebuild.indexes.map { $0.name.asciiLowercased })
    let companions = try companions(of: folded).filter {
      !($0.kind == .index && replaced.contains($0.name.asciiLowercased))
    }
    // The old table is about to bear another name than its own constraints may use.
    let unqualified = table.object.sql.flatMap { TableRenaming.unqualified($0, table: folded) }
    try edit((unqualified.map { [(table.object, $0)] } ?? []) + unqualifiedIndexes(of: folded))
    // 2. Renaming must leave references, triggers and views alone.
    try setLegacyAlterTable(true)
    // 3. The old table steps aside.
    emit("ALTER TABLE \(new) RENAME TO \(SQLSpelling.identifier(old))")
    // 4. The new one takes its place.
    emit(creation(rebuild.text.text))
    // 5. The rows, with their numbers.
    copyRows(rebuild, from: old)
    // 6. The counter of used ids stays, whatever was deleted (https://www.sqlite.org/autoinc.html).
    if table.text.isAutoincrement, rebuild.text.isAutoincrement {
      let (newText, oldText) = (SQLSpelling.text(name), SQLSpelling.text(old))
      emit("DELETE FROM \(schema.prefix).sqlite_sequence WHERE name = \(newText)")
      emit(
        "INSERT INTO \(schema.prefix).sqlite_sequence(name, seq) SELECT \(newText), seq"
          + " FROM \(schema.prefix).sqlite_sequence"
          + " WHERE name = \(oldText)")
    }
    // 7. The old table goes, and with it its indexes and triggers, temporary ones too. Statistics bear the table's
    //    name, which renaming did not change in them, and stay.
    emit("DROP TABLE \(schema.qualified(old))")
    // 8. Indexes and triggers return, in their order.
    for object in companions where object.kind == .index { emit(creation(of: object)) }
    for index in rebuild.indexes { emit(index.createSQL(isTemporary: false)) }
    for object in companions where object.kind == .trigger { emit(creation(of: object)) }
    // 9. The setting of step 2 goes back.
    try restoreLegacyAlterTable()
    catalog.moveToEnd(of: table.object, sql: rebuild.text.text, companions: companions, indexes: rebuild.indexes)
    // 10. What the schema has now is compared with what it has to have.
    let names = [table.object.name] + companions.filter { !$0.isTemporary }.map(\.name)
    emit(catalog.assertion(about: names, in: schema))
  }

  private func requireRebuildable(_ rebuild: PendingRebuild) throws(DatabaseError) {
    let table = rebuild.table
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
    if !rebuild.keepsRowIDs,
      let virtual = catalog.objects.first(where: {
        $0.reads(rowIDsOf: table.object.name.asciiLowercased, in: rebuild.text)
      })
    {
      throw refusal(
        "\(virtual.description) finds rows of \"\(table.object.name)\" by their rowids, which would be others",
        remedy: "Drop the virtual table first, and create and fill it anew afterwards.")
    }
    for text in [table.text, rebuild.text] where !text.table.isWithoutRowID && text.rowIDName == nil {
      throw refusal(
        "the columns of \"\(table.object.name)\" hide its rowids, which a rebuild would change",
        remedy: "Create the table anew, copy the rows, drop the old table and rename the new one.")
    }
  }

  private mutating func copyRows(_ rebuild: PendingRebuild, from oldName: String) {
    let (new, old) = (schema.qualified(rebuild.table.object.name), schema.qualified(oldName))
    var columns = rebuild.copied.map { (SQLSpelling.identifier($0.name), $0.expression) }
    // A column that is the rowid by another name carries it; any other table has it beside the columns.
    if let newRowID = rebuild.text.rowIDName, let oldRowID = rebuild.table.text.rowIDName,
      rebuild.text.rowIDColumn.map({ rebuild.sources[$0] == nil }) ?? true
    {
      columns.insert((newRowID, oldRowID), at: 0)
    }
    let names = columns.map(\.0).joined(separator: ", ")
    let values = columns.map(\.1).joined(separator: ", ")
    plan.diagnoses += diagnoses(of: rebuild, old: old)
    // OR ABORT overrides the table's own ON CONFLICT clauses, by which rows could be left out silently.
    // Where rows get new numbers, they get them in the order in which they stand, whatever index would cover them.
    let order = rebuild.table.text.rowOrder.map { " ORDER BY \($0)" } ?? ""
    emit("INSERT OR ABORT INTO \(new)(\(names)) SELECT \(values) FROM \(old)\(order)")
    // SQL has no assertion: the absolute value of the smallest integer is an error, which undoes all.
    emit(
      "SELECT CASE WHEN (SELECT count(*) FROM \(new)) = (SELECT count(*) FROM \(old)) THEN 'all rows were copied'"
        + " ELSE abs(-9223372036854775807 - 1) END")
    guard rebuild.verifies else { return }
    let kept = zip(rebuild.copied, columns.suffix(rebuild.copied.count)).filter {
      !rebuild.mapped.contains($0.0.name.asciiLowercased)
    }.map(\.1)
    let key = columns.count > rebuild.copied.count ? [columns[0]] : []
    let (before, after) = ((key + kept).map(\.1), (key + kept).map(\.0))
    emit(Self.equality(of: before, in: old, and: after, in: new))
  }

  /// A statement that fails unless two tables hold the same values, of the same storage classes.
  private static func equality(
    of before: [String], in old: String, and after: [String], in new: String
  ) -> String {
    let sides = [(before, old), (after, new)].map { names, table in
      "SELECT \(names.flatMap { ["\($0) COLLATE BINARY", "typeof(\($0))"] }.joined(separator: ", ")) FROM \(table)"
    }
    return "SELECT CASE WHEN EXISTS (\(sides[0]) EXCEPT \(sides[1])) OR EXISTS (\(sides[1]) EXCEPT \(sides[0]))"
      + " THEN abs(-9223372036854775807 - 1) ELSE 'all values are as they were' END"
  }
}

extension SchemaCatalog {
  /// What a rebuild does to the order of creation.
  mutating func moveToEnd(of table: Object, sql: String, companions: [Object], indexes: [NewIndexDescription]) {
    var moved = [table] + companions.filter { $0.kind == .index }
    moved[0].sql = sql
    moved += indexes.map { index in
      Object(
        kind: .index, name: index.name, tableName: table.name, sql: index.createSQL(isTemporary: false),
        isTemporary: false)
    }
    moved += companions.filter { $0.kind == .trigger }
    // Triggers have names of their own: one may be called like a table.
    objects.removeAll { object in
      moved.contains { $0.kind == object.kind && $0.name == object.name && $0.isTemporary == object.isTemporary }
    }
    objects += moved
  }

  /// A statement that fails unless objects are as they are here, and as many as there are.
  ///
  /// Texts are compared as they are stored; the engine itself rewrites the beginning of each.
  func assertion(about names: [String], in schema: SchemaName) -> String {
    let kept = objects.filter { !$0.isTemporary && $0.sql != nil }
    let expected = kept.filter { names.contains($0.name) }.map { object in
      "name = \(SQLSpelling.text(object.name)) AND type = '\(object.kind.rawValue)'"
        + " AND tbl_name = \(SQLSpelling.text(object.tableName))"
        + (object.kind == .table ? " AND sql = \(SQLSpelling.text(object.sql ?? ""))" : "")
    }
    let conditions = expected.map { "EXISTS (SELECT 1 FROM \(schema.definitions) WHERE \($0))" }
    let count =
      "(SELECT count(*) FROM \(schema.definitions) WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~') = "
      + "\(kept.filter { !$0.name.asciiLowercased.hasPrefix("sqlite_") }.count)"
    return "SELECT CASE WHEN \(([count] + conditions).joined(separator: " AND ")) THEN 'the schema is as it has to be'"
      + " ELSE abs(-9223372036854775807 - 1) END"
  }
}
