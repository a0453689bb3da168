package import Migrator

extension EngineConnection {
  /// The violations of foreign keys in one table of the main schema, or in all of them, found one at a time.
  package func foreignKeyViolations(
    in table: String?
  ) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation? {
    // With the schema's name: without it, a temporary table of the same name would be checked instead
    // (https://www.sqlite.org/pragma.html#pragma_foreign_key_check).
    let argument = table.map { "(\(SQLQuote.name($0)))" } ?? ""
    guard let statement = try prepareStatement("PRAGMA main.foreign_key_check\(argument)", utf8Offset: 0).0 else {
      return { () throws(DatabaseError) in nil }
    }
    var hasRowIDs: [String: Bool] = [:]
    var isDone = false
    return { [self] () throws(DatabaseError) in
      // A statement that is done would start anew.
      guard !isDone, try statement.step() else {
        isDone = true
        statement.reset()
        return nil
      }
      let origin = statement.text(at: 0)
      if hasRowIDs[origin] == nil { hasRowIDs[origin] = try hasRowID(origin) }
      // Old engines give some number for tables without rowids.
      let hasRowID = hasRowIDs[origin] == true
      return ForeignKeyViolation(
        originTable: origin,
        originRowID: hasRowID && statement.valueKind(at: 1) != .null ? statement.integer(at: 1) : nil,
        destinationTable: statement.text(at: 2), foreignKeyId: Int(statement.integer(at: 3)))
    }
  }

  /// Whether the rows of a table of the main schema have rowids.
  ///
  /// The primary key of a WITHOUT ROWID table is the table itself: it is listed as an index, and has no row in the schema
  /// (https://www.sqlite.org/withoutrowid.html#determining_if_an_existing_table_is_without_rowid, whose shorter way needs
  /// version 3.30).
  func hasRowID(_ table: String) throws(DatabaseError) -> Bool {
    var primaryKey: String?
    try forEachRow("PRAGMA main.index_list(\(SQLQuote.name(table)))") { (row: EngineStatement) throws(DatabaseError) in
      if row.text(at: 3) == "pk" { primaryKey = row.text(at: 1) }
    }
    guard let primaryKey else { return true }
    let sql = "SELECT count(*) FROM main.sqlite_master WHERE type = 'index' AND name = \(SQLQuote.text(primaryKey))"
    return try integer(sql) != 0
  }
}
