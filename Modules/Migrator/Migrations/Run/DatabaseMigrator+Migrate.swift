extension DatabaseMigrator {
  /// Applies the migrations that the database does not have, in the order of registration.
  ///
  /// Each migration commits by itself. With nothing to apply, nothing is written and no lock is taken.
  ///
  /// - Throws: ``MigrationError``. Migrations applied before the failing one stay; those after it do not run.
  public func migrate(_ writer: any DatabaseWriter) throws { try run(writer) }

  /// Applies the migrations up to one of them, itself included, that the database does not have.
  ///
  /// - Throws: ``MigrationError``, also when the database is beyond the target already: migrations only run forward.
  public func migrate(_ writer: any DatabaseWriter, upTo target: String) throws { try run(writer, upTo: target) }

  /// Applies the migrations that the database does not have; see the synchronous form.
  ///
  /// - Throws: ``MigrationError``; `CancellationError` when the task was cancelled: the migration that ran is rolled
  ///   back then, unless it runs without a transaction or in batches, and those before it stay.
  public func migrate(_ writer: any DatabaseWriter) async throws {
    try await writer.barrierWriteWithoutTransaction { db in try run(on: db) }
  }

  /// Applies the migrations up to one of them, as the form without a target does.
  public func migrate(_ writer: any DatabaseWriter, upTo target: String) async throws {
    try await writer.barrierWriteWithoutTransaction { db in try run(on: db, upTo: target) }
  }

  /// Applies the migrations that the database does not have, later.
  ///
  /// - Parameter completion: Is called on a queue of the database, where it may use the database that it is given.
  public func asyncMigrate(
    _ writer: any DatabaseWriter, completion: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncMigrate(writer) { db, error in completion(error.map { .failure($0) } ?? .success(db)) }
  }

  /// Applies the migrations that the database does not have, later.
  ///
  /// - Parameter completion: Is called as that of the other form; the error is nil when all went well.
  public func asyncMigrate(
    _ writer: any DatabaseWriter, completion: @escaping @Sendable (Database, (any Error)?) -> Void
  ) {
    writer.asyncBarrierWriteWithoutTransaction { db, error in
      do {
        if let error { throw error }
        try run(on: db)
        completion(db, nil)
      } catch {
        completion(db, error)
      }
    }
  }

  /// Applies the migrations that the database does not have, and returns each step as it happens.
  ///
  /// The run begins when the first event is asked for, and goes on whether the next ones are read or not. Cancelling
  /// the task that reads them, or releasing the sequence, ends the run as cancelling that of the asynchronous
  /// `migrate(_:)` does.
  ///
  /// - Parameter target: The last migration to apply; nil for all.
  /// - Returns: The events, in order; the sequence ends with ``MigrationEvent/finished(applied:duration:)``, or throws
  ///   ``MigrationError`` or `CancellationError`. It can be read once.
  public func migrationEvents(
    _ writer: any DatabaseWriter, upTo target: String? = nil
  ) -> AsyncThrowingStream<MigrationEvent, any Error> {
    let started = Lock<AsyncThrowingStream<MigrationEvent, any Error>?>(nil)
    return AsyncThrowingStream {
      let events = started.withLock { started in
        let events = started ?? startedEvents(writer, upTo: target)
        started = events
        return events
      }
      var iterator = events.makeAsyncIterator()
      return try await iterator.next()
    }
  }

  /// Begins a run and returns its events; releasing them cancels it.
  private func startedEvents(
    _ writer: any DatabaseWriter, upTo target: String?
  ) -> AsyncThrowingStream<MigrationEvent, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await writer.barrierWriteWithoutTransaction { db in
            try run(on: db, upTo: target, reportsProgress: true) { continuation.yield($0) }
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { reason in
        if case .cancelled = reason { task.cancel() }
      }
    }
  }

  /// Applies migrations and reports each step.
  ///
  /// - Parameters:
  ///   - target: The last migration to apply; nil for all.
  ///   - rebuilding: Whether the database is erased first; nil leaves it to ``eraseDatabaseOnSchemaChange``.
  ///   - reportsProgress: Whether it reports how far a migration is while it runs.
  ///   - events: Is called within the access, in the order of the events.
  package func run(
    _ writer: any DatabaseWriter, upTo target: String? = nil, rebuilding: Rebuild? = nil,
    reportsProgress: Bool = false, events: (MigrationEvent) -> Void = { _ in }
  ) throws {
    try writer.barrierWriteWithoutTransaction { db in
      try run(on: db, upTo: target, rebuilding: rebuilding, reportsProgress: reportsProgress, events: events)
    }
  }

  func run(
    on db: Database, upTo target: String? = nil, rebuilding: Rebuild? = nil, reportsProgress: Bool = false,
    events: (MigrationEvent) -> Void = { _ in }
  ) throws {
    try withoutActuallyEscaping(events) { events in
      let run = MigrationRun(self, on: db, reportsProgress: reportsProgress, events: events)
      try run.perform(upTo: target, rebuilding: rebuilding ?? (eraseDatabaseOnSchemaChange ? .onSchemaChange : .never))
    }
  }

  /// Writes adopted histories into the ledger without running a migration; does nothing when the ledger has entries.
  ///
  /// - Throws: ``MigrationError/adoptionRefused(_:)``; ``DatabaseError``.
  package func takeOverHistory(_ writer: any DatabaseWriter) throws {
    guard !adopted.isEmpty else { return }
    try writer.barrierWriteWithoutTransaction { db in try MigrationRun(self, on: db).writeAdoptedHistory() }
  }
}

/// Whether a run erases the database first.
package enum Rebuild: Sendable, Hashable {
  /// Never.
  case never
  /// When the migrations have changed.
  case onSchemaChange
  /// In any case.
  case always
}
