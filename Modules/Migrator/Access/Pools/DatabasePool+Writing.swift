extension DatabasePool {
  /// Writes in a transaction, beside the readers; see ``DatabaseWriter``.
  public func write<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    requireOutsideOfReads()
    return try writer.sync { db in try db.writing(updates) }
  }

  /// Writes in a transaction, beside the readers; see ``DatabaseWriter``.
  public func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await writer.async { db in try db.writing(updates) }
  }

  /// Writes without a transaction, beside the readers; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    requireOutsideOfReads()
    return try writer.sync { db in try db.writingWithoutTransaction(updates) }
  }

  /// Writes without a transaction, beside the readers; see ``DatabaseWriter``.
  public func writeWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await writer.async { db in try db.writingWithoutTransaction(updates) }
  }

  /// Writes without a transaction after the reads that run or wait already, while no other read begins.
  ///
  /// Readers forget their prepared statements afterwards, so that they meet the schema as it is then.
  public func barrierWriteWithoutTransaction<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    requireOutsideOfReads()
    return try writer.sync { db in try readers.excluding { try db.writingWithoutTransaction(updates) } }
  }

  /// Writes without a transaction while no read runs; see the synchronous form.
  ///
  /// Cancelling the task also ends the wait for the readers.
  public func barrierWriteWithoutTransaction<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    let ticket = AccessGate.Ticket()
    return try await withTaskCancellationHandler {
      try await writer.async { [readers] db in
        try readers.excluding(ticket) { try db.writingWithoutTransaction(updates) }
      }
    } onCancel: {
      readers.cancel(ticket)
    }
  }

  /// Writes later, in a transaction, beside the readers; see ``DatabaseWriter``.
  public func asyncWrite<Value: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Database, Result<Value, any Error>) -> Void
  ) {
    writer.scheduleWriting(updates, completion: completion)
  }

  /// Writes later, without a transaction, while no read runs; see ``DatabaseWriter``.
  ///
  /// A transaction that `updates` leaves open is rolled back.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Database, (any Error)?) -> Void
  ) {
    writer.schedule { [readers] db, error in
      guard error == nil else { return updates(db, error) }
      // Without a ticket waiting cannot fail, and `updates` throws nothing. That it left a transaction open could be told
      // to nobody.
      try? readers.excluding { try db.writingWithoutTransaction { db in updates(db, nil) } }
    }
  }

  private func requireOutsideOfReads() {
    precondition(
      !readers.isReading,
      "A pool cannot be written inside one of its reads, which the write may wait for: end the read first.")
  }
}
