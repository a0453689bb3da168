internal import CSQLite
package import Migrator

extension EngineStatement {
  /// The kind of the value in a column of the current row, before any conversion.
  package func valueKind(at column: Int) -> DatabaseValue.Kind {
    switch columnType(statement, Int32(truncatingIfNeeded: column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE3_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// The current row's value as an integer.
  package func integer(at column: Int) -> Int64 { columnInteger(statement, Int32(truncatingIfNeeded: column)) }

  /// The current row's value as a floating-point number.
  package func real(at column: Int) -> Double { columnReal(statement, Int32(truncatingIfNeeded: column)) }

  /// The current row's value as text, empty for NULL.
  package func text(at column: Int) -> String {
    let column = Int32(truncatingIfNeeded: column)
    // The text first, its length afterwards: the first call may convert the value
    // (https://www.sqlite.org/c3ref/column_blob.html).
    guard let bytes = columnText(statement, column) else { return "" }
    let count = Int(columnByteCount(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Calls `body` with the bytes of a blob, or with the UTF-8 bytes of any other value.
  package func withBytes<Result>(at column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let index = Int32(truncatingIfNeeded: column)
    // As a blob, text of a UTF-16 database would come in UTF-16.
    let bytes =
      columnType(statement, index) == SQLITE_BLOB
      ? columnBlob(statement, index) : columnText(statement, index).map { UnsafeRawPointer($0) }
    guard let bytes else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return body(UnsafeRawBufferPointer(start: bytes, count: Int(columnByteCount(statement, index))))
  }
}
