internal import CSQLite
package import Migrator

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension EngineStatement {
  /// The number of parameters.
  package var parameterCount: Int { Int(handle.library.functions.bind_parameter_count(statement)) }

  /// The name of a parameter without its prefix; nil for `?` and `?1`.
  package func parameterName(at index: Int) -> String? {
    guard let name = handle.library.functions.bind_parameter_name(statement, Int32(clamping: index + 1)),
      name.pointee != CChar(bitPattern: UInt8(ascii: "?"))
    else { return nil }
    return String(cString: name + 1)
  }

  /// Sets a parameter.
  ///
  /// The engine copies the value at once. A real that is not a number is stored as NULL
  /// (https://www.sqlite.org/c3ref/bind_blob.html).
  package func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError) {
    guard handle.isOpen else { throw EngineHandle.closedError(handle.library, sql: sql) }
    // The engine counts parameters from 1.
    let code = bindingCode(value, position: Int32(clamping: index + 1))
    guard code != SQLITE_OK else { return }
    throw handle.error(code, sql: sql)
  }

  /// Sets all parameters to NULL.
  package func clearBindings() {
    // Has no other result than success (https://www.sqlite.org/c3ref/clear_bindings.html).
    _ = handle.library.functions.clear_bindings(statement)
  }

  @inline(__always)
  private func bindingCode(_ value: DatabaseValue, position: Int32) -> Int32 {
    switch value {
    case .null: return bindNull(statement, position)
    case .integer(let number): return bindInteger(statement, position, number)
    case .real(let number): return bindReal(statement, position, number)
    case .text(let text): return textCode(text, position: position)
    case .blob(let data): return blobCode(data, position: position)
    }
  }

  // Apart, so that numbers do not pay for what these need.
  @inline(never)
  private func textCode(_ text: String, position: Int32) -> Int32 {
    // A text that is not there as one piece of UTF-8, as one of Foundation's on Apple's systems, must be copied.
    text.utf8.withContiguousStorageIfAvailable { textCode($0, position: position) }
      ?? ContiguousArray(text.utf8).withUnsafeBufferPointer { textCode($0, position: position) }
  }

  private func textCode(_ bytes: UnsafeBufferPointer<UInt8>, position: Int32) -> Int32 {
    // A null pointer, which an empty text may have, would bind NULL.
    guard let start = bytes.baseAddress else {
      return bindText(statement, position, "", 0, csqlite_transient(), UInt8(SQLITE_UTF8))
    }
    return bindText(
      statement, position, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
      csqlite_transient(), UInt8(SQLITE_UTF8))
  }

  @inline(never)
  private func blobCode(_ data: Data, position: Int32) -> Int32 {
    data.withUnsafeBytes { bytes in
      // As above.
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return handle.library.functions.bind_zeroblob(statement, position, 0)
      }
      return handle.library.functions.bind_blob64(
        statement, position, start, UInt64(bytes.count), csqlite_transient())
    }
  }
}
