extension DatabaseMigrator {
  /// Runs the pending migrations on a scratch copy of the database, and tells what they did.
  ///
  /// The database is read only. The copy is made with the same engine, never reaches the disk without encryption where
  /// the database is encrypted, and is gone afterwards.
  ///
  /// ```swift
  /// let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
  /// print(rehearsal)
  /// ```
  ///
  /// - Warning: The migrations' own code runs. What it does outside of the database (files, network, other databases)
  ///   it really does. Functions given to ``Configuration/prepareDatabase(_:)`` run on the copy's connection, too.
  /// - Parameters:
  ///   - db: The database, which is read only.
  ///   - target: The last migration to apply; nil for all.
  ///   - extent: What is copied. All of it is read, which takes its time and holds a snapshot of the database meanwhile.
  ///   - events: Is called with each step, within the access: ``MigrationEvent/copying(rowCount:totalRowCount:elapsed:)``,
  ///     then those of the run on the copy.
  /// - Throws: ``DatabaseError``, as unsupported when the copy's connection has other databases attached, which
  ///   migrations would really change; `CancellationError`. What a migration throws is told in
  ///   ``MigrationRehearsal/failure`` instead.
  public func rehearse(
    _ db: Database, upTo target: String? = nil, copying extent: RehearsalCopy = .schemaOnly,
    events: ((MigrationEvent) -> Void)? = nil
  ) throws -> MigrationRehearsal {
    do {
      return try Rehearsing(migrator: self, source: db, target: target, extent: extent, events: events).perform()
    } catch let error as DatabaseError where error.condition == .interrupted {
      // The border does not know why it was interrupted.
      try db.checkCancellation()
      throw error
    }
  }

  /// The same migrator, whose migrations write their statements down, and which never erases nor keeps anything.
  func tracing(_ trace: StatementTrace) -> DatabaseMigrator {
    var traced = self
    traced.eraseDatabaseOnSchemaChange = false
    // The copy is gone afterwards, and a database in memory has no file to be kept.
    traced.backup = .none
    traced.registered = registered.map(trace.tracing)
    return traced
  }
}
