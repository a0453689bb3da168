// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation

// The part of `sqlite3.h` that the sample `MinimalEngine` uses, under its C names. A package outside of this one imports
// the header instead: `import SQLite3` on Apple platforms, a system library target elsewhere.

typealias Count = @Sendable @convention(c) (OpaquePointer?) -> Int32
typealias Item = @Sendable @convention(c) (OpaquePointer?, Int32) -> Int32
typealias sqlite3_destructor_type = @convention(c) (UnsafeMutableRawPointer?) -> Void

let SQLITE_OK: Int32 = 0
let SQLITE_ROW: Int32 = 100
let SQLITE_DONE: Int32 = 101
let SQLITE_INTEGER: Int32 = 1
let SQLITE_FLOAT: Int32 = 2
let SQLITE_TEXT: Int32 = 3
let SQLITE_BLOB: Int32 = 4
let SQLITE_UTF8: Int32 = 1
let SQLITE_OPEN_READONLY: Int32 = 1
let SQLITE_OPEN_READWRITE: Int32 = 2
let SQLITE_OPEN_CREATE: Int32 = 4

let sqlite3_open_v2:
  @Sendable @convention(c) (
    UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
  ) -> Int32 = function("sqlite3_open_v2")
let sqlite3_close: Count = function("sqlite3_close")
let sqlite3_extended_result_codes: Item = function("sqlite3_extended_result_codes")
let sqlite3_busy_timeout: Item = function("sqlite3_busy_timeout")
let sqlite3_extended_errcode: Count = function("sqlite3_extended_errcode")
let sqlite3_errmsg: @Sendable @convention(c) (OpaquePointer?) -> UnsafePointer<CChar> = function("sqlite3_errmsg")
let sqlite3_db_readonly: @Sendable @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32 =
  function("sqlite3_db_readonly")
let sqlite3_get_autocommit: Count = function("sqlite3_get_autocommit")
let sqlite3_changes: Count = function("sqlite3_changes")
let sqlite3_total_changes: Count = function("sqlite3_total_changes")
let sqlite3_last_insert_rowid: @Sendable @convention(c) (OpaquePointer?) -> Int64 =
  function("sqlite3_last_insert_rowid")
let sqlite3_complete: @Sendable @convention(c) (UnsafePointer<CChar>) -> Int32 = function("sqlite3_complete")
let sqlite3_prepare_v2:
  @Sendable @convention(c) (
    OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
    UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) -> Int32 = function("sqlite3_prepare_v2")
let sqlite3_finalize: Count = function("sqlite3_finalize")
let sqlite3_step: Count = function("sqlite3_step")
let sqlite3_reset: Count = function("sqlite3_reset")
let sqlite3_stmt_readonly: Count = function("sqlite3_stmt_readonly")
let sqlite3_bind_parameter_count: Count = function("sqlite3_bind_parameter_count")
let sqlite3_bind_parameter_name: @Sendable @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>? =
  function("sqlite3_bind_parameter_name")
let sqlite3_bind_null: Item = function("sqlite3_bind_null")
let sqlite3_bind_int64: @Sendable @convention(c) (OpaquePointer?, Int32, Int64) -> Int32 =
  function("sqlite3_bind_int64")
let sqlite3_bind_double: @Sendable @convention(c) (OpaquePointer?, Int32, Double) -> Int32 =
  function("sqlite3_bind_double")
let sqlite3_bind_text64:
  @Sendable @convention(c) (
    OpaquePointer?, Int32, UnsafePointer<CChar>, UInt64, sqlite3_destructor_type?, UInt8
  ) -> Int32 = function("sqlite3_bind_text64")
let sqlite3_bind_blob64:
  @Sendable @convention(c) (OpaquePointer?, Int32, UnsafeRawPointer?, UInt64, sqlite3_destructor_type?) -> Int32 =
    function("sqlite3_bind_blob64")
let sqlite3_bind_zeroblob: @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> Int32 =
  function("sqlite3_bind_zeroblob")
let sqlite3_column_count: Count = function("sqlite3_column_count")
let sqlite3_column_name: @Sendable @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar> =
  function("sqlite3_column_name")
let sqlite3_column_type: Item = function("sqlite3_column_type")
let sqlite3_column_int64: @Sendable @convention(c) (OpaquePointer?, Int32) -> Int64 = function("sqlite3_column_int64")
let sqlite3_column_double: @Sendable @convention(c) (OpaquePointer?, Int32) -> Double =
  function("sqlite3_column_double")
let sqlite3_column_text: @Sendable @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<UInt8>? =
  function("sqlite3_column_text")
let sqlite3_column_blob: @Sendable @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer? =
  function("sqlite3_column_blob")
let sqlite3_column_bytes: Item = function("sqlite3_column_bytes")

private func function<Function>(_ name: String) -> Function {
  #if canImport(Darwin)
    let library = dlopen("libsqlite3.dylib", RTLD_NOW | RTLD_LOCAL)
  #else
    let library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL)
  #endif
  guard let library, let symbol = dlsym(library, name) else { preconditionFailure("The system has no \(name).") }
  return unsafeBitCast(symbol, to: Function.self)
}
