import Foundation
import Migrator

/// A complete backend for SQLite 3.37 and newer, with the public API of `Migrator` alone.
struct MinimalEngine: DatabaseBackend {
  /// The path of the database's file; `:memory:` is a database that disappears with its connection.
  let path: String
  var label: String { path }
  var isShared: Bool { path != ":memory:" }
  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try MinimalConnection(path, options)
  }
  func scratch() -> any DatabaseBackend { MinimalEngine(path: ":memory:") }
}

private final class MinimalConnection: DatabaseConnection {
  private(set) var engine = EngineDescription(name: "Minimal", version: "", abilities: [])
  private var database: OpaquePointer?
  fileprivate var statements: Set<OpaquePointer> = []

  init(_ path: String, _ options: ConnectionOptions) throws(DatabaseError) {
    let code = sqlite3_open_v2(
      path, &database, options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    _ = sqlite3_extended_result_codes(database, 1)
    guard code == SQLITE_OK else {
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      guard !exists else { throw error(isFolder.boolValue ? .isDirectory : nil) }
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      throw error(FileManager.default.fileExists(atPath: folder) ? .fileMissing : .folderMissing)
    }
    _ = sqlite3_busy_timeout(database, Int32(clamping: Int(options.busyTimeout / .milliseconds(1))))
    try rows("SELECT count(*) FROM sqlite_master")
    if let mode = options.journalMode { try rows("PRAGMA journal_mode = \(mode.rawValue)") }
    try setEnforcesForeignKeys(options.enforcesForeignKeys)
    engine.version = try rows("SELECT sqlite_version()")[0][0].text
    engine.abilities = [.renameColumn, .dropColumn, .upsert, .returning, .strictTables, .generatedColumns]
    engine.abilities.insert(.windowFunctions)
    let modules = Set(try rows("SELECT name FROM pragma_module_list").map { $0[0].text })
    if modules.contains("fts4") { engine.abilities.insert(.fts4) }
    if modules.contains("fts5") { engine.abilities.insert(.fts5) }
  }

  deinit { close() }
  func close() {
    // An open statement would keep the connection and its transaction open (https://www.sqlite.org/c3ref/close.html).
    for statement in statements { _ = sqlite3_finalize(statement) }
    _ = sqlite3_close(database)
    (statements, database) = ([], nil)
  }

  // sample
  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    let blank = #/(?:[\s;]|--[^\n]*|/\*(?s:.*?)(?:\*/|\z))*/#.matchingSemantics(.unicodeScalar)
    var rest = script[script.utf8.index(script.startIndex, offsetBy: utf8Offset)...]
    // Most statements begin with a letter, and the expression takes longer than many of them.
    if rest.first?.isLetter != true { rest = rest[(rest.prefixMatch(of: blank)?.endIndex ?? rest.startIndex)...] }
    guard !rest.isEmpty else { return Preparation(statement: nil, endOffset: script.utf8.count) }
    // The statement ends at the first semicolon outside of strings, comments and triggers.
    let semicolons = rest.utf8.indices.lazy.filter { rest.utf8[$0] == UInt8(ascii: ";") }
    let end = semicolons.first { sqlite3_complete(String(rest[...$0])) != 0 } ?? rest.endIndex
    let sql = rest[..<end].trimmingCharacters(in: .whitespacesAndNewlines)
    guard !sql.utf8.contains(0) else { throw error(.statement, "the statement contains a NUL character", sql: sql) }
    var statement: OpaquePointer?
    _ = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    guard let statement else { throw error(sql: sql) }
    let endOffset = script.utf8.distance(from: script.startIndex, to: end)
    return Preparation(statement: MinimalStatement(self, statement, sql), endOffset: endOffset)
  }

  /// Runs one statement and returns its rows.
  @discardableResult
  func rows(_ sql: String, _ arguments: DatabaseValue...) throws(DatabaseError) -> [[DatabaseValue]] {
    guard let statement = try prepare(sql, utf8Offset: 0).statement else { return [] }
    for (index, value) in arguments.enumerated() { try statement.bind(value, at: index) }
    var rows: [[DatabaseValue]] = []
    while try statement.step() { rows.append((0..<statement.columnCount).map { .init(statement.value(at: $0)) }) }
    return rows
  }
  // end of sample

