internal import CSQLiteLoader
package import Migrator

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension EngineStatement {
  /// The number of parameters.
  package var parameterCount: Int { Int(functions.bind_parameter_count(openStatement)) }

  /// Returns the name of a parameter without its prefix; nil for `?` and `?1`.
  package func parameterName(at index: Int) -> String? {
    guard let name = functions.bind_parameter_name(openStatement, Int32(clamping: index + 1)),
      name.pointee != CChar(bitPattern: UInt8(ascii: "?"))
    else { return nil }
    return String(cString: name + 1)
  }

  /// Binds a value to a parameter.
  ///
  /// The engine copies the value immediately, and stores a NaN as NULL (https://www.sqlite.org/c3ref/bind_blob.html).
  // Inlined into the protocol witness, which saves one call per value.
  @inline(__always)
  package func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError) {
    guard handle.isReady else { throw handle.notReadyError(sql: sql) }
    // The engine numbers parameters from 1.
    let position = Int32(clamping: index + 1)
    let code =
      switch value {
      case .null: functions.bind_null(statement, position)
      case .integer(let number): functions.bind_int64(statement, position, number)
      case .real(let number): functions.bind_double(statement, position, number)
      case .text(let text): bind(text, position)
      case .blob(let data): bind(data, position)
      }
    guard code != SQLITE_OK else { return }
    throw handle.error(code, sql: sql)
  }

  // A separate function, so that binding a number does not become slower because of it.
  @inline(never)
  private func bind(_ text: String, _ position: Int32) -> Int32 {
    // Include the terminating NUL, so that empty text also has a pointer: a null pointer would bind NULL.
    let count = UInt64(text.utf8.count)
    return text.withCString {
      functions.bind_text64(statement, position, $0, count, csqlite_transient(), UInt8(SQLITE_UTF8))
    }
  }

  @inline(never)
  private func bind(_ data: Data, _ position: Int32) -> Int32 {
    data.withUnsafeBytes { bytes in
      // A null pointer would bind NULL.
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return functions.bind_zeroblob(statement, position, 0)
      }
      return functions.bind_blob64(statement, position, start, UInt64(bytes.count), csqlite_transient())
    }
  }
}
