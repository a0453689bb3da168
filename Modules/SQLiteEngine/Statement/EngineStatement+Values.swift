internal import CSQLite
package import Migrator

extension EngineStatement {
  /// The kind of the value in a column of the current row, before any conversion.
  package func valueKind(at column: Int) -> DatabaseValue.Kind {
    switch valueType(value(at: column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE3_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// The current row's value as an integer.
  package func integer(at column: Int) -> Int64 { valueInteger(value(at: column)) }

  /// The current row's value as a floating-point number.
  package func real(at column: Int) -> Double { valueReal(value(at: column)) }

  /// The current row's value if it was stored as an integer.
  package func storedInteger(at column: Int) -> Int64? {
    let value = value(at: column)
    return valueType(value) == SQLITE_INTEGER ? valueInteger(value) : nil
  }

  /// The current row's value as text, empty for NULL.
  package func text(at column: Int) -> String { text(of: value(at: column)) }

  private func text(of value: OpaquePointer?) -> String { String(decoding: textBytes(of: value), as: UTF8.self) }

  /// The UTF-8 of a value, converted by the engine when it is no text; empty for NULL.
  @inline(__always)
  private func textBytes(of value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
    // The text first, its length afterwards: the first call may convert the value
    // (https://www.sqlite.org/c3ref/column_blob.html).
    let bytes = valueText(value)
    return UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(valueByteCount(value)))
  }

  /// The value in a column of the current row as it is stored.
  @inline(__always)
  func columnValue(at column: Int32) -> ColumnValue {
    let value = columnValue(statement, column)
    let type = valueType(value)
    // Comparisons, which are faster than the jump by a table that a switch over all types would be.
    if type == SQLITE_INTEGER { return .integer(valueInteger(value)) }
    if type == SQLITE3_TEXT { return .text(textBytes(of: value)) }
    if type == SQLITE_FLOAT { return .real(valueReal(value)) }
    return blobOrNull(value, type)
  }

  @inline(never)
  private func blobOrNull(_ value: OpaquePointer?, _ type: Int32) -> ColumnValue {
    guard type == SQLITE_BLOB else { return .null }
    let bytes = valueBlob(value)
    return .blob(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(valueByteCount(value))))
  }

  /// Calls `body` with the bytes of a blob, or with the UTF-8 bytes of any other value.
  package func withBytes<Result>(at column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let value = value(at: column)
    // As a blob, text of a UTF-16 database would come in UTF-16.
    let bytes =
      valueType(value) == SQLITE_BLOB ? valueBlob(value) : valueText(value).map { UnsafeRawPointer($0) }
    guard let bytes else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return body(UnsafeRawBufferPointer(start: bytes, count: Int(valueByteCount(value))))
  }

  /// The engine's own value in a column of the current row, found once for asking its kind and for reading it.
  ///
  /// That such a value may be read, and not only passed on, holds for connections whose own locks are off, as those of
  /// this driver are (https://www.sqlite.org/c3ref/value.html). It stays where it is until the next step or reset.
  @inline(__always)
  private func value(at column: Int) -> OpaquePointer? {
    // Closing the connection resets the statement behind its back.
    if column == lastColumn, handle.isOpen { return lastValue }
    lastValue = columnValue(statement, Int32(truncatingIfNeeded: column))
    lastColumn = column
    return lastValue
  }
}
