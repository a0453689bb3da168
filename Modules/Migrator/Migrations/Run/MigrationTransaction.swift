internal import SQLSyntax

/// One commit of a run: a transaction that holds the write lock, and the entries that it adds to the ledger.
///
/// While a migration runs in it, the transaction inspects the migration's statements: it rejects statements that would
/// have no effect or end the transaction, passes each statement to the foreign key watch before it runs, and writes
/// outstanding ledger entries before a statement that may read the ledger.
final class MigrationTransaction: StatementInspector {
  private let run: MigrationRun
  private var db: Database { run.db }

  /// The entries that the transaction adds to the ledger.
  private var entries = Ledger.NewEntries()
  /// Whether a commit would record a migration: not once the transaction was given up, even if the rollback failed.
  var hasEntries: Bool { entries.last != nil }

  /// Whether the running migration, or the one that has just ended, has only created objects, so that they can be read later.
  private var onlyCreates = false

  /// The watch on the foreign keys of the running migration, and of those before it whose objects have not been read; nil if
  /// they are not checked after the migration.
  private var watch: ForeignKeyWatch?
  /// The identifier of the running migration if foreign keys are enforced while it runs; otherwise nil.
  private var enforcedIdentifier: String?
  /// Whether migrations of this transaction left foreign key violations that a later one must repair.
  private(set) var awaitsRepair = false

  /// Begins the transaction, after waiting for other connections to finish writing, and confirms the run again.
  fileprivate init(_ run: MigrationRun) throws {
    self.run = run
    try run.waitingForLock { try run.db.connection.begin(.immediate) }
    do {
      run.cached.beginTransaction(dataVersion: try run.db.connection.dataVersion())
      try run.confirm()
    } catch {
      abandon()
      throw error
    }
  }

  /// Writes the entries and commits, waiting for readers that block the commit.
  ///
  /// If the connection is lost during the commit, the ledger shows whether the commit took effect.
  ///
  /// - Throws: ``DatabaseError`` as `.outcomeUnknown` if the ledger cannot be read; ``UnrecordedCommit``.
  fileprivate func commit() throws {
    try db.finishing { try writeEntries() }
    do {
      try run.waitingForLock { try db.connection.commit() }
    } catch let error as DatabaseError where error.condition == .outcomeUnknown {
      guard let entry = entries.last else { throw UnrecordedCommit(underlying: error) }
      try db.finishing { try DoubtfulCommit(run: run, entry: entry, error: error).settle() }
    }
    run.didCommit(isChange: hasEntries)
  }

  /// Rolls back after an error, and ignores errors of the rollback: the caller must get the first error.
  fileprivate func abandon() {
    run.forget()
    run.backup.forgetLosses(after: 0)
    entries = Ledger.NewEntries()
    stopWatch()
    try? db.connection.rollback()
    // After a disk error, the next read restores the file from its journal.
    _ = try? db.connection.schemaVersion()
  }

  // MARK: The ledger

  /// Returns the known applied migrations; before anything is written, reads the ledger under the write lock, compares the
  /// plan, makes the backup, and creates the ledger if it does not exist.
  ///
  /// - Throws: ``PlanOutdated`` if the ledger has lost entries on which the plan is based.
  func appliedUnderLock() throws -> Set<String> {
    if let applied = run.cached.applied { return applied }
    let applied = try run.migrator.knownApplied(db)
    if try run.isPending(applied: applied), run.backup.isDue { try run.backup.make() }
    try openLedger()
    run.cached.didRead(applied: applied)
    return applied
  }

  /// Creates the ledger if it does not exist, with the entries of adopted histories.
  func openLedger() throws {
    let history = run.migrator.adopted.isEmpty ? [] : try run.migrator.unwrittenHistory(db)
    try run.ledger.create(db)
    try run.ledger.write(history.map { Ledger.NewEntry(entry: $0) }, db)
  }

  /// Returns the already applied migrations among those that `migration` merges.
  func appliedParts(of migration: Migration) throws -> Set<String> {
    let merged = migration.mergedIdentifiers
    guard !merged.isEmpty else { return [] }
    let begun = try run.ledger.begunIdentifiers(db).intersection(merged)
    guard begun.isEmpty else { throw MigrationError.mergesUnfinished(begun.sorted()) }
    return try appliedUnderLock().intersection(merged)
  }

  /// Adds an entry for a migration; `duration` is nil if the migration has not ended, and `cursor` is the start of its next
  /// batch.
  func record(_ migration: Migration, duration: Duration?, objects: ObjectChanges, cursor: DatabaseValue = .null) {
    let entry = LedgerEntry(
      identifier: migration.identifier, position: run.migrator.index(of: migration.identifier) ?? 0,
      appliedAt: Ledger.now, duration: duration, fingerprint: duration.map { _ in run.cached.fingerprint.text },
      checksum: migration.checksum, objectsText: objects.text)
    // A migration that has not ended has not yet replaced anything.
    let merged = duration == nil ? [] : migration.mergedIdentifiers
    entries.append(Ledger.NewEntry(entry: entry, cursor: cursor, replaced: merged), isComplete: !onlyCreates)
    if duration != nil { run.cached.didRecord(migration) }
  }

