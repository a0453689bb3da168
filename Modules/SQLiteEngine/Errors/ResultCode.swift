internal import CSQLite
internal import Migrator

/// What an engine's result code means.
///
/// The codes: https://www.sqlite.org/rescode.html. Extended codes are written as numbers, since the header builds them
/// with expressions that Swift does not import.
enum ResultCode {
  /// The condition that a code stands for.
  ///
  /// - Parameters:
  ///   - code: An extended result code.
  ///   - systemError: The operating system's `errno` behind an error of files; zero when there is none.
  static func condition(_ code: Int32, systemError: Int32 = 0) -> DatabaseError.Condition {
    if let condition = detailedConditions[code] { return condition }
    let primary = code & 0xff
    if primary == SQLITE_CONSTRAINT { return .constraint(constraints[code] ?? .other) }
    if let condition = SystemError.condition(systemError, primaryCode: primary) { return condition }
    return conditions[primary] ?? .other
  }

  private static let conditions: [Int32: DatabaseError.Condition] = [
    SQLITE_ERROR: .statement, SQLITE_PERM: .permissionDenied, SQLITE_BUSY: .busy,
    // A conflict with a statement of the same connection, which no waiting resolves.
    SQLITE_LOCKED: .misuse,
    SQLITE_NOMEM: .outOfMemory, SQLITE_READONLY: .readOnly, SQLITE_INTERRUPT: .interrupted,
    SQLITE_IOERR: .inputOutput, SQLITE_CORRUPT: .corrupt, SQLITE_FULL: .full, SQLITE_CANTOPEN: .cannotOpen,
    // Readers and writers of a write-ahead log kept overtaking each other (https://www.sqlite.org/rescode.html#protocol).
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
