internal import CSQLiteLoader
internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The mapping of an engine's result codes (https://www.sqlite.org/rescode.html).
///
/// Extended codes are written as numbers, since the C header defines them with expressions that Swift does not import.
enum ResultCode {
  /// Returns the condition for an extended result code; `systemError` is the `errno` of a file error, or zero.
  static func condition(_ code: Int32, systemError: Int32 = 0) -> DatabaseError.Condition {
    if let condition = detailedConditions[code] { return condition }
    let primary = code & 0xff
    if primary == SQLITE_CONSTRAINT { return .constraint(constraints[code] ?? .other) }
    if primary == SQLITE_CANTOPEN, systemError == EISDIR { return .isDirectory }
    // The other result codes for failed reads and writes are more specific than `errno`.
    let system = SystemError.condition(systemError)
    if let system, primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR && system == .full { return system }
    return conditions[primary] ?? .other
  }

  private static let conditions: [Int32: DatabaseError.Condition] = [
    SQLITE_ERROR: .statement, SQLITE_PERM: .permissionDenied, SQLITE_BUSY: .busy,
    // A conflict with another statement of the same connection; waiting would not resolve it.
    SQLITE_LOCKED: .misuse,
    SQLITE_NOMEM: .outOfMemory, SQLITE_READONLY: .readOnly, SQLITE_INTERRUPT: .interrupted,
    SQLITE_IOERR: .inputOutput, SQLITE_CORRUPT: .corrupt, SQLITE_FULL: .full, SQLITE_CANTOPEN: .cannotOpen,
    // Readers and writers of a write-ahead log repeatedly raced each other
    // (https://www.sqlite.org/rescode.html#protocol).
    SQLITE_PROTOCOL: .busy,
    SQLITE_SCHEMA: .stale, SQLITE_TOOBIG: .tooBig, SQLITE_MISMATCH: .typeMismatch, SQLITE_MISUSE: .misuse,
    SQLITE_NOLFS: .tooBig, SQLITE_AUTH: .denied, SQLITE_FORMAT: .corrupt, SQLITE_RANGE: .misuse,
    SQLITE_NOTADB: .notADatabase,
  ]

  private static let detailedConditions: [Int32: DatabaseError.Condition] = [
    SQLITE_ERROR | 2 << 8: .stale,  // ERROR_RETRY
    SQLITE_ERROR | 3 << 8: .stale,  // ERROR_SNAPSHOT
    SQLITE_BUSY | 2 << 8: .stale,  // BUSY_SNAPSHOT: another connection has written since this one has read
    SQLITE_LOCKED | 1 << 8: .busy,  // LOCKED_SHAREDCACHE
    SQLITE_READONLY | 4 << 8: .fileReplaced,  // READONLY_DBMOVED
    SQLITE_IOERR | 11 << 8: .busy,  // IOERR_BLOCKED
    SQLITE_IOERR | 12 << 8: .outOfMemory,  // IOERR_NOMEM
    SQLITE_IOERR | 27 << 8: .fileReplaced,  // IOERR_VNODE
    SQLITE_IOERR | 32 << 8: .corrupt,  // IOERR_DATA
    SQLITE_IOERR | 33 << 8: .corrupt,  // IOERR_CORRUPTFS
    SQLITE_CANTOPEN | 2 << 8: .isDirectory,  // CANTOPEN_ISDIR
  ]

  private static let constraints: [Int32: DatabaseError.Constraint] = [
    SQLITE_CONSTRAINT | 1 << 8: .check, SQLITE_CONSTRAINT | 3 << 8: .foreignKey,
    SQLITE_CONSTRAINT | 5 << 8: .notNull, SQLITE_CONSTRAINT | 6 << 8: .primaryKey,
    SQLITE_CONSTRAINT | 7 << 8: .trigger, SQLITE_CONSTRAINT | 8 << 8: .unique,
    SQLITE_CONSTRAINT | 10 << 8: .rowID, SQLITE_CONSTRAINT | 12 << 8: .dataType,
  ]
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
