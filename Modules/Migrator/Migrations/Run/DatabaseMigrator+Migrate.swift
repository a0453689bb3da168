extension DatabaseMigrator {
  /// Applies the migrations that the database does not have yet, in the order of registration.
  ///
  /// Each migration commits separately. If nothing is pending, nothing is written and no lock is taken.
  ///
  /// - Throws: ``MigrationError``. Migrations before the failing one remain applied; later ones do not run.
  public func migrate(_ writer: any DatabaseWriter) throws { try run(writer, events: report) }

  /// Applies the migrations that the database does not have yet, up to and including a target.
  ///
  /// - Throws: ``MigrationError``, also if the database has migrations after the target: migrations only run forward.
  public func migrate(_ writer: any DatabaseWriter, upTo target: String) throws {
    try run(writer, upTo: target, events: report)
  }

  /// Applies the migrations that the database does not have yet; see the synchronous method.
  ///
  /// - Throws: ``MigrationError``; `CancellationError` if the task was canceled. The running migration is then rolled
  ///   back, unless it runs without a transaction or in batches; earlier migrations remain applied.
  public func migrate(_ writer: any DatabaseWriter) async throws {
    try await writer.barrierWriteWithoutTransaction { db in try run(on: db, events: report) }
  }

  /// Applies the migrations up to and including a target, as the method without a target does.
  public func migrate(_ writer: any DatabaseWriter, upTo target: String) async throws {
    try await writer.barrierWriteWithoutTransaction { db in try run(on: db, upTo: target, events: report) }
  }

  /// Schedules a run that applies the migrations that the database does not have yet.
  ///
  /// - Parameter completion: The function to call after the run. It is called on a queue of the database, and may use
  ///   the database that it receives.
  public func asyncMigrate(
    _ writer: any DatabaseWriter, completion: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncMigrate(writer) { db, error in completion(error.map { .failure($0) } ?? .success(db)) }
  }

  /// Schedules a run that applies the migrations that the database does not have yet.
  ///
  /// - Parameter completion: The function to call after the run. It is called on a queue of the database, and may use
  ///   the database that it receives. The error is nil on success.
  public func asyncMigrate(
    _ writer: any DatabaseWriter, completion: @escaping @Sendable (Database, (any Error)?) -> Void
  ) {
    writer.asyncBarrierWriteWithoutTransaction { db, error in
      do {
        if let error { throw error }
        try run(on: db, events: report)
        completion(db, nil)
      } catch {
        completion(db, error)
      }
    }
  }

  /// Applies the migrations that the database does not have yet, and returns a sequence that reports each step as it
  /// happens.
  ///
  /// The run begins when the first event is requested, and continues even if no more events are read. Canceling the
  /// task that reads the events, or releasing the sequence, cancels the run, with the same effect as for the
  /// asynchronous `migrate(_:)`.
  ///
  /// - Parameter target: The last migration to apply; nil for all.
  /// - Returns: The events, in order. The sequence ends with ``MigrationEvent/finished(applied:duration:)``, or throws
  ///   ``MigrationError`` or `CancellationError`. It can be iterated only once.
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

  /// Starts a run and returns its events; releasing the sequence cancels the run.
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
  ///   - mayErase: Whether the run follows ``eraseDatabaseOnSchemaChange``; otherwise, it never erases.
  ///   - reportsProgress: Whether to report the progress of running migrations.
  ///   - reviewing: The review of the rows that migrations remove; nil to count no rows.
  ///   - events: The function to call for each event, in order, during the access to the database.
  ///   - confirming: A function that throws an error unless the database is in the state that the caller has reviewed;
  ///     called before the run, and again under each lock until the run has changed something.
  package func run(
    _ writer: any DatabaseWriter, upTo target: String? = nil, mayErase: Bool = true,
    reportsProgress: Bool = false, reviewing: RowLossReview? = nil, events: (MigrationEvent) -> Void = { _ in },
    confirming: ((Database) throws -> Void)? = nil
  ) throws {
    try writer.barrierWriteWithoutTransaction { db in
      try run(
        on: db, upTo: target, mayErase: mayErase, reportsProgress: reportsProgress, reviewing: reviewing,
        events: events, confirming: confirming)
    }
  }

  func run(
    on db: Database, upTo target: String? = nil, mayErase: Bool = true, reportsProgress: Bool = false,
    reviewing: RowLossReview? = nil, events: (MigrationEvent) -> Void = { _ in },
    confirming: ((Database) throws -> Void)? = nil
  ) throws {
    try withoutActuallyEscaping(events) { events in
      let run = MigrationRun(
        self, on: db, reportsProgress: reportsProgress, reviewing: reviewing, confirming: confirming, events: events)
      try run.perform(upTo: target, mayErase: mayErase && eraseDatabaseOnSchemaChange)
    }
  }

  /// Passes erasures and warnings of a run to ``notify``, since the caller reads no events.
  @Sendable func report(_ event: MigrationEvent) {
    switch event {
    case .erasing(let report): if erasure != .silent { notify("migrator: \(report)") }
    case .warning(let warning): notify("migrator: warning: \(warning)")
    default: break
    }
  }

  /// Writes adopted histories to the ledger without running a migration; does nothing if the ledger has entries.
  ///
  /// - Throws: ``MigrationError/adoptionRefused(_:)``; ``DatabaseError``.
  package func takeOverHistory(_ writer: any DatabaseWriter) throws {
    guard !adopted.isEmpty else { return }
    try writer.barrierWriteWithoutTransaction { db in try MigrationRun(self, on: db).writeAdoptedHistory() }
  }
}