  /// Returns SQLite's last error (https://www.sqlite.org/rescode.html), or an error with a given condition.
  func error(_ known: DatabaseError.Condition? = nil, _ message: String? = nil, sql: String? = nil) -> DatabaseError {
    let code = sqlite3_extended_errcode(database)
    let constraints: [Int32: DatabaseError.Constraint] = [
      1: .check, 3: .foreignKey, 5: .notNull, 6: .primaryKey, 7: .trigger, 8: .unique, 10: .rowID, 12: .dataType,
    ]
    let conditions: [Int32: DatabaseError.Condition] = [
      1: .statement, 5: .busy, 8: .readOnly, 10: .inputOutput, 11: .corrupt, 13: .full, 14: .cannotOpen, 25: .misuse,
      19: .constraint(constraints[code >> 8] ?? .other), 20: .typeMismatch, 26: .notADatabase,
    ]
    return DatabaseError(
      known ?? conditions[code & 0xff] ?? .other, engine: engine.name, resultCode: message == nil ? code : nil,
      message: message ?? String(cString: sqlite3_errmsg(database)), sql: sql)
  }

  var isReadOnly: Bool { sqlite3_db_readonly(database, "main") != 0 }
  var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(database) }
  var changesCount: Int { Int(sqlite3_changes(database)) }
  var totalChangesCount: Int { Int(sqlite3_total_changes(database)) }
  func userVersion() throws(DatabaseError) -> Int32 { Int32(try rows("PRAGMA user_version")[0][0].number) }
  func setUserVersion(_ version: Int32) throws(DatabaseError) { try rows("PRAGMA user_version = \(version)") }
  func applicationID() throws(DatabaseError) -> Int32 { Int32(try rows("PRAGMA application_id")[0][0].number) }
  func setApplicationID(_ id: Int32) throws(DatabaseError) { try rows("PRAGMA application_id = \(id)") }

  // Optional abilities, which this engine does not have.
  var interrupter: (any ConnectionInterrupter)? { nil }
  var changeRecorder: (any ChangeRecorder)? { nil }
  var runningReporter: (any RunningReporter)? { nil }
  var storedBytesReader: (any StoredBytesReader)? { nil }
  var stateKeeper: (any ConnectionStateKeeper)? { nil }
  var extender: (any ConnectionExtender)? { nil }

  var isInsideTransaction: Bool { sqlite3_get_autocommit(database) == 0 }
  func begin(_ kind: TransactionKind) throws(DatabaseError) { try rows("BEGIN \(kind.rawValue)") }
  func commit() throws(DatabaseError) { try rows("COMMIT") }
  func rollback() throws(DatabaseError) { if isInsideTransaction { try rows("ROLLBACK") } }
  func dataVersion() throws(DatabaseError) -> Int64? { try rows("PRAGMA data_version")[0][0].number }
  func beginSavepoint(_ name: String) throws(DatabaseError) { try rows("SAVEPOINT \(name.quoted)") }
  func releaseSavepoint(_ name: String) throws(DatabaseError) { try rows("RELEASE \(name.quoted)") }
  func rollbackSavepoint(_ name: String) throws(DatabaseError) {
    try rows("ROLLBACK TO \(name.quoted)")
    try rows("RELEASE \(name.quoted)")
  }
  func enforcesForeignKeys() throws(DatabaseError) -> Bool { try rows("PRAGMA foreign_keys")[0][0].number != 0 }
  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError) {
    try rows("PRAGMA foreign_keys = \(enforced)")
    guard try enforcesForeignKeys() == enforced else { throw error(.misuse, "a transaction is open") }
  }

  func schema(named schema: String?) throws(DatabaseError) -> SchemaSnapshot {
    let master = "\((schema ?? "main").quoted).sqlite_master"
    let query = """
      SELECT type, name, tbl_name, sql, type = 'table' AND rootpage = 0,
        type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_list(m.name) WHERE schema = ? AND type = 'shadow')
      FROM \(master) AS m WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid
      """
    let objects = try rows(query, .text(schema ?? "main")).map { row in
      SchemaObject(
        kind: .init(rawValue: row[0].text) ?? .table, name: row[1].text, tableName: row[2].text,
        sql: .fromDatabaseValue(row[3]), isVirtual: row[4].number != 0, isShadow: row[5].number != 0)
    }
    return SchemaSnapshot(objects: objects)
  }

  func schemaVersion() throws(DatabaseError) -> Int64 { try rows("PRAGMA schema_version")[0][0].number }

  /// Returns the rows of a pragma about a table (https://www.sqlite.org/pragma.html#pragfunc).
  func pragma(_ sql: String, _ table: String?, _ schema: String?) throws(DatabaseError) -> [[DatabaseValue]] {
    // A query notices that another connection has changed the schema; a pragma does not.
    try rows("SELECT 1 FROM \((schema ?? "main").quoted).sqlite_master LIMIT 1")
    return try rows("SELECT \(sql)(?, ?)", table.map { .text($0) } ?? .null, .text(schema ?? "main"))
  }

  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]? {
    let rows = try pragma("name, type, [notnull], dflt_value, pk, hidden FROM pragma_table_xinfo", table, schema)
    let columns = rows.map { row in
      ColumnDescription(
        name: row[0].text, declaredType: row[1].text, isNotNull: row[2].number != 0,
        defaultValueSQL: .fromDatabaseValue(row[3]), primaryKeyIndex: Int(row[4].number),
        isGenerated: row[5].number > 1, isStored: row[5].number == 3, isHidden: row[5].number == 1)
    }
    return columns.isEmpty ? nil : columns
  }

  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription] {
    let query = "id, [table], [from], [to], on_delete, on_update FROM pragma_foreign_key_list"
    let keys = Dictionary(grouping: try pragma(query, table, schema)) { $0[0].number }
    return keys.sorted { $0.key < $1.key }.map { id, rows in
      ForeignKeyDescription(
        id: Int(id), destinationTable: rows[0][1].text, originColumns: rows.map { $0[2].text },
        destinationColumns: rows.filter { !$0[3].isNull }.map { $0[3].text },
        onDelete: .init(rawValue: rows[0][4].text) ?? .noAction, onUpdate: .init(rawValue: rows[0][5].text) ?? .noAction
      )
    }
  }

  func foreignKeyViolations(
    in table: String?
  ) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation? {
    var rows = try pragma("[table], rowid, parent, fkid FROM pragma_foreign_key_check", table, nil).makeIterator()
    return {
      guard let row = rows.next() else { return nil }
      return ForeignKeyViolation(
        originTable: row[0].text, originRowID: .fromDatabaseValue(row[1]), destinationTable: row[2].text,
        foreignKeyId: Int(row[3].number))
    }
  }

  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription] {
    let origins: [String: IndexDescription.Origin] = ["pk": .primaryKey, "u": .uniqueKey]
    let rows = try pragma("name, [unique], origin, partial FROM pragma_index_list", table, schema)
    return try rows.map { (row) throws(DatabaseError) in
      let columns = try pragma("name, coll, [desc], key FROM pragma_index_xinfo", row[0].text, schema)
      return IndexDescription(
        name: row[0].text, table: table, origin: origins[row[2].text] ?? .createIndex, isUnique: row[1].number != 0,
        isPartial: row[3].number != 0,
        columns: columns.filter { $0[3].number != 0 }.map {
          .init(name: .fromDatabaseValue($0[0]), collation: $0[1].text, isDescending: $0[2].number != 0)
        })
    }
  }

  func attachedFiles() throws(DatabaseError) -> [String] {
    try rows("SELECT name FROM pragma_database_list WHERE seq > 1 AND file <> ''").map { $0[0].text }
  }
  func counterTable() throws(DatabaseError) -> String? {
    try rows("SELECT name FROM sqlite_master WHERE name = 'sqlite_sequence'").first?[0].text
  }

  func eraseEverything() throws(DatabaseError) {
    // A virtual table before the tables that store its content.
    let query = """
      SELECT type, name FROM sqlite_master WHERE type <> 'index'
        AND (name NOT LIKE 'sqlite!_%' ESCAPE '!' OR name LIKE 'sqlite!_stat%' ESCAPE '!')
      ORDER BY type = 'trigger' DESC, type = 'view' DESC, rootpage > 0
      """
    for object in try rows(query) { try rows("DROP \(object[0].text) IF EXISTS main.\(object[1].text.quoted)") }
    if try counterTable() != nil { try rows("DELETE FROM main.sqlite_sequence") }
  }

  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    guard let statements = change.standardStatements else { throw error(.unsupported, "the table must be rebuilt") }
    return SchemaChangeStatements(statements)
  }
}

