extension DatabaseFleet {
  /// The result of a run on one database.
  public enum Migration: Sendable, Equatable {
    /// These migrations were applied, in order.
    case applied([String])
    /// Nothing was pending.
    case skipped
  }
}

extension DatabaseMigrator {
  /// Applies the migrations to each database of a fleet, and returns the outcomes as they occur.
  ///
  /// ```swift
  /// for try await outcome in migrator.migrate(fleet, concurrency: 8, maximumFailures: 10) {
  ///   switch outcome.result {
  ///   case .success(.applied(let migrations)): print(outcome.database.label, "applied", migrations)
  ///   case .success(.skipped): break
  ///   case .failure(let error): print(outcome.database.label, error)
  ///   }
  /// }
  /// ```
  ///
  /// Each database is migrated in the same way as by `migrate(_:)`: a failure leaves the database between two
  /// migrations, and has no effect on the other databases. Each ledger records what was done, so that another run
  /// continues where this one stopped.
  ///
  /// - Parameters:
  ///   - target: The last migration to apply; nil for all.
  ///   - concurrency: The number of databases to migrate at the same time.
  ///   - maximumFailures: The number of failures after which no further database is migrated; nil for no limit.
  /// - Precondition: `concurrency` and `maximumFailures` are at least one.
  public func migrate(
    _ fleet: DatabaseFleet, upTo target: String? = nil, concurrency: Int = 4, maximumFailures: Int? = 1
  ) -> DatabaseFleet.Outcomes<DatabaseFleet.Migration> {
    fleet.outcomes(concurrency: concurrency, maximumFailures: maximumFailures, readonly: false) {
      queue, access, locked in
      var applied: [String] = []
      if case MigrationError.failed(let failure)? = locked { applied = failure.appliedBefore }
      try queue.barrierWriteWithoutTransaction { db in
        try access.run(on: db) { db in
          try run(on: db, upTo: target) {
            if case .committed(let identifier, _, _, _) = $0 { applied.append(identifier) }
            report($0)
          }
        }
      }
      return applied.isEmpty ? .skipped : .applied(applied)
    }
  }

  /// Returns the migrations that a run would apply to each database of a fleet, and the reasons; see
  /// ``plan(_:upTo:)-(Database,_)``.
  ///
  /// Nothing is written: the databases are opened read-only, and none is created.
  ///
  /// - Parameters:
  ///   - target: The last migration to apply; nil for all.
  ///   - concurrency: The number of databases to read at the same time, at least one.
  public func plan(
    _ fleet: DatabaseFleet, upTo target: String? = nil, concurrency: Int = 4
  ) -> DatabaseFleet.Outcomes<MigrationPlan> {
    fleet.read(concurrency: concurrency) { db in try plan(db, upTo: target) }
  }

  /// Returns the registered migrations that each database of a fleet has, in the order of registration.
  ///
  /// Nothing is written: the databases are opened read-only, and none is created.
  ///
  /// - Parameter concurrency: The number of databases to read at the same time, at least one.
  public func appliedMigrations(
    _ fleet: DatabaseFleet, concurrency: Int = 4
  ) -> DatabaseFleet.Outcomes<[String]> {
    fleet.read(concurrency: concurrency) { db in try appliedMigrations(db) }
  }
}

extension DatabaseFleet {
  /// Reads each database, for example with another method of the migrator, and returns the results as they occur.
  ///
  /// Nothing is written: the databases are opened read-only, and none is created.
  ///
  /// - Parameters:
  ///   - concurrency: The number of databases to read at the same time, at least one.
  ///   - value: The function to call with each database, inside a transaction.
  public func read<Value: Sendable>(
    concurrency: Int = 4, _ value: @escaping @Sendable (Database) throws -> Value
  ) -> Outcomes<Value> {
    outcomes(concurrency: concurrency, maximumFailures: nil, readonly: true) { queue, access, _ in
      try queue.read { db in try access.run(on: db, value) }
    }
  }
}
