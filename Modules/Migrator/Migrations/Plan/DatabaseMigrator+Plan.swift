extension DatabaseMigrator {
  /// Returns the migrations that a run would apply to the database, and why.
  ///
  /// Nothing is written, so a read-only connection is enough. Errors that a run would throw before it begins are listed
  /// in ``MigrationPlan/refusals`` instead of thrown.
  ///
  /// ```swift
  /// let plan = try dbQueue.read { db in try migrator.plan(db) }
  /// print(plan)
  /// ```
  ///
  /// - Parameter target: The last migration to apply; nil for all.
  /// - Throws: ``DatabaseError``; ``MigrationError/ledgerUnreadable(table:underlying:)``, since a plan without entries
  ///   would look like one with nothing to do.
  /// - Note: With ``eraseDatabaseOnSchemaChange``, the applied migrations run on an empty scratch database, as in
  ///   ``schemaChanges(_:)-(Database)``; their effects outside the database happen again.
  public func plan(_ db: Database, upTo target: String? = nil) throws -> MigrationPlan {
    try db.onOneState {
      var plan = try Planner(migrator: self, db: db, target: target).make()
      if plan.refusals.isEmpty { plan.token = try planToken(db, upTo: target) }
      return plan
    }
  }

  /// Applies the migrations of a plan, if nothing has changed since it was made.
  ///
  /// The state is compared before the run, and again under each lock until the run has changed something: the database's file, its
  /// ledger and schema, the migrations and their SQL texts, the target, and the settings of the migrator. The rows are
  /// not compared. The work of a migration that is Swift code cannot be compared, either. A database that is not a file
  /// is recognized by its ledger, its schema and its ``Configuration/label``.
  ///
  /// - Throws: ``MigrationError/planChanged(_:)`` if the plan no longer holds, in which case nothing was done;
  ///   ``MigrationError``.
  public func migrate(_ writer: any DatabaseWriter, confirming plan: MigrationPlan) throws {
    try run(writer, upTo: plan.target, events: report, confirming: confirmation(of: plan))
  }

  /// Applies the migrations of a plan, if nothing has changed since it was made; see the synchronous method.
  public func migrate(_ writer: any DatabaseWriter, confirming plan: MigrationPlan) async throws {
    try await writer.barrierWriteWithoutTransaction { db in
      try run(on: db, upTo: plan.target, events: report, confirming: confirmation(of: plan))
    }
  }

  private func confirmation(of plan: MigrationPlan) -> (Database) throws -> Void {
    { db in
      if let refusal = plan.refusals.first { throw refusal }
      try planToken(db, upTo: plan.target).require(plan.token?.text ?? "")
    }
  }

  /// Returns the token of the plan that ``plan(_:upTo:)`` makes, which depends on all policies of the migrator.
  package func planToken(_ db: Database, upTo target: String? = nil) throws -> PlanToken {
    var renames: [String: String] = [:]
    if case .keepingRows(let given) = erasure { renames = given }
    let policies = [
      "\(erasure == .keepingRows(renames: renames))", "\(erasure == .silent)", "\(backup)", "\(unknownMigrations)",
      "\(outOfOrder)", "\(editedMigrations)",
    ]
    return try PlanToken(
      self, db, upTo: target, settings: policies + renames.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
  }
}

private struct Planner {
  let migrator: DatabaseMigrator
  let db: Database
  let target: String?

  func make() throws -> MigrationPlan {
    var plan = MigrationPlan(target: target)
    do {
      plan.erasure = try erasure()
    } catch let error as MigrationError where !error.leavesHistoryUnknown {
      plan.refusals.append(error)
    }
    let applied: Set<String>
    do {
      applied = try migrator.knownApplied(db)
    } catch let error as MigrationError where !error.leavesHistoryUnknown {
      // The check for schema changes has found the same error.
      if plan.refusals.isEmpty { plan.refusals.append(error) }
      return withTargetRefusal(plan)
    }
    plan.applied = migrator.migrations.filter { applied.contains($0) }
    plan.adopted = try plan.erasure == nil ? migrator.unwrittenHistory(db).map(\.identifier) : []
    plan.unknown = try migrator.unknown(db)
    guard target == nil || limit != nil else { return withTargetRefusal(plan) }
    // The history is erased, so it blocks nothing.
    let isErased = plan.erasure != nil
    plan.refusals += try refusals(applied: applied, isErased: isErased)
    plan.entries = try entries(applied, isErased: isErased)
    return plan
  }

  private var limit: Int? { target.flatMap { migrator.index(of: $0) } }

  /// Returns the plan with an error for an invalid target as the first refusal, since a run checks the target first.
  private func withTargetRefusal(_ plan: MigrationPlan) -> MigrationPlan {
    guard let target, limit == nil else { return plan }
    var plan = plan
    plan.refusals.insert(.unknownTarget(target), at: 0)
    plan.erasure = nil
    return plan
  }

  private func erasure() throws -> MigrationPlan.Erasure? {
    guard migrator.eraseDatabaseOnSchemaChange, target == nil || limit != nil else { return nil }
    let entries = try migrator.ownHistory(db)
    let reasons = try migrator.comparison(db, entries).reasons
    if reasons.isEmpty { try migrator.requireAdoptedTables(db, entries) }
    guard !reasons.isEmpty, try migrator.allowsUnknown(db) else { return nil }
    try migrator.requireSoleMigrator(db, reasons)
    let losses = try db.userTables(leavingOut: migrator.ledgerTable).map { table in
      MigrationPlan.TableRows(table: table.name, count: try db.rowCount(of: table))
    }
    return MigrationPlan.Erasure(reasons: reasons, losses: losses)
  }

  private func refusals(applied: Set<String>, isErased: Bool) throws -> [MigrationError] {
    let ofHistory: [() throws -> Void] = [{ try migrator.requireKnown(db) }, { try migrator.requireUnedited(db) }]
    let checks =
      (isErased ? [] : ofHistory) + [
        { try migrator.requireOneTransaction(migrator.pending(applied: isErased ? [] : applied, upTo: limit)) }
      ]
    return try checks.compactMap { check in
      do {
        try check()
        return nil
      } catch let error as MigrationError {
        return error
      }
    }
  }

  /// Returns the plan's entries: the pending migrations up to the target, or all of them if the ledger is erased first.
  private func entries(_ applied: Set<String>, isErased: Bool) throws -> [MigrationPlan.Entry] {
    let upToTarget = migrator.registered.prefix((limit ?? migrator.registered.count - 1) + 1)
    let pending = upToTarget.filter { isErased || !applied.contains($0.identifier) }
    let places = migrator.registered.indices.filter { applied.contains(migrator.registered[$0].identifier) }
    let enforces = try db.connection.enforcesForeignKeys()
    var entries: [MigrationPlan.Entry] = []
    for (group, members) in migrator.groups(Array(pending)).enumerated() {
      for member in members {
        let migration = member.migration
        let isApplied = applied.contains(migration.identifier)
        entries.append(
          MigrationPlan.Entry(
            identifier: migration.identifier, index: member.index,
            reasons: isErased ? [isApplied ? .erased : .neverApplied] : try reasons(migration, applied, places),
            commits: migration.plannedCommits,
            foreignKeyChecks: enforces ? migration.plannedChecks(migrator.foreignKeyScope) : .notEnforced,
            group: group + 1))
      }
    }
    return entries
  }

  /// Returns the reasons why a migration is pending, at least one; `places` are the ascending positions of the applied
  /// migrations.
  private func reasons(_ migration: Migration, _ applied: Set<String>, _ places: [Int]) throws
    -> [MigrationPlan.Reason]
  {
    var reasons: [MigrationPlan.Reason] = []
    let replaced = applied.intersection(migration.mergedIdentifiers)
    if !replaced.isEmpty { reasons.append(.replaces(applied: replaced.sorted())) }
    let place = migrator.index(of: migration.identifier) ?? 0
    if let last = places.last, last > place {
      reasons.append(.outOfOrder(before: places.filter { $0 > place }.map { migrator.registered[$0].identifier }))
    }
    let hasBegun = try !migration.isTransactional && migrator.ledger.unfinished(migration.identifier, db) != nil
    if hasBegun { reasons.append(.unfinished) }
    return reasons.isEmpty ? [.neverApplied] : reasons
  }
}

extension MigrationError {
  /// Whether the ledger exists but could not be read.
  fileprivate var leavesHistoryUnknown: Bool { if case .ledgerUnreadable = self { true } else { false } }
}

extension Migration {
  fileprivate var plannedCommits: MigrationPlan.Commits {
    switch work {
    case .wrapped: .once
    case .batched: .eachBatch
    case .unwrapped: .byItself
    }
  }

  fileprivate func plannedChecks(_ scope: DatabaseMigrator.ForeignKeyScope) -> MigrationPlan.ForeignKeyChecks {
    switch mode {
    case .immediate: .immediate
    case .unchecked: .none
    case .deferred: scope == .database ? .deferredInWholeDatabase : .deferred
    }
  }
}
