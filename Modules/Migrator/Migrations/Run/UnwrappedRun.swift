/// Applies a migration that manages without a transaction.
///
/// Its entry is written before it runs, without a duration, and completed when it has ended. A crash leaves the first
/// entry behind, which counts as pending: such a migration must be made to run again.
struct UnwrappedRun {
  private let run: RunContext
  private var db: Database { run.db }

  init(_ run: RunContext) { self.run = run }

  /// Applies the migration unless another connection did.
  func perform(_ planned: PlannedMigration) throws {
    let migration = planned.migration
    let (index, count) = (planned.index, planned.count)
    var merged: Set<String> = []
    let isPending = try inTransaction { applied in
      guard !applied.contains(migration.identifier) else { return false }
      merged = applied.intersection(migration.mergedIdentifiers)
      run.events(.started(identifier: migration.identifier, index: index, count: count))
      try run.record(migration, duration: nil, objects: ObjectChanges())
      return true
    }
    guard isPending else {
      run.expect(migration)
      return run.events(.skipped(identifier: migration.identifier, index: index, count: count))
    }
    try run.schema.begin(db)
    let start = ContinuousClock.now
    try migration.body(db, merged)
    guard !db.isInsideTransaction else {
      try db.connection.rollback()
      throw MigrationError.transactionLeftOpen
    }
    let duration = ContinuousClock.now - start
    _ = try inTransaction { _ in
      try run.record(migration, duration: duration, objects: run.schema.end(db))
      return true
    }
    run.expect(migration)
    run.committed.append(migration.identifier)
    run.events(.committed(identifier: migration.identifier, index: index, count: count, duration: duration))
  }

  private func inTransaction(_ body: (Set<String>) throws -> Bool) throws -> Bool {
    try run.begin()
    do {
      let result = try body(run.appliedUnderLock())
      try run.commit()
      return result
    } catch {
      run.abandon()
      throw error
    }
  }
}