private final class MinimalStatement: DatabaseStatement {
  let sql: String
  private let connection: MinimalConnection
  private let statement: OpaquePointer

  init(_ connection: MinimalConnection, _ statement: OpaquePointer, _ sql: String) {
    (self.connection, self.statement, self.sql) = (connection, statement, sql)
    connection.statements.insert(statement)
  }

  deinit { if connection.statements.remove(statement) != nil { _ = sqlite3_finalize(statement) } }
  var isReadOnly: Bool { sqlite3_stmt_readonly(statement) != 0 }
  var columnCount: Int { Int(sqlite3_column_count(statement)) }
  var columnNames: [String] { (0..<Int32(columnCount)).map { String(cString: sqlite3_column_name(statement, $0)) } }
  var parameterCount: Int { Int(sqlite3_bind_parameter_count(statement)) }
  func parameterName(at index: Int) -> String? {
    let name = sqlite3_bind_parameter_name(statement, Int32(index + 1)).map { String(cString: $0) }
    return name.flatMap { $0.hasPrefix("?") ? nil : String($0.dropFirst()) }
  }

  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError) {
    let index = Int32(index + 1)
    // Makes SQLite copy the bytes (https://www.sqlite.org/c3ref/c_static.html).
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
    let code =
      switch value {
      case .null: sqlite3_bind_null(statement, index)
      case .integer(let number): sqlite3_bind_int64(statement, index, number)
      case .real(let number): sqlite3_bind_double(statement, index, number)
      case .text(let text):
        sqlite3_bind_text64(statement, index, text, UInt64(text.utf8.count), transient, UInt8(SQLITE_UTF8))
      // A null pointer would bind NULL.
      case .blob(let data) where data.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
      case .blob(let data):
        data.withUnsafeBytes { sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient) }
      }
    guard code == SQLITE_OK else { throw connection.error(sql: sql) }
  }

  func reset() { _ = sqlite3_reset(statement) }
  private func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(statement, column)) }

  // sample
  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool {
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW || code == SQLITE_DONE else { throw connection.error(sql: sql) }
    if code == SQLITE_ROW { for column in row.indices { row[column] = value(at: column) } }
    return code == SQLITE_ROW
  }

  func value(at column: Int) -> ColumnValue {
    let column = Int32(column)
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: return .text(.init(start: sqlite3_column_text(statement, column), count: byteCount(column)))
    case SQLITE_BLOB: return .blob(.init(start: sqlite3_column_blob(statement, column), count: byteCount(column)))
    default: return .null
    }
  }
  // end of sample
}

extension DatabaseValue {
  fileprivate var text: String { String.fromDatabaseValue(self) ?? "" }
  fileprivate var number: Int64 { Int64.fromDatabaseValue(self) ?? 0 }
}

extension String {
  /// The name in double quotes; by scalar, since a quote and a following accent are one character.
  fileprivate var quoted: String { "\"\(unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined())\"" }
}
