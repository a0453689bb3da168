package import Migrator

/// The mapping of SQLite's result codes (https://www.sqlite.org/rescode.html) to conditions.
package enum ResultCode {
  /// Returns the condition for an extended result code.
  package static func condition(_ code: Int32) -> DatabaseError.Condition {
    if let condition = detailedConditions[code] { return condition }
    guard let primary = Primary(rawValue: code & 0xff) else { return .other }
    return primary == .constraint ? .constraint(constraints[code >> 8] ?? .other) : conditions[primary] ?? .other
  }

  /// Returns whether an extended code has another condition than its primary code.
  package static func isDetailed(_ code: Int32) -> Bool { detailedConditions[code] != nil }

  private enum Primary: Int32 {
    case error = 1, permission = 3, busy = 5, locked, noMemory, readOnly, interrupted, inputOutput, corrupt
    case full = 13, cannotOpen, lockingProtocol, schema = 17, tooBig, constraint, mismatch, misuse, noLargeFiles
    case authorization, format, range, notADatabase

    func detail(_ number: Int32) -> Int32 { rawValue | number << 8 }
  }

  private static let conditions: [Primary: DatabaseError.Condition] = [
    .error: .statement, .permission: .permissionDenied, .busy: .busy,
    // A conflict with another statement of the same connection; waiting would not resolve it.
    .locked: .misuse,
    .noMemory: .outOfMemory, .readOnly: .readOnly, .interrupted: .interrupted,
    .inputOutput: .inputOutput, .corrupt: .corrupt, .full: .full, .cannotOpen: .cannotOpen,
    // Readers and writers of a write-ahead log repeatedly raced each other
    // (https://www.sqlite.org/rescode.html#protocol).
    .lockingProtocol: .busy,
    .schema: .stale, .tooBig: .tooBig, .mismatch: .typeMismatch, .misuse: .misuse,
    .noLargeFiles: .tooBig, .authorization: .denied, .format: .corrupt, .range: .misuse,
    .notADatabase: .notADatabase,
  ]

  private static let detailedConditions: [Int32: DatabaseError.Condition] = [
    Primary.error.detail(2): .stale,  // ERROR_RETRY
    Primary.error.detail(3): .stale,  // ERROR_SNAPSHOT
    Primary.busy.detail(2): .stale,  // BUSY_SNAPSHOT: another connection has written since this one has read
    Primary.locked.detail(1): .busy,  // LOCKED_SHAREDCACHE
    Primary.readOnly.detail(4): .fileReplaced,  // READONLY_DBMOVED
    Primary.inputOutput.detail(11): .busy,  // IOERR_BLOCKED
    Primary.inputOutput.detail(12): .outOfMemory,  // IOERR_NOMEM
    Primary.inputOutput.detail(27): .fileReplaced,  // IOERR_VNODE
    Primary.inputOutput.detail(32): .corrupt,  // IOERR_DATA
    Primary.inputOutput.detail(33): .corrupt,  // IOERR_CORRUPTFS
    Primary.cannotOpen.detail(2): .isDirectory,  // CANTOPEN_ISDIR
  ]

  private static let constraints: [Int32: DatabaseError.Constraint] = [
    1: .check, 3: .foreignKey, 5: .notNull, 6: .primaryKey, 7: .trigger, 8: .unique, 10: .rowID, 12: .dataType,
  ]
}
