internal import CSQLiteLoader
internal import Migrator
internal import SQLiteDialect

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension ResultCode {
  /// Returns the condition for an extended result code; `systemError` is the `errno` of a file error, or zero.
  static func condition(_ code: Int32, systemError: Int32) -> DatabaseError.Condition {
    let primary = code & 0xff
    if primary == SQLITE_CANTOPEN, systemError == EISDIR { return .isDirectory }
    // The other result codes for failed reads and writes are more specific than `errno`.
    let system = SystemError.condition(systemError)
    if let system, !isDetailed(code), primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR && system == .full {
      return system
    }
    return condition(code)
  }
}

enum SystemError {
  /// Returns the condition for a system error number; nil if there is no specific condition for it.
  ///
  /// SQLite reports a full disk only for ENOSPC; to the user, an exceeded quota or file size limit is the same problem.
  static func condition(_ number: Int32) -> DatabaseError.Condition? {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: .full
    case EACCES, EPERM: .permissionDenied
    case EROFS: .readOnly
    default: nil
    }
  }

  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
