package import Migrator

/// The mapping of SQLite's result codes (https://www.sqlite.org/rescode.html) to conditions.
package enum ResultCode {
  /// Returns the condition for an extended result code.
  package static func condition(_ code: Int32) -> DatabaseError.Condition {
    if let condition = detailedConditions[code] { return condition }
    let primary = code & 0xff
    return primary == constraint ? .constraint(constraints[code] ?? .other) : conditions[primary] ?? .other
  }

  /// Returns whether an extended code has another condition than its primary code.
  package static func isDetailed(_ code: Int32) -> Bool { detailedConditions[code] != nil }

  private static let error: Int32 = 1
  private static let permission: Int32 = 3
  private static let busy: Int32 = 5
  private static let locked: Int32 = 6
  private static let noMemory: Int32 = 7
  private static let readOnly: Int32 = 8
  private static let interrupted: Int32 = 9
  private static let inputOutput: Int32 = 10
  private static let corrupt: Int32 = 11
  private static let full: Int32 = 13
  private static let cannotOpen: Int32 = 14
  private static let lockingProtocol: Int32 = 15
  private static let schema: Int32 = 17
  private static let tooBig: Int32 = 18
  private static let constraint: Int32 = 19
  private static let mismatch: Int32 = 20
  private static let misuse: Int32 = 21
  private static let noLargeFiles: Int32 = 22
  private static let authorization: Int32 = 23
  private static let format: Int32 = 24
  private static let range: Int32 = 25
  private static let notADatabase: Int32 = 26

  private static let conditions: [Int32: DatabaseError.Condition] = [
    error: .statement, permission: .permissionDenied, busy: .busy,
    // A conflict with another statement of the same connection; waiting would not resolve it.
    locked: .misuse,
    noMemory: .outOfMemory, readOnly: .readOnly, interrupted: .interrupted,
    inputOutput: .inputOutput, corrupt: .corrupt, full: .full, cannotOpen: .cannotOpen,
    // Readers and writers of a write-ahead log repeatedly raced each other
    // (https://www.sqlite.org/rescode.html#protocol).
    lockingProtocol: .busy,
    schema: .stale, tooBig: .tooBig, mismatch: .typeMismatch, misuse: .misuse,
    noLargeFiles: .tooBig, authorization: .denied, format: .corrupt, range: .misuse,
    notADatabase: .notADatabase,
  ]

  private static let detailedConditions: [Int32: DatabaseError.Condition] = [
    error | 2 << 8: .stale,  // ERROR_RETRY
    error | 3 << 8: .stale,  // ERROR_SNAPSHOT
    busy | 2 << 8: .stale,  // BUSY_SNAPSHOT: another connection has written since this one has read
    locked | 1 << 8: .busy,  // LOCKED_SHAREDCACHE
    readOnly | 4 << 8: .fileReplaced,  // READONLY_DBMOVED
    inputOutput | 11 << 8: .busy,  // IOERR_BLOCKED
    inputOutput | 12 << 8: .outOfMemory,  // IOERR_NOMEM
    inputOutput | 27 << 8: .fileReplaced,  // IOERR_VNODE
    inputOutput | 32 << 8: .corrupt,  // IOERR_DATA
    inputOutput | 33 << 8: .corrupt,  // IOERR_CORRUPTFS
    cannotOpen | 2 << 8: .isDirectory,  // CANTOPEN_ISDIR
  ]

  private static let constraints: [Int32: DatabaseError.Constraint] = [
    constraint | 1 << 8: .check, constraint | 3 << 8: .foreignKey,
    constraint | 5 << 8: .notNull, constraint | 6 << 8: .primaryKey,
    constraint | 7 << 8: .trigger, constraint | 8 << 8: .unique,
    constraint | 10 << 8: .rowID, constraint | 12 << 8: .dataType,
  ]
}
