internal import SQLSyntax

/// A table of a backup whose rows can be restored.
struct RestorableTable {
  let table: SchemaObject
  /// The table in the rebuilt database, perhaps with another name.
  let now: SchemaObject
  /// The columns to copy, by their old and new names; nil to copy all columns, if the definition is unchanged.
  var columns: [(old: String, new: String)]?
  var lostColumns: [String] = []
  var changedValues: [String: Int] = [:]
  /// The storage of a virtual table's rows; nil for an ordinary table.
  let storage: VirtualTableStorage?
  var replacesInserted = false
  var name: String { table.name }
}

/// The choice of the tables and columns whose rows are restored from a backup to the rebuilt database.
struct RestorableTables {
  let ownTables: Set<String>
  let made: (before: RowDigests?, now: RowDigests)
  let renames: SchemaRenames

  /// Returns the tables whose rows can be restored, in the order of their creation, and the outcomes for the other
  /// tables.
  func tables(
    of source: Database, in db: Database
  ) throws -> (tables: [RestorableTable], others: [KeptRows.Outcome]) {
    let old = try source.connection.schema()
    let new = try db.connection.schema()
    var tables: [RestorableTable] = []
    var others: [KeptRows.Outcome] = []
    for table in old.objects
    where table.kind == .table && !table.isShadow && !ownTables.contains(table.name.asciiLowercased) {
      let storage = table.isVirtual ? VirtualTableStorage(of: table.name, among: old.objects) : nil
      // A virtual table that does not store rows has none to lose.
      if let storage, storage.parts.isEmpty { continue }
      do {
        tables.append(try candidate(table, storage, new, source, db))
      } catch let change as Change {
        // An empty table has lost nothing, nor has one with only the rows that the migrations inserted.
        let count = try source.rowCount(of: table)
        let isLoss = try count != 0 && made.before?.areAllRows(of: table.name, in: source) != true
        others.append(
          isLoss
            ? KeptRows.Outcome(table: table.name, reason: change.reason, lostRows: count)
            : KeptRows.Outcome(table: table.name, rows: 0))
      }
    }
    return (tables, others)
  }

  /// Returns a table as a candidate for the restoration of its rows; throws the reason if they cannot be restored.
  private func candidate(
    _ table: SchemaObject, _ storage: VirtualTableStorage?, _ new: SchemaSnapshot, _ source: Database, _ db: Database
  ) throws -> RestorableTable {
    let newName = renames.tables.first { $0.key.isSameName(as: table.name) }?.value ?? table.name
    guard let now = new.object(.table, named: newName) ?? new.object(.table, named: table.name) else {
      throw Change("the table no longer exists\(KeptRows.renameAdvice)")
    }
    var candidate = RestorableTable(table: table, now: now, storage: storage)
    if now.name != table.name || !now.hasSameDefinition(as: table) {
      guard !table.isVirtual, !now.isVirtual else { throw Change("the table's definition changed") }
      try matchColumns(of: &candidate, source, db)
    }
    // Another version of the module may store the rows in other tables.
    guard storage?.parts == storage.map({ _ in VirtualTableStorage(of: now.name, among: new.objects).parts }) else {
      throw Change("the table now stores them elsewhere")
    }
    try compareInserted(&candidate, source, db)
    return candidate
  }

  /// Compares the rows that the migrations inserted before with those that they insert now.
  private func compareInserted(_ candidate: inout RestorableTable, _ source: Database, _ db: Database) throws {
    let (table, storage) = (candidate.table, candidate.storage)
    guard storage != nil || made.before?.knows(table.name) ?? false else {
      if try db.rowCount(of: candidate.now) == 0 { return }
      if try candidate.columns == nil && isSuperset(source, table.name, of: db) { return }
      // Only rows that may have been typed replace the inserted ones.
      if try source.rowCount(of: table) == 0 { throw Change("it had no rows") }
      candidate.replacesInserted = true
      return
    }
    let parts = storage?.parts ?? [table.name]
    if parts.contains(where: { made.before?.hasChanged($0, in: made.now) ?? false }) {
      throw Change("the migrations or the seed file now insert different rows")
    }
  }

