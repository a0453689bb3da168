internal import CSQLiteLoader
internal import Migrator
internal import SQLSyntax
internal import SQLiteDialect

/// A copier of a whole database into an empty file of another form, such as an encrypted one.
///
/// It first uses SQLCipher's own export, which is fastest, because only the export can declare that rows arrive in
/// order (https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlcipher_export). It then restores what the export loses:
/// the order of the objects, rowids and the database's settings. If the export fails or omits something, it copies
/// object by object, as VACUUM does (https://www.sqlite.org/lang_vacuum.html); in this case, too, the engine copies
/// whole records if it can (https://www.sqlite.org/src/doc/trunk/src/insert.c, xferOptimization).
struct DatabaseCopier {
  private static let schema = "conversion_copy"
  let connection: EngineConnection
  let target: any FileForm
  let monitor: ConversionMonitor

  func run(into copy: ConversionCopy) throws(DatabaseError) {
    let pages = max(try connection.integer("PRAGMA main.page_count") ?? 0, 1)
    let pageSize = try connection.integer("PRAGMA main.page_size") ?? 4096
    monitor.reach(.copying, 0, of: pages)
    try copy.confirmPath()
    let attach = try connection.ownStatement("ATTACH ? AS \(Self.schema) KEY ''")
    // The key is empty here; a separate call sets the real key, so that it is in no statement that could be logged or
    // traced.
    try attach.bind(.text(copy.path), at: 0)
    _ = try attach.step()
    try copy.confirmPath(openedBy: connection, as: Self.schema)
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
    let objects = try connection.schemaObjects()
    let count = try connection.integer("SELECT count(*) FROM main.sqlite_master")
    guard count == Int64(objects.count) else {
      throw connection.error(.corrupt, "the schema has an object of an unknown kind")
    }
    try connection.begin(.deferred)
    if try !exportAll(objects) {
      // SQLCipher 3 hides the export's changes of the schema: without one that is not hidden, the engine would keep the parsed
      // definitions after the rollback. If it fails, the first table that is created again reports it.
      _ = try? connection.execute("CREATE TABLE \(Self.schema).migrator_reload (a)")
      try connection.rollback()
      try connection.begin(.deferred)
      try copyAll(objects)
    }
    // The last of these statements creates a first page even if there is nothing to copy.
    try connection.execute("PRAGMA \(Self.schema).application_id = \(connection.applicationID())")
    try connection.execute("PRAGMA \(Self.schema).user_version = \(connection.userVersion())")
    try connection.commit()
  }

  /// Copies everything with SQLCipher's export; returns whether the copy is complete.
  ///
  /// If the copy is incomplete, the caller copies object by object, whose errors are more specific than the export's.
  private func exportAll(_ objects: [SchemaObject]) throws(DatabaseError) -> Bool {
    do throws(DatabaseError) {
      try connection.execute("SELECT sqlcipher_export('\(Self.schema)')")
      let master = "\(Self.schema).sqlite_master"
      guard try connection.integer("SELECT count(*) FROM \(master)") == Int64(objects.count) else { return false }
      // The engine reads and lists the objects in the order of their rowids in `sqlite_schema`.
      try connection.execute("UPDATE \(master) SET rowid = -rowid")
      for (index, object) in objects.enumerated() {
        try connection.execute(
          """
          UPDATE \(master) SET rowid = \(index + 1)
          WHERE rowid < 0 AND type = '\(object.kind.rawValue)' AND name = \(object.name.quotedText)
          """)
        guard connection.changesCount == 1 else { return false }
      }
      for table in objects where table.kind == .table && !table.isVirtual { try restoreRowIDs(of: table.name) }
      return true
    } catch {
      guard !error.concernsEverything else { throw error }
      return false
    }
  }

  /// Copies the rows of a table again if the export has changed their rowids.
  ///
  /// The export numbers the rows from 1 to their count. If the original's rowids have the same minimum and maximum,
  /// they are exactly these numbers, since rowids are distinct; the export has then changed none.
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

  private func copyAll(_ objects: [SchemaObject]) throws(DatabaseError) {
    for object in objects { try create(object) }
    for table in objects where table.kind == .table && !table.isVirtual && table.name != "sqlite_sequence" {
      try copyRows(of: table.name)
    }
    if objects.contains(where: { $0.name == "sqlite_sequence" }) {
      // Copying the rows of tables with AUTOINCREMENT has inserted rows into it.
      try connection.execute("DELETE FROM \(Self.schema).sqlite_sequence")
      try copyRows(of: "sqlite_sequence")
    }
  }

