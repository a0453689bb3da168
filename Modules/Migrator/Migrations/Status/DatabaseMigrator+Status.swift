extension DatabaseMigrator {
  /// The registered migrations that the database has, in the order of registration.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return migrations.filter { applied.contains($0) }
  }

  /// All identifiers in the ledger, those that are not registered included; empty in a database without a ledger.
  ///
  /// Where a history is adopted and not in the ledger yet, its identifiers. Registered migrations that newer code has
  /// merged are among them: they are applied, though another entry stands for them now.
  ///
  /// - Throws: ``DatabaseError`` when the ledger cannot be read; that never looks like an empty one.
  ///   ``MigrationError/adoptionRefused(_:)``.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    let applied = try ledger.appliedIdentifiers(db)
    if applied.isEmpty { return adopted.isEmpty ? [] : Set(try unwrittenHistory(db).map(\.identifier)) }
    guard !registered.allSatisfy({ applied.contains($0.identifier) }) else { return applied }
    return try applied.union(ledger.replacedIdentifiers(db).filter { index(of: $0) != nil })
  }

  /// The registered migrations from the first on, up to one that the database does not have.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let done = done(try appliedIdentifiers(db))
    return Array(migrations.prefix { done.contains($0) })
  }

  /// Whether the database has all registered migrations.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    done(try appliedIdentifiers(db)).isSuperset(of: migrations)
  }

  /// The migrations that need not run: those that are applied, and those that applied ones have replaced.
  func done(_ applied: Set<String>) -> Set<String> {
    var done = applied
    for migration in registered where applied.contains(migration.identifier) {
      done.formUnion(migration.mergedIdentifiers)
    }
    return done
  }

  /// Whether the database has a migration that this migrator neither knows nor merges: it was migrated by newer code,
  /// or by another migrator that uses the same ``ledgerTable``.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try !unknown(among: appliedIdentifiers(db), db).isEmpty
  }

  /// The ledger's entries, in the order of their application; those that it will begin with where a history is adopted
  /// and not in the ledger yet.
  ///
  /// - Parameter withUnfinished: Whether those that have begun and not ended are among them.
  package func history(_ db: Database, withUnfinished: Bool = false) throws -> [LedgerEntry] {
    let entries = try ledger.entries(db, withUnfinished: withUnfinished)
    return entries.isEmpty ? try unwrittenHistory(db) : entries
  }

  /// The table in which databases remember this migrator's migrations.
  package var ledger: Ledger { Ledger(table: ledgerTable) }

  func place(ofTarget target: String) throws -> Int {
    guard let place = index(of: target) else { throw MigrationError.unknownTarget(target) }
    return place
  }

  /// The migrations that a run would apply, in its order.
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

  /// Refuses a ledger with unknown migrations where that is asked for.
  func requireKnown(_ applied: Set<String>, _ db: Database) throws {
    guard try !allows(applied, db) else { return }
    throw MigrationError.superseded(unknown: try unknown(among: applied, db).sorted())
  }

  /// The applied migrations whose source was edited afterwards, in the order of registration; none where the policy is to
  /// ignore them.
  func edited(_ db: Database) throws -> [String] {
    guard editedMigrations != .ignore, registered.contains(where: { $0.checksum != nil }) else { return [] }
    let checksums = try ledger.checksums(db)
    return registered.filter { $0.isEdited(since: checksums[$0.identifier]) }.map(\.identifier)
  }

  /// Refuses edited migrations where that is asked for.
  ///
  /// - Returns: The edited migrations.
  @discardableResult
  func requireUnedited(_ db: Database) throws -> [String] {
    let edited = try edited(db)
    guard edited.isEmpty || editedMigrations == .warn else { throw MigrationError.edited(edited) }
    return edited
  }

  /// Whether the policy for unknown migrations lets a run go on.
  func allows(_ applied: Set<String>, _ db: Database) throws -> Bool {
    try unknownMigrations == .allow || unknown(among: applied, db).isEmpty
  }
}