  /// Returns whether a table of the backup has each row that the migrations inserted into it, except for the time.
  private func isSuperset(_ source: Database, _ table: String, of db: Database) throws -> Bool {
    let times = made.now.tables[table.asciiLowercased]?.timeColumns ?? []
    func comparable(_ row: Row) -> [DatabaseValue] {
      row.databaseValues.enumerated().compactMap { times.contains($0) ? nil : $1 }
    }
    let sql = "SELECT * FROM main.\(table.quotedIdentifier)"
    // Only the app has a collation or a function that the table may use.
    return try DatabaseError.ifPossible {
      var missing = Set(try Row.fetchAll(db, sql: sql).map(comparable))
      let rows = try Row.fetchCursor(source, sql: sql)
      while !missing.isEmpty, let row = try rows.next() { missing.remove(comparable(row)) }
      return missing.isEmpty
    } ?? false
  }

  /// Finds the columns that both definitions have, and those that were renamed.
  private func matchColumns(of candidate: inout RestorableTable, _ source: Database, _ db: Database) throws {
    let old = try source.columns(in: candidate.name)
    let new = try db.columns(in: candidate.now.name).filter { !$0.isGenerated }
    let renamed = renames.columns.first { $0.key.isSameName(as: candidate.name) }?.value ?? [:]
    var columns: [(old: String, new: String)] = []
    for column in old {
      let name = renamed.first { $0.key.isSameName(as: column.name) }?.value ?? column.name
      // A rename that has not been made yet, or that was undone, does not count.
      if let target = new.first(where: { $0.name.isSameName(as: name) })
        ?? new.first(where: { $0.name.isSameName(as: column.name) })
      {
        columns.append((column.name, target.name))
        let count = try source.valuesChanged(in: column, of: candidate.name, asIn: target)
        if count > 0 { candidate.changedValues[column.name] = count }
      } else if try !column.isGenerated && source.hasValue(in: column.name, of: candidate.name) {
        candidate.lostColumns.append(column.name)
      }
    }
    guard !columns.isEmpty else { throw Change("no column of the table remains") }
    for column in new where !columns.contains(where: { $0.new == column.name }) {
      if column.primaryKeyIndex > 0 { throw Change("the table's primary key changed") }
      if column.isNotNull, column.defaultValueSQL == nil {
        throw Change("its new column \"\(column.name)\" is NOT NULL and has no default")
      }
    }
    candidate.columns = columns
  }

  /// The reason why the rows of a table cannot be restored.
  private struct Change: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }
}

extension Database {
  fileprivate func hasValue(in column: String, of table: String) throws -> Bool {
    try Bool.fetchOne(
      self,
      sql: "SELECT EXISTS (SELECT * FROM main.\(table.quotedIdentifier) WHERE \(column.quotedIdentifier) IS NOT NULL)")
      ?? false
  }

  /// Returns the number of texts in a column that a new type changes into numbers that are written in another way, such as
  /// `'007'` into 7 and `'1.50'` into 1.5, and of integers that have no exact REAL
  /// (https://www.sqlite.org/datatype3.html#type_affinity).
  fileprivate func valuesChanged(
    in column: ColumnDescription, of table: String, asIn now: ColumnDescription
  ) throws -> Int {
    // In a STRICT table, ANY converts nothing (https://www.sqlite.org/stricttables.html).
    guard !column.isGenerated, now.affinity != column.affinity, ![.text, .blob].contains(now.affinity),
      now.declaredType.asciiLowercased != "any"
    else { return 0 }
    // The connection may lack the column's collation.
    let value = "\(column.name.quotedIdentifier) COLLATE BINARY"
    // Compared with a number, a text that looks like one is converted as it is when it is stored.
    return try Int.fetchOne(
      self,
      sql: """
        SELECT count(*) FROM main.\(table.quotedIdentifier) WHERE typeof(\(value)) = 'text'
          AND CAST(\(value) AS NUMERIC) = \(value)
          AND \(value) <> CAST(CAST(\(value) AS NUMERIC) AS TEXT) AND \(value) <> CAST(CAST(\(value) AS REAL) AS TEXT)
          OR \(now.affinity == .real ? 1 : 0) AND typeof(\(value)) = 'integer' AND CAST(CAST(\(value) AS REAL) AS INTEGER) <> \(value)
        """) ?? 0
  }
}
