internal import SQLSyntax

/// The part of a run that erases a database whose migrations have changed, restores its rows after the migrations, warns of
/// rows that migrations remove, and records how the next run recognizes a change.
final class ErasingRun {
  private let run: MigrationRun
  private var db: Database { run.db }
  private var migrator: DatabaseMigrator { run.migrator }
  /// Whether the ledger already had entries adopted from another tool before the run.
  private var hasAdoptedEntries = false
  /// The digests of rows that the ledger does not contain yet, or contains differently, and the tables that are new among those
  /// that are left out; nil if nothing is to be recorded unless a migration is applied.
  fileprivate var rowsToRecord: (rows: RowDigests?, unstableTables: [String])?
  /// Digests of the rows that all migrations up to the target insert into an empty database, found before the erasure.
  private var replayedRows: RowDigests?
  /// The tables whose rows were not compared before the erasure, since they differ at each run.
  private var leftOutTables: [String] = []

  /// Whether the run has reported that it is about to erase the database.
  private var hasReported = false

  init(_ run: MigrationRun) { self.run = run }

  /// Erases the database if its migrations have changed, and returns whether it has erased it.
  ///
  /// The check is repeated under the lock that erasing requires.
  func eraseIfDue(upTo limit: Int?) throws -> Bool {
    if BuildMode.isRelease { run.events(.warning(.erasesInReleaseBuild)) }
    if migrator.erasure != .silent { run.review(run.backup.reviewRows()) }
    // An attempt whose commit lost its answer may have erased the database; the next one then finds no reasons.
    var reasons: [SchemaChangeReason]?
    try run.reconnecting {
      let entries = try migrator.ownHistory(db)
      hasAdoptedEntries = entries.contains(where: \.isOfUnknownWork)
      let comparison = try migrator.comparison(db, entries)
      guard !comparison.reasons.isEmpty else {
        note(comparison, entries)
        return try migrator.requireAdoptedTables(db, entries)
      }
      // Before the backup and the report: an engine may notice this only at the first change.
      guard !db.connection.isReadOnly else {
        throw db.context.error(
          .readOnly, "the database no longer matches its migrations, and cannot be erased, because it is read-only",
          remedy: "Open it for writing, or set eraseDatabaseOnSchemaChange to false.")
      }
      let schema = try db.connection.schema()
      try run.settings.enforceForeignKeys(false)
      do {
        try run.inTransaction { _ in
          let now = try migrator.ownHistory(db)
          let isUnchanged = try now.elementsEqual(entries) && schema == db.connection.schema()
          let found = try isUnchanged ? comparison.reasons : migrator.comparison(db, now).reasons
          guard !found.isEmpty else { return }
          try erase(found, unstableTables: comparison.unstableTables, upTo: limit)
          reasons = reasons ?? found
        }
      } catch let error as DatabaseError where hasReported {
        throw error.notingNoErasure
      }
    }
    guard let reasons else { return false }
    run.events(.erased(reasons: reasons))
    return true
  }

  /// Restores rows, and records what the next run compares, after the migrations.
  func finish() throws {
    try run.reconnecting { try recordAdoptedDifferences() }
    try run.reconnecting { try restoreRows() }
    try run.reconnecting { try recordRows() }
  }

  private func erase(_ reasons: [SchemaChangeReason], unstableTables: [String], upTo limit: Int?) throws {
    try migrator.requireKnown(db)
    try migrator.requireSoleMigrator(db, reasons)
    let registered = migrator.registered.prefix(limit.map { $0 + 1 } ?? Int.max)
    // All of them are pending afterwards, and it would be too late to refuse.
    try migrator.requireOneTransaction(Array(registered))
    replayedRows = try migrator.replayed(db, Array(registered), withRows: true).rows
    let unfinished = try keepRows(reasons)
    leftOutTables = try (migrator.recordedRows(db)?.leftOut ?? []) + unstableTables
    let isMarked = try DevelopmentMark.isPresent(in: db)
    try db.eraseInTransaction()
    try migrator.forgetUserVersion(db)
    // The tool, which may erase the database because of the mark, still may.
    if isMarked || unfinished != nil { try DevelopmentMark.add(to: db, unfinished: unfinished) }
  }

  /// Reports what will be erased, and makes the backup.
  ///
  /// - Returns: The name of the backup whose rows are to be restored; nil for none.
  private func keepRows(_ reasons: [SchemaChangeReason]) throws -> String? {
    let contents = try DatabaseContents(db, besides: migrator.ownTables)
    let earlier = try DevelopmentMark.unfinished(in: db)
    let path = db.connection.storedBytesReader?.path
    var backup: String?
    if migrator.erasure == .silent || contents.isEmpty || path == nil {
      if run.backup.isDue { try run.backup.make() }
    } else if let path {
      backup = try run.backup.make(contents, path, sparing: earlier)
    }
    let isKeeping = if case .keepingRows = migrator.erasure { backup != nil && db.canReadBackups } else { false }
    hasReported = true
    run.events(
      .erasing(
        ErasureReport(reasons: reasons, contents: contents, path: path, backup: backup, restoresRows: isKeeping)))
    return earlier ?? (isKeeping ? backup?.lastPathComponent : nil)
  }

