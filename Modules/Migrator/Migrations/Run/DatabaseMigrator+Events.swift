extension DatabaseMigrator {
  /// Applies the migrations that the database does not have, and tells each step as it happens.
  ///
  /// The run begins at once, whether the events are read or not. Cancelling the task that reads them, or giving the
  /// sequence up, ends the run as cancelling that of the asynchronous `migrate(_:)` does.
  ///
  /// - Parameters:
  ///   - writer: The database.
  ///   - target: The last migration to apply; nil for all.
  /// - Returns: The events, in order; the sequence ends with ``MigrationEvent/finished(applied:duration:)``, or throws
  ///   ``MigrationError`` or `CancellationError`. It can be read once.
  public func migrationEvents(
    _ writer: any DatabaseWriter, upTo target: String? = nil
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
}
