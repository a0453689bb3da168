internal import CSQLite
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

/// Copies a whole database into a file that is empty, which gets another form.
///
/// First by the engine's own export, the fastest way: it alone may declare to the engine that rows come in their order
/// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export). What that loses is put back: the order of the
/// objects, rowids, the database's settings. Where it fails, or leaves something out, the copy is made object by object
/// as VACUUM does it (https://www.sqlite.org/lang_vacuum.html): rows move as whole records there, too, where the engine
/// can do that (https://www.sqlite.org/src/doc/trunk/src/insert.c, xferOptimization).
struct DatabaseCopier {
  private static let schema = "conversion_copy"
  /// The connection, whose main database is copied.
  let connection: EngineConnection
  let target: any FileForm
  let monitor: ConversionMonitor

  /// A row of the schema table (https://www.sqlite.org/schematab.html).
  private struct Object {
    let type: String
    let name: String
    let tableName: String
    let sql: String?
    /// Whether it has pages of its own; views, triggers and virtual tables have none.
    let isStored: Bool
  }

  func run(into copy: ConversionCopy) throws(DatabaseError) {
    let pages = max(try connection.integer("PRAGMA main.page_count") ?? 0, 1)
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 4096
    monitor.reach(.copying, 0, of: pages)
    let attach = try connection.ownStatement("ATTACH ? AS \(Self.schema) KEY ''")
    // With an empty key: the key comes by a call of its own, and is in no statement that could be logged or traced.
    try attach.bind(.text(copy.path), at: 0)
    _ = try attach.step()
    try target.prepare(Self.schema, attachedTo: connection)
    monitor.watch(connection) { [monitor] in
      monitor.reach(.copying, min(copy.size / pageSize, pages - 1), of: pages)
    }
    try copyDatabase()
    monitor.unwatch(connection)
    attach.reset()
    try connection.execute("DETACH \(Self.schema)")
    monitor.reach(.copying, pages, of: pages)
  }

  private func copyDatabase() throws(DatabaseError) {
    try prepare()
    let objects = try objects()
    try connection.begin(.deferred)
    if try !exportAll(objects) {
      try connection.rollback()
      try connection.begin(.deferred)
      try copyAll(objects)
    }
    // The last of them makes a first page where there is nothing else to be copied.
    try connection.execute("PRAGMA \(Self.schema).application_id = \(connection.applicationID())")
    try connection.execute("PRAGMA \(Self.schema).user_version = \(connection.userVersion())")
    try connection.commit()
  }

  /// Copies all by the engine's export, and returns whether it is whole.
  ///
  /// What kept it from being so, the other way reports by a better error than the export, whose errors are all alike.
  private func exportAll(_ objects: [Object]) throws(DatabaseError) -> Bool {
    do throws(DatabaseError) {
      try connection.execute("SELECT sqlcipher_export('\(Self.schema)')")
      let master = "\(Self.schema).sqlite_master"
      guard try connection.integer("SELECT count(*) FROM \(master)") == Int64(objects.count) else { return false }
      // The order in which the engine reads the objects, and shows them, is that of their rowids.
      try connection.execute("UPDATE \(master) SET rowid = -rowid")
      for (index, object) in objects.enumerated() {
        try connection.execute(
          """
          UPDATE \(master) SET rowid = \(index + 1)
          WHERE rowid < 0 AND type = \(object.type.quotedText) AND name = \(object.name.quotedText)
          """)
        guard connection.changesCount == 1 else { return false }
      }
      for table in objects where table.type == "table" && table.isStored { try restoreRowIDs(of: table.name) }
      return true
    } catch {
      guard error.condition != .interrupted else { throw error }
      return false
    }
  }

  /// Copies the rows of a table again when the export has renumbered them.
  ///
  /// Renumbered rows have the numbers from 1 through their count. When the smallest and the largest are those of the
  /// original then, the original has no others between, since they are different.
  private func restoreRowIDs(of table: String) throws(DatabaseError) {
    guard try connection.hasRowID(table),
      let rowID = try SQLIdentifier.rowIDName(besides: (connection.columns(in: table) ?? []).map(\.name))
    else { return }
    let name = table.quotedIdentifier
    var ends: [[Int64?]] = []
    for schema in ["main", Self.schema] {
      ends.append([
        try connection.integer("SELECT min(\(rowID)) FROM \(schema).\(name)"),
        try connection.integer("SELECT max(\(rowID)) FROM \(schema).\(name)"),
      ])
    }
    guard ends[0] != ends[1] else { return }
    try connection.execute("DELETE FROM \(Self.schema).\(name)")
    try copyRows(of: table)
  }

  private func copyAll(_ objects: [Object]) throws(DatabaseError) {
    for object in objects { try create(object) }
    for table in objects where table.type == "table" && table.isStored && table.name != "sqlite_sequence" {
      try copyRows(of: table.name)
    }
    if objects.contains(where: { $0.name == "sqlite_sequence" }) {
      // Filling tables with AUTOINCREMENT has put rows into it.
      try connection.execute("DELETE FROM \(Self.schema).sqlite_sequence")
      try copyRows(of: "sqlite_sequence")
    }
  }