  /// Writes the entries that are not yet in the ledger.
  private func writeEntries() throws {
    try readCreations()
    // The statements that write entries are inspected, too, and must not write entries first.
    let before = entries.writtenCount
    let new = entries.takeUnwritten()
    do {
      try run.ledger.write(new, db)
    } catch {
      entries.restoreWritten(before)
      throw error
    }
  }

  /// Completes the entries of the migrations whose objects have not been read; one that is running may have created
  /// some, too.
  private func readCreations(isRunning: Bool = false) throws {
    guard entries.hasIncomplete else { return }
    let created: [SchemaObject]
    do {
      let added = try watch?.followSchema() ?? run.cached.addedObjects(db)
      created = entries.complete(with: added, isRunning: isRunning) {
        (run.cached.add($0).text, run.cached.fingerprint.text)
      }
    } catch {
      // The watch may have read some of the objects. Without a watch, the whole schema is read, and all rows are checked.
      stopWatch()
      throw error
    }
    guard let watch else { return }
    if isRunning { return watch.beginMigration(added: created) }
    run.cached.keep(watch.graph)
    stopWatch()
  }

  private func stopWatch() {
    watch?.stop()
    watch = nil
  }

  // MARK: The work of migrations

  /// Runs a migration's work, checks its foreign keys, and returns the objects that it created and removed; none if the
  /// migration has only created objects, which are read later.
  ///
  /// - Parameters:
  ///   - leavesViolations: Whether the migration may leave violations, which are checked after a later migration.
  ///   - canBeReadLater: Whether the objects may be read later.
  func perform(
    _ migration: Migration, leavesViolations: Bool = false, canBeReadLater: Bool = false, _ work: () throws -> Void
  ) throws -> ObjectChanges {
    let checksForeignKeys = run.settings.checksForeignKeys && migration.mode == .deferred
    if !checksForeignKeys { try readCreations() }
    // The watch changes the graph in place if it holds the only reference; without a watch, no one updates the graph.
    let graph = run.cached.takeGraph()
    // One watch follows all migrations up to the one that repairs the violations that they leave.
    let isContinued = awaitsRepair
    if checksForeignKeys, watch == nil, run.migrator.foreignKeyScope == .touched {
      watch = try ForeignKeyWatch(db, following: graph, isCurrent: run.cached.isUndisturbed)
    }
    enforcedIdentifier = run.settings.checksForeignKeys && migration.mode == .immediate ? migration.identifier : nil
    // Violations that earlier migrations left are not repaired before this migration is checked.
    awaitsRepair = isContinued || leavesViolations && checksForeignKeys
    onlyCreates = canBeReadLater && !awaitsRepair && run.rowLossWatch == nil && watch?.needsNoCheck() == true
    var isDone = false
    defer {
      if !isDone { run.rowLossWatch?.stop() }
      if !isDone || !awaitsRepair && !onlyCreates { stopWatch() }
    }
    try run.cached.beginMigration(db)
    try run.rowLossWatch?.begin(migration, isRecording: watch != nil)
    try db.inspecting(self) {
      try run.reportingProgress(of: migration, work)
      try db.context.requireTransaction()
    }
    if run.settings.mayHaveDeletedDefinitions { try run.requireLedger(after: migration) }
    try run.rowLossWatch?.endTemporaryTables()
    try run.settings.restoreState()
    if watch?.needsNoCheck() == false { onlyCreates = false }
    if onlyCreates {
      run.events(.checkedForeignKeys(identifier: migration.identifier, duration: .zero))
      try requireParents(after: migration)
      isDone = true
      return ObjectChanges()
    }
    try readCreations(isRunning: true)
    if !leavesViolations {
      if checksForeignKeys || isContinued { try checkForeignKeys(of: migration) }
      awaitsRepair = false
    }
    try requireParents(after: migration)
    try run.rowLossWatch?.finish()
    // The objects that a watch over several migrations reports are not those of this migration alone.
    let added = isContinued || awaitsRepair ? nil : watch?.addedObjects
    let changes = try run.cached.endMigration(db, added: added, graph: awaitsRepair ? nil : watch?.graph)
    isDone = true
    return changes
  }

  /// Throws an error after the last migration if a foreign key that the run has added with `create(table:)` or
  /// `alter(table:)` refers to a table or a column that does not exist, or to columns that are not unique.
  ///
  /// After an earlier migration, a later one may still create the table.
  private func requireParents(after migration: Migration) throws {
    let isLast = migration.identifier == run.migrator.registered.last?.identifier
    guard isLast, !db.context.referringTables.isEmpty else { return }
    let tables = db.context.referringTables.sorted()
    guard let key = try db.keysWithoutParent(of: tables).first else { return try db.requireUniqueParents(of: tables) }
    throw db.context.error(
      .statement, "\(key), after the last migration",
      remedy:
        "If the name is misspelled, correct it; if the migration with it has been applied, recreate the table in a new migration, or "
        + "erase the development database. Otherwise, create the missing table in this migration.")
  }

