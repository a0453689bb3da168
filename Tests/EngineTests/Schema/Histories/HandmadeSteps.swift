import Migrator

/// A change made with SQLite's own procedure, written by hand from the model.
///
/// Source: https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes, with the details
/// that it leaves to the reader: rowids, counters, and conflict clauses that would skip rows.
struct HandmadeSteps {
  let change: ModelChange
  let old: ModelSchema
  let db: Database

  private var new: ModelSchema { change.schema }

  /// Makes the change; foreign keys are not enforced, which is step 1.
  func run() throws {
    // 2. A transaction.
    try db.execute(sql: "BEGIN IMMEDIATE")
    do {
      try steps()
      // 11. The end of the transaction.
      try db.execute(sql: "COMMIT")
    } catch {
      // The engine may have rolled back already.
      if db.isInsideTransaction { try db.execute(sql: "ROLLBACK") }
      throw error
    }
  }

  /// Makes the change and rolls it back.
  func runInVain() throws {
    try db.execute(sql: "BEGIN IMMEDIATE")
    defer {
      // An error does not matter here; the next statement would fail.
      if db.isInsideTransaction { try? db.execute(sql: "ROLLBACK") }
    }
    try steps()
  }

  private func steps() throws {
    // 3. and 9. Objects that may refer to the table are dropped first, since renaming would fail on them; the model has
    // them.
    for object in old.objects.reversed() {
      let kind = object.isView ? "VIEW" : object.isIndex ? "INDEX" : "TRIGGER"
      try db.execute(sql: "DROP \(kind) \"\(object.name)\"")
    }
    for table in old.tables where !new.tables.contains(where: { $0.number == table.number }) {
      try db.execute(sql: old.text("DROP TABLE \(name: table.number)"))
    }
    for table in new.tables {
      guard let before = old.tables.first(where: { $0.number == table.number }) else {
        try db.execute(sql: new.createSQL(table))
        continue
      }
      if old.createSQL(before) != new.createSQL(table)
        || !change.sources.keys.allSatisfy({ key in
          !table.columns.contains { $0.number == key }
        })
      {
        try rebuild(before, as: table)
      }
    }
    // 8. and 9. Recreates indexes, views and triggers as the model now has them.
    for object in new.objects { try db.execute(sql: new.text(object.sql)) }
  }

  private func rebuild(_ before: ModelTable, as table: ModelTable) throws {
    let between = "new_of_\(table.number)"
    let keepsCounter = before.isAutoincrement && table.isAutoincrement
    let counter = keepsCounter ? try self.counter(of: before) : nil
    // 4. The new table.
    try db.execute(sql: new.createSQL(table, as: between))
    // 5. The rows.
    try copyRows(before, table, between)
    // 6. Drops the old table.
    try db.execute(sql: old.text("DROP TABLE \(name: table.number)"))
    // 7. Renames the new one.
    try db.execute(sql: "ALTER TABLE \(between) RENAME TO \(new.text("\(name: table.number)"))")
    guard keepsCounter else { return }
    let name = new.name(table.number)
    // Copying no rows starts the counter, too.
    try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [name])
    guard let counter else { return }
    try db.execute(sql: "INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", arguments: [name, counter])
  }

  private func copyRows(_ before: ModelTable, _ table: ModelTable, _ between: String) throws {
    var columns: [(name: String, source: String)] = []
    for column in table.ordinary where !change.added.contains(column.number) {
      columns.append((new.text("\(name: column.number)"), old.text(source(of: column, before[column: column.number]))))
    }
    let carriesRowID = table.rowIDColumn.map { change.added.contains($0) } ?? true
    if !before.isWithoutRowID, !table.isWithoutRowID, carriesRowID { columns.insert(("rowid", "rowid"), at: 0) }
    let names = columns.map(\.name).joined(separator: ", ")
    let sources = columns.map(\.source).joined(separator: ", ")
    try db.execute(
      sql: "INSERT OR ABORT INTO \(between)(\(names)) SELECT \(sources) FROM \(old.text("\(name: table.number)"))"
        + " ORDER BY \(before.isWithoutRowID ? old.text("\(before.key.map(\.sql))") : "rowid")")
  }

  /// Returns the source of a column's values: NULL becomes the default if the column is NOT NULL from now on.
  private func source(of column: ModelColumn, _ before: ModelColumn) -> ModelSQL {
    if let source = change.sources[column.number] { return source }
    guard column.isNotNull, !before.isNotNull, let value = column.defaultValue else { return "\(name: column.number)" }
    return "ifnull(\(name: column.number), \(raw: value))"
  }

  /// Returns the counter; engines keep NULL for a table into which nothing has been copied.
  private func counter(of table: ModelTable) throws -> DatabaseValue? {
    try DatabaseValue.fetchOne(
      db, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [old.name(table.number)])
  }
}
