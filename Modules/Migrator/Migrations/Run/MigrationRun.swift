/// One run of a migrator over a database.
final class MigrationRun {
  private static let mostPlans = 10

  private let run: RunContext
  private var migrator: DatabaseMigrator { run.migrator }
  private var db: Database { run.db }

  init(
    _ migrator: DatabaseMigrator, on db: Database, reportsProgress: Bool, events: @escaping (MigrationEvent) -> Void
  ) {
    run = RunContext(migrator, on: db, reportsProgress: reportsProgress, events: events)
  }

  /// Applies what is pending up to the target, itself included, after erasing the database if that is due.
  func perform(upTo target: String?, rebuilding: Rebuild) throws {
    guard !db.isInsideTransaction else { throw MigrationError.insideTransaction }
    let start = ContinuousClock.now
    let limit = try target.map { try index(ofTarget: $0) }
    try rebuild(rebuilding)
    var plans = 1
    while try !performPending(upTo: limit) {
      // Another program may erase the database in the middle of a run, but hardly time and again.
      guard plans < Self.mostPlans else { throw MigrationError.historyLost(applied: run.committed) }
      plans += 1
    }
    try run.adoptHistory()
    run.events(.finished(applied: run.committed, duration: .now - start))
  }

  // MARK: What is to be done

  private func index(ofTarget target: String) throws -> Int {
    guard let index = migrator.index(of: target) else { throw MigrationError.unknownTarget(target) }
    return index
  }

  /// Plans what is pending and applies it.
  ///
  /// - Returns: False when the plan was outdated before it was done.
  private func performPending(upTo limit: Int?) throws -> Bool {
    run.expected = try run.lock.retrying(db) { try migrator.appliedIdentifiers(db) }
    try migrator.requireKnown(run.expected, db)
    let pending = try migrator.pending(applied: run.expected, upTo: limit)
    guard !pending.isEmpty else { return true }
    run.planned = Set(pending.map(\.identifier))
    run.events(.planned(identifiers: pending.map(\.identifier)))
    let planned = pending.enumerated().map { index, migration in
      PlannedMigration(migration: migration, index: index + 1, count: pending.count)
    }
    return try withForeignKeySwitch { foreignKeys in
      do {
        for group in migrator.groups(planned) { try GroupRun(run, foreignKeys).perform(group) }
        return true
      } catch is PlanOutdated {
        return false
      }
    }
  }

  // MARK: Erasing

  /// Erases the database if that is due.
  ///
  /// The check is repeated under the lock that the erasing needs.
  private func rebuild(_ rebuild: Rebuild) throws {
    guard rebuild != .never, try rebuild == .always || migrator.hasSchemaChanges(db) else { return }
    try db.withoutForeignKeys {
      try run.begin()
      do {
        let reasons = try migrator.schemaChanges(db)
        guard rebuild == .always || !reasons.isEmpty else { return try db.connection.rollback() }
        if rebuild == .onSchemaChange {
          try migrator.requireKnown(migrator.appliedIdentifiers(db), db)
          try migrator.requireSoleMigrator(db, reasons)
        }
        try run.backUp()
        try db.eraseInTransaction()
        try migrator.forgetUserVersion(db)
        try run.commit()
        run.events(.erased(reasons: reasons))
      } catch {
        run.abandon()
        throw error
      }
    }
  }

  private func withForeignKeySwitch<Value>(_ body: (ForeignKeySwitch) throws -> Value) throws -> Value {
    let foreignKeys = try ForeignKeySwitch(db)
    let result = Result { try body(foreignKeys) }
    do {
      try foreignKeys.restore()
    } catch {
      // What failed first is what the caller must know.
      _ = try result.get()
      throw error
    }
    return try result.get()
  }
}
