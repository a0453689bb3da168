internal import CSQLiteLoader
internal import Migrator

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// An extender that adds the application's collations and functions to a connection of the engine.
final class EngineExtender: ConnectionExtender {
  private let handle: EngineHandle

  init(_ handle: EngineHandle) { self.handle = handle }

  func add(_ collation: DatabaseCollation) throws(DatabaseError) {
    let box = Unmanaged.passRetained(Box(collation))
    let code = handle.library.functions.create_collation_v2(
      handle.database, collation.name, SQLITE_UTF8, box.toOpaque(),
      { context, count, bytes, otherCount, otherBytes in
        guard let context else { return 0 }
        let collation = Unmanaged<Box<DatabaseCollation>>.fromOpaque(context).takeUnretainedValue().value
        let result = collation.compare(text(bytes, count), text(otherBytes, otherCount))
        return Int32(result.rawValue)
      }, { context in if let context { Unmanaged<Box<DatabaseCollation>>.fromOpaque(context).release() } })
    guard code != SQLITE_OK else { return }
    // Unlike other functions, this one does not call the destructor when it fails
    // (https://www.sqlite.org/c3ref/create_collation.html).
    box.release()
    throw handle.error(code)
  }

  func add(_ function: DatabaseFunction) throws(DatabaseError) {
    let box = Unmanaged.passRetained(Box(function))
    // https://www.sqlite.org/c3ref/c_deterministic.html
    let flags = function.isPure ? SQLITE_DETERMINISTIC : 0
    var functions = handle.library.functions
    let code = csqlite_create_function(
      &functions, handle.database, function.name, Int32(clamping: function.argumentCount ?? -1), flags, box.toOpaque(),
      { functions, data, context, count, values in
        guard let data else { return }
        Unmanaged<Box<DatabaseFunction>>.fromOpaque(data).takeUnretainedValue().value
          .call(functions.pointee, context, count, values)
      }, { data in if let data { Unmanaged<Box<DatabaseFunction>>.fromOpaque(data).release() } })
    guard code >= 0 else {
      throw DatabaseError(
        .unsupported, engine: handle.library.description.name,
        message: "functions cannot be added to more than eight copies of SQLite in one process")
    }
    guard code == SQLITE_OK else { throw handle.error(code) }
  }
}

extension DatabaseFunction {
  fileprivate func call(
    _ functions: csqlite_functions, _ context: OpaquePointer, _ count: Int32,
    _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    let arguments = UnsafeBufferPointer(start: values, count: Int(count)).map { Self.value(functions, $0) }
    do {
      Self.setResult(functions, context, try evaluate(arguments)?.databaseValue ?? .null)
    } catch {
      functions.result_error(context, (error as? DatabaseError)?.message ?? "\(error)", -1)
    }
  }

  private static func value(_ functions: csqlite_functions, _ value: OpaquePointer?) -> DatabaseValue {
    switch functions.value_type(value) {
    case SQLITE_INTEGER: return .integer(functions.value_int64(value))
    case SQLITE_FLOAT: return .real(functions.value_double(value))
    case SQLITE_NULL: return .null
    case SQLITE_TEXT:
      // Read the text or blob before its length: https://www.sqlite.org/c3ref/value_blob.html.
      let bytes = functions.value_text(value)
      return .text(text(bytes, functions.value_bytes(value)))
    default:
      let bytes = functions.value_blob(value)
      return .blob(Data(UnsafeRawBufferPointer(start: bytes, count: Int(functions.value_bytes(value)))))
    }
  }

  private static func setResult(_ functions: csqlite_functions, _ context: OpaquePointer, _ value: DatabaseValue) {
    switch value {
    case .null: functions.result_null(context)
    case .integer(let integer): functions.result_int64(context, integer)
    case .real(let real): functions.result_double(context, real)
    case .text(let text):
      let count = UInt64(text.utf8.count)
      text.withCString { functions.result_text64(context, $0, count, csqlite_transient(), UInt8(SQLITE_UTF8)) }
    case .blob(let data) where data.isEmpty:
      // A null pointer would be NULL.
      functions.result_zeroblob(context, 0)
    case .blob(let data):
      data.withUnsafeBytes { bytes in
        functions.result_blob64(context, bytes.baseAddress, UInt64(bytes.count), csqlite_transient())
      }
    }
  }
}

private func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
  String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
}