  /// Checks the tables touched by a migration and by the earlier ones whose violations it must repair.
  func checkForeignKeys(of migration: Migration) throws {
    let start = ContinuousClock.now
    let verdict = try watch?.finish()
    if verdict == nil { try db.checkForeignKeysOfRows() }
    if let verdict, !verdict.new.isEmpty {
      throw try ForeignKeyViolationError(verdict.new, count: verdict.newCount, db: db)
    }
    run.events(.checkedForeignKeys(identifier: migration.identifier, duration: .now - start))
    if let verdict, verdict.oldCount > 0 {
      run.events(.warning(.oldForeignKeyViolations(identifier: migration.identifier, count: verdict.oldCount)))
    }
  }

  /// Runs `work` in a savepoint with a name that no migration uses, and rolls back the savepoint if `work` throws.
  func inSavepoint<Value>(named name: String, _ work: () throws -> Value) throws -> Value {
    try db.connection.beginSavepoint(name)
    let (before, awaited) = (entries.counts, awaitsRepair)
    let losses = run.backup.unreportedLosses.count
    do {
      let value = try work()
      try db.connection.releaseSavepoint(name)
      return value
    } catch {
      entries.rollBack(to: before)
      awaitsRepair = awaited
      run.backup.forgetLosses(after: losses)
      // The caller must get the first error. If the changes cannot be undone separately, all are rolled back.
      do {
        if db.isInsideTransaction {
          try db.connection.rollbackSavepoint(name)
          // Those of earlier migrations, before the run forgets what was there before them.
          try db.finishing { try readCreations() }
        }
      } catch {
        abandon()
      }
      run.forget()
      throw error
    }
  }

  // MARK: The statements of a migration

  /// Reads what has been created, before the running migration does anything else.
  private func readNow() throws {
    onlyCreates = false
    try readCreations(isRunning: true)
  }

  var errorOutsideTransaction: any Error { MigrationError.transactionEnded }

  func willPrepare() { watch?.statementWillBePrepared() }

  func didFailToPrepare(_ sql: String) throws { try watch?.statementPrepared(SQLStatementSummary(of: sql)) }

  func willRun(_ sql: String, isTrusted: Bool) throws {
    let statement = SQLStatementSummary(of: sql)
    if !isTrusted, let misplacement = statement.kind.misplacementInTransaction {
      throw MigrationError.refusedStatement(sql: sql, reason: misplacement.refusal)
    }
    // A backend restores the settings that its own statements change.
    if statement.mayChangeConnection, !isTrusted || statement.kind == .create {
      run.settings.mayHaveChanged(editsSchema: statement.effect == .allowSchemaEditing)
    }
    if !entries.noteCreation(by: statement) { try readNow() }
    try watch?.statementPrepared(statement)
    // Before rows are counted, so that the engine's number of changed rows is that of the statement.
    if entries.hasUnwritten, statement.plainCreation == nil { try writeEntries() }
    try run.rowLossWatch?.statementWillRun(statement)
    if !isTrusted, let enforcedIdentifier, case .dropTable(let table) = statement.effect {
      let referring = try db.tablesChangedByDropping(table)
      if !referring.isEmpty {
        run.events(
          .warning(
            .droppedReferencedTable(identifier: enforcedIdentifier, table: table, referringTables: referring)))
      }
    }
  }

  func mark() throws -> () -> Void {
    try readNow()
    let (written, restoreRows) = try (entries.writtenCount, run.rowLossWatch?.mark())
    return {
      self.entries.restoreWritten(written)
      restoreRows?()
      // A backend's statements may have been interrupted before they restored a setting.
      self.run.settings.mayHaveChanged()
    }
  }
}

extension MigrationRun {
  /// Runs `body` in a transaction, which is committed, or rolled back if `body` or the commit throws an error.
  func inTransaction<Value>(_ body: (MigrationTransaction) throws -> Value) throws -> Value {
    let transaction = try MigrationTransaction(self)
    do {
      let value = try body(transaction)
      try transaction.commit()
      return value
    } catch {
      transaction.abandon()
      throw error
    }
  }
}

extension SQLStatementKind.Misplacement {
  /// The reason why a migration must not run the statement, and what to do instead.
  fileprivate var refusal: String {
    switch self {
    case .transaction:
      "each migration runs in a transaction, which it must neither begin nor end. Throw an error to roll back, or use "
        + "inSavepoint to undo part of the work."
    case .foreignKeySwitch:
      "it has no effect inside a transaction. Choose the migration's foreignKeyChecks instead."
    case .journalMode: "the journal mode cannot change inside a transaction. Set it in the configuration."
    case .fileFormat: "it has no effect inside a transaction. Set it when you create the database."
    case .vacuum: "it cannot run inside a transaction. Call vacuum() after the migrations."
    case .attachment: "databases cannot be attached or detached inside a transaction."
    }
  }
}
