extension DatabaseMigrator {
  /// Returns the registered migrations that are applied to the database, in the order of registration.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try knownApplied(db)
    return migrations.filter { applied.contains($0) }
  }

  /// Returns all identifiers in the ledger, including unregistered ones; empty in a database without a ledger.
  ///
  /// If a history is adopted but not yet in the ledger, returns the history's identifiers. The result includes
  /// registered migrations that newer code has merged: they are applied, although another entry has replaced their
  /// entries.
  ///
  /// - Throws: ``DatabaseError`` if the ledger cannot be read, since an unreadable ledger is never treated as an empty
  ///   one; ``MigrationError/adoptionRefused(_:)``.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    let applied = try ledger.appliedIdentifiers(db)
    if applied.isEmpty { return adopted.isEmpty ? [] : Set(try unwrittenHistory(db).map(\.identifier)) }
    guard !registered.allSatisfy({ applied.contains($0.identifier) }) else { return applied }
    return try applied.union(ledger.replacedIdentifiers(db).filter { index(of: $0) != nil })
  }

  func knownApplied(_ db: Database) throws -> Set<String> { try appliedIdentifiers(db).filter(knows) }

  /// Returns the registered migrations that come before the first one that the database does not have.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let done = done(try knownApplied(db))
    return Array(migrations.prefix { done.contains($0) })
  }

  /// Returns whether the database has all registered migrations.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    done(try knownApplied(db)).isSuperset(of: migrations)
  }

  /// Returns the migrations that need not run: those that are applied, and those that an applied migration has
  /// replaced.
  func done(_ applied: Set<String>) -> Set<String> {
    guard !merged.isEmpty else { return applied }
    var done = applied
    for migration in registered where applied.contains(migration.identifier) {
      done.formUnion(migration.mergedIdentifiers)
    }
    return done
  }

  /// Returns whether the database has a migration that this migrator neither registers nor merges: newer code migrated
  /// it, or another migrator uses the same ``ledgerTable``.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool { try !unknown(db).isEmpty }

  /// Returns the ledger's entries, in the order in which the migrations were applied; if a history is adopted but not
  /// yet in the ledger, the entries that the ledger will start with.
  ///
  /// Unfinished migrations are included on request; entries of unknown migrations for which `isForeign` returns true
  /// are not.
  package func history(
    _ db: Database, withUnfinished: Bool = false, leavingOut isForeign: (LedgerEntry) -> Bool = { _ in false }
  ) throws -> [LedgerEntry] {
    var known: Set<String> = []
    let entries = try ledger.entries(db, withUnfinished: withUnfinished).filter { entry in
      guard knows(entry.identifier) else { return !isForeign(entry) }
      guard known.insert(entry.identifier).inserted else {
        let error = db.context.error(.corrupt, "it records migration \"\(entry.identifier)\" twice")
        throw MigrationError.ledgerUnreadable(table: ledgerTable, underlying: error)
      }
      return true
    }
    return try entries.isEmpty ? unwrittenHistory(db) : entries
  }

  /// The table in which this migrator records its applied migrations.
  package var ledger: Ledger { Ledger(table: ledgerTable) }

  func place(ofTarget target: String) throws -> Int {
    guard let place = index(of: target) else { throw MigrationError.unknownTarget(target) }
    return place
  }

  /// Returns the migrations that a run would apply, in order.
  ///
  /// - Throws: ``MigrationError/migratedBeyond(target:)``; ``MigrationError/outOfOrder(pending:applied:)``.
  func pending(applied: Set<String>, upTo limit: Int?) throws -> [Migration] {
    let last = limit ?? registered.count - 1
    guard !registered.dropFirst(last + 1).contains(where: { applied.contains($0.identifier) }) else {
      throw MigrationError.migratedBeyond(target: registered[last].identifier)
    }
    let done = done(applied)
    let pending = registered.prefix(last + 1).filter { !done.contains($0.identifier) }
    if outOfOrder == .refuse, let first = pending.first, let start = index(of: first.identifier),
      let overtaken = registered[start...].first(where: { applied.contains($0.identifier) })
    {
      throw MigrationError.outOfOrder(pending: first.identifier, applied: overtaken.identifier)
    }
    return Array(pending)
  }

  /// Throws ``MigrationError/separateTransaction(_:)`` if all migrations must be committed together, but cannot be.
  func requireOneTransaction(_ pending: [Migration]) throws {
    guard commits == .allOrNothing else { return }
    let others = groups(pending).dropFirst().first?.first?.migration
    guard let separate = pending.first(where: { !$0.isTransactional }) ?? others else { return }
    throw MigrationError.separateTransaction(separate.identifier)
  }

  /// Splits pending migrations into groups that share a transaction.
  func groups(_ pending: [Migration]) -> [[PlannedMigration]] {
    var groups: [[PlannedMigration]] = []
    // The place up to which violations of foreign keys are left for a later migration of the same group.
    var repair = -1
    for (index, migration) in pending.enumerated() {
      if let last = groups.last?.last?.migration, commits != .eachMigration || index <= repair,
        last.isTransactional, migration.isTransactional,
        (last.mode == .immediate) == (migration.mode == .immediate)
      {
        groups[groups.count - 1][groups[groups.count - 1].count - 1].leavesViolations = index <= repair
      } else {
        groups.append([])
        repair = -1
      }
      groups[groups.count - 1].append(
        PlannedMigration(migration: migration, index: index + 1, count: pending.count))
      if let successor = migration.violationsUntil {
        repair = max(repair, pending.firstIndex { $0.identifier == successor } ?? -1)
      }
    }
    return groups
  }

  /// Throws an error if the ledger has unknown migrations and the policy does not allow them.
  func requireKnown(_ db: Database) throws {
    guard unknownMigrations == .refuse else { return }
    let unknown = try unknown(db)
    guard unknown.isEmpty else { throw MigrationError.superseded(unknown: unknown) }
  }

  /// Returns the migrations whose source was edited, in the order of registration; throws if the policy does not allow
  /// that.
  @discardableResult
  func requireUnedited(_ db: Database) throws -> [String] {
    guard editedMigrations != .ignore, registered.contains(where: { $0.checksum != nil }) else { return [] }
    let checksums = try ledger.checksums(db)
    let edited = registered.filter { $0.isEdited(since: checksums[$0.identifier]) }.map(\.identifier)
    guard edited.isEmpty || editedMigrations == .warn else { throw MigrationError.edited(edited) }
    return edited
  }

  /// Returns whether the policy for unknown migrations allows a run.
  func allowsUnknown(_ db: Database) throws -> Bool { try unknownMigrations == .allow || unknown(db).isEmpty }
}

/// A pending migration and its position in the run.
struct PlannedMigration {
  let migration: Migration
  let index: Int
  let count: Int
  /// Whether this migration leaves foreign key violations that a later migration of the same transaction repairs.
  var leavesViolations = false
}
