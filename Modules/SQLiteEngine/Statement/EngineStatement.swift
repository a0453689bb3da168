internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect

/// A prepared statement of SQLite or SQLCipher.
package final class EngineStatement: DatabaseStatement {
  /// The SQL of this statement alone, without its semicolon.
  package let sql: String

  let handle: EngineHandle
  let statement: OpaquePointer
  /// A copy of the library's functions, so that reading a value is a single call through a pointer.
  let functions: csqlite_functions
  /// The column names, and the number of times that the engine had recompiled the statement when it returned them.
  private var namedColumns: (names: [String], preparations: Int32)?
  /// The ``ExplainRecorder/generation`` of the recorder when it last explained the statement.
  private var explainedGeneration = 0
  private var changesSchema = false

  init(_ statement: OpaquePointer, sql: String, handle: EngineHandle) {
    self.statement = statement
    self.sql = sql
    self.handle = handle
    functions = handle.library.functions
    handle.adopt(statement)
  }

  deinit { handle.finalize(statement) }

  /// The engine's statement; nil after the connection was closed.
  ///
  /// All engine functions to which this type passes the property accept nil.
  var openStatement: OpaquePointer? { handle.isOpen ? statement : nil }

  /// Whether the engine reports that running the statement changes nothing in the database.
  package var isReadOnly: Bool { functions.stmt_readonly(openStatement) != 0 }

  /// The names of the result columns, as the engine reports them.
  package var columnNames: [String] {
    let preparations = preparationCount
    if let namedColumns, let preparations, namedColumns.preparations == preparations { return namedColumns.names }
    let names = (0..<Int32(columnCount)).map { column in
      if let name = functions.column_name(statement, column) { return String(cString: name) }
      handle.loseValue()
      return ""
    }
    namedColumns = preparations.map { (names, $0) }
    return names
  }

  /// The number of times that the engine has recompiled the statement, as it does after a schema change; nil when the
  /// engine does not report it (https://www.sqlite.org/c3ref/c_stmtstatus_counter.html).
  private var preparationCount: Int32? {
    // Engines before 3.20 do not check this argument: they would use it as an index out of bounds.
    guard handle.library.versionNumber >= 3_020_000, let openStatement else { return nil }
    return functions.stmt_status(openStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
  }

  /// The number of result columns; it may change when the schema has changed and the statement is run again.
  package var columnCount: Int { Int(functions.column_count(openStatement)) }

  /// Runs the statement up to its next row; returns false when there is none.
  // Inlined into the protocol's requirement, which saves one call per row.
  @inline(__always)
  package func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool {
    guard handle.isReady else { throw handle.notReadyError(sql: sql) }
    let code = handle.isBorrowed ? stepOnLoan() : functions.step(statement)
    guard code == SQLITE_ROW else {
      if code == SQLITE_DONE { return false }
      throw handle.error(code, sql: sql, of: statement)
    }
    if var place = row.baseAddress {
      for column in 0..<Int32(truncatingIfNeeded: row.count) {
        place.initialize(to: columnValue(functions.column_value(statement, column)))
        place += 1
      }
    }
    guard handle.isReady else { throw handle.notReadyError(sql: sql) }
    return true
  }

  /// Runs the statement up to its next row on a borrowed connection, and reports the changes to the recorder.
  @inline(never)
  private func stepOnLoan() -> Int32 {
    guard let recorder = handle.recorder else { return functions.step(statement) }
    explain()
    let before = handle.totalChangesCount
    let code = functions.step(statement)
    recorder.noteChanges(count: handle.totalChangesCount - before)
    if code == SQLITE_DONE, changesSchema { recorder.schemaDidChange() }
    return code
  }

  /// Makes the recorder of a borrowed connection determine which tables the statement accesses, unless the recorder
  /// already knows them.
  func explain() {
    guard let recorder = handle.recorder, recorder.isRecording, recorder.generation != explainedGeneration else {
      return
    }
    explainedGeneration = recorder.generation
    changesSchema = recorder.explain(sql, isReadOnly: isReadOnly)
  }

  func run() throws(DatabaseError) {
    defer { reset() }
    while try step() {}
  }

  /// Resets the statement so that it can run again.
  package func reset() {
    // The result repeats the error of the last step (https://www.sqlite.org/c3ref/reset.html).
    _ = functions.reset(openStatement)
  }
}

extension EngineStatement {
  /// Returns the value in a column of the current row, as stored.
  package func value(at column: Int) -> ColumnValue {
    columnValue(functions.column_value(openStatement, Int32(truncatingIfNeeded: column)))
  }

  /// Returns the UTF-8 of a text; empty if the engine has no memory to convert it from UTF-16.
  @inline(__always)
  private func textBytes(of value: OpaquePointer?, _ type: Int32) -> UnsafeBufferPointer<UInt8> {
    // Read the text before its length: the first call may convert the value
    // (https://www.sqlite.org/c3ref/column_blob.html).
    guard let bytes = functions.value_text(value) else {
      noteMissingBytes(of: value, type)
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(start: bytes, count: Int(functions.value_bytes(value)))
  }

  /// Records that a value was lost, if the engine returned no bytes for it and it is neither NULL nor an empty blob.
  ///
  /// The engine then had no memory to convert the value (https://www.sqlite.org/c3ref/value_blob.html).
  ///
  /// - Parameter type: The type before the conversion, which makes the value NULL if it fails.
  @inline(never)
  private func noteMissingBytes(of value: OpaquePointer?, _ type: Int32) {
    if type != SQLITE_NULL, type != SQLITE_BLOB || functions.value_bytes(value) > 0 { handle.loseValue() }
  }

  /// Returns the value in one of the engine's value objects.
  ///
  /// Reading such an object directly is safe because the connections of this driver do not use mutexes
  /// (https://www.sqlite.org/c3ref/value.html). The object stays valid until the next step or reset.
  @inline(__always)
  private func columnValue(_ value: OpaquePointer?) -> ColumnValue {
    let type = functions.value_type(value)
    // These comparisons are faster than the jump table of a switch over all types.
    if type == SQLITE_INTEGER { return .integer(functions.value_int64(value)) }
    if type == SQLITE3_TEXT { return .text(textBytes(of: value, type)) }
    if type == SQLITE_FLOAT { return .real(functions.value_double(value)) }
    return blobOrNull(value, type)
  }

  @inline(never)
  private func blobOrNull(_ value: OpaquePointer?, _ type: Int32) -> ColumnValue {
    guard type == SQLITE_BLOB else { return .null }
    guard let bytes = functions.value_blob(value) else {
      noteMissingBytes(of: value, type)
      return .blob(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return .blob(UnsafeRawBufferPointer(start: bytes, count: Int(functions.value_bytes(value))))
  }
}
