extension Database {
  /// Runs a read: one snapshot, no writes.
  func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
    isReading = true
    defer { isReading = false }
    try connection.begin(.deferred)
    let result = Result { try body(self) }
    // A failing read may have ended the transaction; what it read is valid all the same.
    try? connection.rollback()
    return try result.get()
  }

  /// Runs a write in a transaction.
  func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var value: Value?
    try inTransaction(.immediate) {
      value = try body(self)
      guard isInsideTransaction else {
        throw context.error(
          .misuse, "the transaction of this write was ended from within",
          remedy: "Do not run COMMIT or ROLLBACK inside `write`; throw an error to roll back.")
      }
      return .commit
    }
    guard let value else { preconditionFailure("A transaction ended without its body.") }
    return value
  }

  /// Runs a write without a transaction, and leaves none open.
  func writingWithoutTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let result = Result { try body(self) }
    guard isInsideTransaction else { return try result.get() }
    try connection.rollback()
    // What `body` threw explains more than that it left a transaction open.
    _ = try result.get()
    throw context.error(
      .misuse, "the access left a transaction open, which was rolled back",
      remedy: "Commit or roll back before the access ends, or use `write`.")
  }

  /// Removes every object and every row, in one transaction.
  package func erase() throws {
    try withoutForeignKeys {
      try inTransaction(.immediate) {
        try eraseInTransaction()
        return .commit
      }
    }
  }

  /// Removes every object and every row within the open transaction.
  package func eraseInTransaction() throws {
    statementCache.removeAll()
    try connection.eraseEverything()
  }

  /// Runs `body` with foreign keys not enforced, and restores the setting on every exit.
  package func withoutForeignKeys<Value>(_ body: () throws -> Value) throws -> Value {
    guard try connection.enforcesForeignKeys() else { return try body() }
    try connection.setEnforcesForeignKeys(false)
    let result = Result { try body() }
    do {
      try connection.setEnforcesForeignKeys(true)
    } catch {
      // The first error is the one that matters.
      _ = try result.get()
      throw error
    }
    return try result.get()
  }
}
