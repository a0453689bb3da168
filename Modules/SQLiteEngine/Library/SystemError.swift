internal import CSQLiteLoader
internal import Migrator
internal import SQLiteDialect

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
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

enum Remedy {
  /// Returns one or two sentences of advice for a condition; nil when the message itself is sufficient.
  static func text(for condition: DatabaseError.Condition) -> String? {
    switch condition {
    case .notADatabase:
      "The file may be encrypted, which requires SQLCipher and its key, or it is not a database. It was not changed."
    case .wrongKey:
      """
      Check the key. The file may also come from an older version of SQLCipher, have other cipher settings, be \
      damaged, or be truncated. It was not changed.
      """
    case .busy:
      "Another connection or program holds a lock on the database: wait for it to finish, or use a longer timeout."
    case .stale:
      "Another connection has changed the database in the meantime: roll back and start the transaction again."
    case .readOnly:
      "The file, its folder or the connection is read-only: check the permissions and the options used to open it."
    case .full:
      """
      The statement failed and its transaction must be rolled back, which restores the database. Free up \
      space on the disk of the database and of its temporary files, or raise the quota or size limit.
      """
    case .inputOutput:
      "Reading or writing the file failed: check the disk and the system's log."
    case .corrupt:
      "The file is damaged: restore a backup, or save what can be read with `.recover` of the sqlite3 shell."
    case .fileReplaced:
      "The file was moved, replaced or deleted while it was open: close the connection and open it again."
    case .permissionDenied:
      "Check the owner and the permissions of the file and of its folder."
    default:
      nil
    }
  }
}