  private func prepare() throws(DatabaseError) {
    let handle = try connection.openHandle()
    // Engines that do not know the first option have nothing to switch off; without triggers being switched off, none
    // would run either, since none is known before the database is opened again.
    for option in [SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_ENABLE_TRIGGER] { handle.set(option, to: false) }
    let autoVacuum = try connection.integer("PRAGMA main.auto_vacuum") ?? 0
    // Nothing of the copy counts before it is whole and written to the disk, which happens at once and not here.
    try connection.execute(
      """
      PRAGMA writable_schema = 1; PRAGMA ignore_check_constraints = 1;
      PRAGMA \(Self.schema).auto_vacuum = \(autoVacuum);
      PRAGMA \(Self.schema).synchronous = 0; PRAGMA \(Self.schema).journal_mode = MEMORY
      """)
  }

  private func objects() throws(DatabaseError) -> [Object] {
    var objects: [Object] = []
    try connection.forEachRow("SELECT type, name, tbl_name, sql, rootpage FROM main.sqlite_master ORDER BY rowid") {
      (row: any DatabaseStatement) throws(DatabaseError) in
      objects.append(
        Object(
          type: row.text(at: 0), name: row.text(at: 1), tableName: row.text(at: 2),
          sql: row.valueKind(at: 3) == .null ? nil : row.text(at: 3), isStored: row.integer(at: 4) != 0))
    }
    return objects
  }

  // MARK: - Schema

  /// Creates an object under its name, in its order, by its own text.
  private func create(_ object: Object) throws(DatabaseError) {
    // What has no text belongs to a table and comes with it.
    guard let sql = object.sql else { return }
    guard object.isStored else { return try insertRow(of: object, sql: sql) }
    // A table with AUTOINCREMENT may have brought the table of the counters already.
    let isThere = "SELECT 1 FROM \(Self.schema).sqlite_master WHERE name = 'sqlite_sequence'"
    if object.name == "sqlite_sequence", try connection.integer(isThere) != nil { return }
    // The engine keeps texts as CREATE TABLE name and CREATE UNIQUE INDEX name, without the name of a schema.
    let source = SQLSource(sql)
    let place = source.tokens.first { $0.isWord(object.type) }?.range.upperBound
    guard let place else { throw connection.error(.corrupt, "the definition of \(object.name) is none", sql: sql) }
    try connection.execute(source.replacing([(place..<place, " \(Self.schema).")]))
  }

  /// Writes a row into the schema table as it is: a view may be broken, the module of a virtual table may be missing, and
  /// creating it would make its shadow tables.
  private func insertRow(of object: Object, sql: String) throws(DatabaseError) {
    let statement = try connection.ownStatement(
      "INSERT INTO \(Self.schema).sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)")
    for (index, text) in [object.type, object.name, object.tableName, sql].enumerated() {
      try statement.bind(.text(text), at: index)
    }
    _ = try statement.step()
  }

  // MARK: - Rows

  /// Copies the rows of a table with their rowids, whether a column stands for them or not.
  private func copyRows(of table: String) throws(DatabaseError) {
    let name = table.quotedIdentifier
    let hasRowID = try connection.hasRowID(table)
    // OR ABORT overrides what the table's own constraints say about conflicts, which could leave rows out.
    let whole = "INSERT OR ABORT INTO \(Self.schema).\(name) SELECT * FROM main.\(name)"
    let operations = try operations(of: whole)
    let movesRecords = operations.contains("RowData") || operations.contains("RowCell")
    // With the rowids of the records.
    if movesRecords, !hasRowID || operations.contains("Rowid") { return try connection.execute(whole) }
    let columns = try connection.columns(in: table) ?? []
    let rowID = hasRowID ? SQLIdentifier.rowIDName(besides: columns.map(\.name)) : nil
    if movesRecords, let rowID, try numbersRowsAlike(whole, name, rowID) { return }
    let list = ([rowID] + columns.filter { !$0.isGenerated }.map { $0.name.quotedIdentifier }).compactMap(\.self)
      .joined(separator: ", ")
    try connection.execute(
      "INSERT OR ABORT INTO \(Self.schema).\(name) (\(list)) SELECT \(list) FROM main.\(name) NOT INDEXED")
  }

  /// The names of the operations that a statement is compiled to (https://www.sqlite.org/opcode.html); none when it
  /// cannot be compiled.
  private func operations(of sql: String) throws(DatabaseError) -> Set<String> {
    var operations: Set<String> = []
    do throws(DatabaseError) {
      try connection.forEachRow("EXPLAIN \(sql)") { (row: any DatabaseStatement) throws(DatabaseError) in
        operations.insert(row.text(at: 1))
      }
    } catch {
      // Generated columns are counted by one side of the statement only.
      guard error.condition == .statement else { throw error }
      return []
    }
    return operations
  }

  /// Copies a table whose rows the engine moves as whole records, but renumbers, if that gives them their own numbers:
  /// those of a table that no row was ever deleted from.
  ///
  /// Otherwise it copies nothing and returns false.
  private func numbersRowsAlike(_ whole: String, _ name: String, _ rowID: String) throws(DatabaseError) -> Bool {
    guard try connection.integer("SELECT min(\(rowID)) FROM main.\(name)") ?? 1 == 1 else { return false }
    let last = try connection.integer("SELECT max(\(rowID)) FROM main.\(name)") ?? 0
    try connection.execute(whole)
    // The numbers are different and end with as many as there are rows, so that they are all numbers up to that.
    guard Int64(connection.changesCount) != last else { return true }
    try connection.execute("DELETE FROM \(Self.schema).\(name)")
    return false
  }
}