  /// Restores the rows that this run, or one that was killed, erased; without the policy to do so, does nothing.
  ///
  /// The database contains a note that they are still to be restored (``DevelopmentMark``), which the same transaction removes.
  private func restoreRows() throws {
    guard case .keepingRows(let renames) = migrator.erasure, !db.connection.isReadOnly, db.canReadBackups,
      let path = db.connection.storedBytesReader?.path, let name = try DevelopmentMark.unfinished(in: db)
    else { return }
    let backup = "\(path.containingFolder)/\(name)"
    try run.settings.enforceForeignKeys(false)
    let outcomes = try db.readBackup(at: backup) { source in
      var recorded = try migrator.recordedRows(source)
      let pairs = renames.map { (old: $0.key, new: $0.value) }
      let known = try SchemaRenames(pairs, of: source.connection.schema())
      return try run.inTransaction { _ -> [KeptRows.Outcome] in
        guard try DevelopmentMark.unfinished(in: db) == name else { return [] }
        let now = try RowDigests(db, besides: migrator.ownTables)
        // Rows that differ from the rehearsal's differ at each run.
        if let replayedRows { recorded?.leaveOut(replayedRows.changes(to: now)) }
        let outcomes = try KeptRows(ownTables: migrator.ownTables, made: (recorded, now), renames: known)
          .restore(from: source, to: db)
        try DevelopmentMark.forgetUnfinished(db)
        return outcomes
      }
    }
    let losses = outcomes.compactMap(\.loss)
    if !losses.isEmpty { run.events(.warning(.rowsNotRestored(losses, backup: backup))) }
  }

  // MARK: Digests of rows

  /// Notes the digests that ``recordRows()`` writes if no migration is applied.
  private func note(_ comparison: DatabaseMigrator.Comparison, _ entries: [LedgerEntry]) {
    guard !entries.isEmpty else { return }
    let recorded = entries.last?.objects.rows
    guard recorded == nil || comparison.rows != recorded else { return }
    rowsToRecord = (comparison.rows, comparison.unstableTables)
  }

  /// Records digests of the rows that the migrations insert into an empty database, by which the next run recognizes edited
  /// migrations.
  fileprivate func recordRows() throws {
    guard rowsToRecord != nil || !run.committed.isEmpty, !hasAdoptedEntries, migrator.adopted.isEmpty,
      !db.connection.isReadOnly
    else { return }
    let entries = try migrator.ownHistory(db)
    guard let last = entries.last, !entries.contains(where: \.isOfUnknownWork),
      entries.allSatisfy({ migrator.index(of: $0.identifier) != nil })
    else { return }
    let applied = migrator.migrations(of: entries)
    var rows = run.committed.isEmpty ? rowsToRecord?.rows : nil
    if rows == nil, run.committed.count == applied.count { rows = replayedRows }
    do {
      rows = try rows ?? migrator.replayed(db, applied, withRows: true).rows
    } catch MigrationError.replayFailed {
      // Migrations that require existing rows cannot be compared.
      return
    }
    guard var rows else { return }
    rows.leaveOut(leftOutTables)
    rows.leaveOut(entries.recordedRows?.leftOut ?? [])
    var objects = last.objects
    guard objects.rows != rows else { return }
    objects.rows = rows
    try record(objects, in: last)
    if let tables = rowsToRecord?.unstableTables, !tables.isEmpty {
      run.events(.warning(.rowsNotCompared(tables: tables)))
    }
  }

  /// Records the differences between a database with an adopted history and the schema that the migrations create, so
  /// that these differences no longer count as schema changes.
  ///
  /// Called at the end of each run, since an object that differed before the run may differ in another way after it.
  private func recordAdoptedDifferences() throws {
    guard hasAdoptedEntries || !migrator.adopted.isEmpty, !db.connection.isReadOnly,
      let differences = try migrator.unrecordedDifferences(db)
    else { return }
    try record(differences.objects, in: differences.entry)
  }

  /// Records the objects in an entry, unless another connection writes first: the next run then records them.
  private func record(_ objects: ObjectChanges, in entry: LedgerEntry) throws {
    let schemaVersion = try db.connection.schemaVersion()
    try run.inTransaction { _ in
      guard try db.connection.schemaVersion() == schemaVersion,
        try migrator.ledger.entries(db, withUnfinished: true).contains(entry)
      else { return }
      try migrator.ledger.setObjects(objects, of: entry.identifier, db)
    }
  }
}

extension [LedgerEntry] {
  fileprivate var recordedRows: RowDigests? { last { $0.objects.rows != nil }?.objects.rows }
}

extension DatabaseError {
  /// The error, with the note that the reported erasure was rolled back; unchanged if the outcome is unknown.
  fileprivate var notingNoErasure: DatabaseError {
    guard condition != .connectionLost, condition != .outcomeUnknown else { return self }
    var error = self
    let note = "Nothing was erased: the transaction was rolled back. If a backup was made, it is kept."
    error.remedy = remedy.map { "\(note) \($0)" } ?? note
    return error
  }
}

extension DatabaseMigrator {
  /// Records digests of the rows that the applied migrations insert, by which a later run recognizes edited migrations.
  package func recordRows(_ writer: any DatabaseWriter) throws {
    try writer.barrierWriteWithoutTransaction { db in
      let erasing = ErasingRun(MigrationRun(self, on: db))
      erasing.rowsToRecord = (nil, [])
      try erasing.recordRows()
    }
  }

  /// Returns the recorded digests of the rows that migrations inserted; nil if there are none.
  package func recordedRows(_ db: Database) throws -> RowDigests? {
    try ownHistory(db).recordedRows
  }
}
