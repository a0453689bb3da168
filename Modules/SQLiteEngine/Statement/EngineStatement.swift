internal import CSQLite
package import Migrator

/// A prepared statement of a SQLite-family engine.
///
/// The functions that run once a row or a value are kept here, so that reading a value is one call through a pointer.
package final class EngineStatement: DatabaseStatement {
  /// The statement's own text, without its semicolon.
  package let sql: String

  let handle: EngineHandle
  let statement: OpaquePointer

  private let stepFunction: @convention(c) (OpaquePointer?) -> Int32
  private let resetFunction: @convention(c) (OpaquePointer?) -> Int32
  let columnType: @convention(c) (OpaquePointer?, Int32) -> Int32
  let columnInteger: @convention(c) (OpaquePointer?, Int32) -> Int64
  let columnReal: @convention(c) (OpaquePointer?, Int32) -> Double
  let columnText: @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<UInt8>?
  let columnBlob: @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer?
  let columnByteCount: @convention(c) (OpaquePointer?, Int32) -> Int32

  init(_ statement: OpaquePointer, sql: String, handle: EngineHandle) {
    self.statement = statement
    self.sql = sql
    self.handle = handle
    let functions = handle.library.functions
    stepFunction = functions.step
    resetFunction = functions.reset
    columnType = functions.column_type
    columnInteger = functions.column_int64
    columnReal = functions.column_double
    columnText = functions.column_text
    columnBlob = functions.column_blob
    columnByteCount = functions.column_bytes
  }

  deinit {
    // The result repeats the error of the last step (https://www.sqlite.org/c3ref/finalize.html).
    _ = handle.library.functions.finalize(statement)
  }

  /// A claim that running the statement changes nothing in the database.
  package var isReadOnly: Bool { handle.library.functions.stmt_readonly(statement) != 0 }

  /// The names of the result's columns as the engine gives them.
  package var columnNames: [String] {
    (0..<Int32(columnCount)).map { column in
      handle.library.functions.column_name(statement, column).map { String(cString: $0) } ?? ""
    }
  }

  /// The number of the result's columns, which may change with the schema, at the next first step.
  package var columnCount: Int { Int(handle.library.functions.column_count(statement)) }

  /// Runs the statement up to its next row.
  package func step() throws(DatabaseError) -> Bool {
    guard handle.isOpen else { throw EngineHandle.closedError(handle.library, sql: sql) }
    let code = stepFunction(statement)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw handle.error(code, sql: sql)
  }

  /// Makes the statement ready to run again.
  package func reset() {
    // The result repeats the error of the last step (https://www.sqlite.org/c3ref/reset.html).
    _ = resetFunction(statement)
  }
}