  private func prepare() throws(DatabaseError) {
    let handle = try connection.openHandle()
    // Engines without the first option have no trigger setting to switch off. In any case no trigger would run, since
    // the engine does not know the triggers before the database is opened again.
    for option in [SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_ENABLE_TRIGGER] { handle.set(option, to: false) }
    let autoVacuum = try connection.integer("PRAGMA main.auto_vacuum") ?? 0
    // The copy is synced once, when it is complete; it needs no protection from crashes before that.
    try connection.execute(
      """
      PRAGMA writable_schema = 1; PRAGMA ignore_check_constraints = 1;
      PRAGMA \(Self.schema).auto_vacuum = \(autoVacuum);
      PRAGMA \(Self.schema).synchronous = 0; PRAGMA \(Self.schema).journal_mode = MEMORY
      """)
  }

  // MARK: - Schema

  private func create(_ object: SchemaObject) throws(DatabaseError) {
    // An object without text, such as an automatic index, is created with its table.
    guard let sql = object.sql else { return }
    let isStored = object.kind == .index || object.kind == .table && !object.isVirtual
    guard isStored else { return try insertRow(of: object, sql: sql) }
    // An earlier table with AUTOINCREMENT may already have created `sqlite_sequence`.
    let isThere = "SELECT 1 FROM \(Self.schema).sqlite_master WHERE name = 'sqlite_sequence'"
    if object.name == "sqlite_sequence", try connection.integer(isThere) != nil { return }
    // The engine stores texts that begin with CREATE TABLE name or CREATE UNIQUE INDEX name, without a schema name.
    let source = SQLSource(sql)
    let place = source.tokens.first { $0.isWord(object.kind.rawValue) }?.range.upperBound
    guard let place else { throw connection.error(.corrupt, "the definition of \(object.name) is not valid", sql: sql) }
    do throws(DatabaseError) {
      try connection.execute(source.replacing([(place..<place, " \(Self.schema).")]))
    } catch {
      // The engine opens a file whose definitions use what it lacks, and does not create such an object.
      guard case .missing(let routine, let name, _)? = StatementFault(error) else { throw error }
      throw connection.error(
        .unsupported,
        "the definition of \(object.kind.rawValue) \"\(object.name)\" uses the \(routine.rawValue) \"\(name)\", which this "
          + "library does not have",
        remedy:
          "Convert the file with a library that has it, such as a newer one, or in the program that registers it; or "
          + "change the definition first.", sql: sql)
    }
  }

  /// Inserts an object's row into `sqlite_schema` unchanged, without executing its text: a view may be broken, the
  /// module of a virtual table may be missing, and creating a virtual table would also create its shadow tables.
  private func insertRow(of object: SchemaObject, sql: String) throws(DatabaseError) {
    let statement = try connection.ownStatement(
      "INSERT INTO \(Self.schema).sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)")
    for (index, text) in [object.kind.rawValue, object.name, object.tableName, sql].enumerated() {
      try statement.bind(.text(text), at: index)
    }
    _ = try statement.step()
  }

  // MARK: - Rows

  /// Copies the rows of a table with their rowids, even if no column is an alias of the rowid.
  private func copyRows(of table: String) throws(DatabaseError) {
    let name = table.quotedIdentifier
    let hasRowID = try connection.hasRowID(table)
    // OR ABORT overrides the ON CONFLICT clauses of the table's constraints, which could omit rows.
    let whole = "INSERT OR ABORT INTO \(Self.schema).\(name) SELECT * FROM main.\(name)"
    let operations = try operations(of: whole)
    let movesRecords = operations.contains("RowData") || operations.contains("RowCell")
    // The engine copies the records together with their rowids.
    if movesRecords, !hasRowID || operations.contains("Rowid") { return try connection.execute(whole) }
    let columns = try connection.columns(in: table) ?? []
    let rowID = hasRowID ? SQLIdentifier.rowIDName(besides: columns.map(\.name)) : nil
    let list = ([rowID] + columns.filter { !$0.isGenerated }.map { $0.name.quotedIdentifier }).compactMap(\.self)
      .joined(separator: ", ")
    try connection.execute(
      "INSERT OR ABORT INTO \(Self.schema).\(name) (\(list)) SELECT \(list) FROM main.\(name) NOT INDEXED")
  }

  /// Returns the names of the opcodes of a compiled statement (https://www.sqlite.org/opcode.html); empty if the
  /// statement cannot be compiled.
  private func operations(of sql: String) throws(DatabaseError) -> Set<String> {
    var operations: Set<String> = []
    do throws(DatabaseError) {
      try connection.forEachRow("EXPLAIN \(sql)") { (row: any DatabaseStatement) throws(DatabaseError) in
        operations.insert(row.text(at: 1))
      }
    } catch {
      // `SELECT *` includes generated columns, `INSERT` does not.
      guard error.condition == .statement else { throw error }
      return []
    }
    return operations
  }
}
