internal import SQLSyntax

extension DatabaseMigrator {
  /// Runs the pending migrations on a scratch copy of the database, and returns their effects.
  ///
  /// The database is only read. The copy uses the same engine. The copy of an encrypted database never reaches the
  /// disk unencrypted, and no copy remains afterwards.
  ///
  /// ```swift
  /// let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
  /// print(rehearsal)
  /// ```
  ///
  /// SQL statements that open or write another file (`ATTACH`, `VACUUM INTO`) have no effect;
  /// ``MigrationRehearsal/gaps`` lists them.
  ///
  /// - Warning: The code of the migrations runs, and its effects outside the database (files, network, other databases)
  ///   are real. Functions passed to ``Configuration/prepareDatabase(_:)`` run on the copy's connection, too.
  /// - Parameters:
  ///   - target: The last migration to apply; nil for all.
  ///   - extent: The rows to copy. Reading them takes time, and holds a snapshot of the database.
  ///   - events: The function to call for each step, inside the access: first
  ///     ``MigrationEvent/copying(rowCount:totalRowCount:elapsed:)``, then the events of the run on the copy.
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` if the copy's connection has other databases
  ///   attached, which the migrations would actually modify; `CancellationError`. An error of a migration is not
  ///   thrown, but returned in ``MigrationRehearsal/failure``.
  public func rehearse(
    _ db: Database, upTo target: String? = nil, copying extent: RehearsalCopy = .schemaOnly,
    events: ((MigrationEvent) -> Void)? = nil
  ) throws -> MigrationRehearsal {
    try rehearse(db, upTo: target, copying: extent, statementLimit: nil, events: events)
  }

  /// Runs the pending migrations on a scratch copy as ``rehearse(_:upTo:copying:events:)`` does, and makes a migration
  /// fail if one of its statements takes longer than a limit; nil for no limit.
  ///
  /// - Parameters:
  ///   - keepers: Returns the places in which a migration is meant to keep the values of columns.
  ///   - looking: A closure that looks at the copy before the migrations, and after them if none fails.
  package func rehearse(
    _ db: Database, upTo target: String? = nil, copying extent: RehearsalCopy, statementLimit: Duration?,
    keepers: RowLossReview.Keepers = .none, looking: ((Database) throws -> Void)? = nil,
    events: ((MigrationEvent) -> Void)? = nil
  ) throws -> MigrationRehearsal {
    let rehearsal = Rehearsal(
      migrator: self, source: db, target: target, extent: extent, statementLimit: statementLimit, keepers: keepers,
      look: looking, events: events)
    do {
      return try rehearsal.perform()
    } catch let error as DatabaseError where error.condition == .interrupted {
      // The backend does not know why it was interrupted.
      try db.checkCancellation()
      throw error
    }
  }

  /// Returns a copy of the migrator that records the statements of its migrations, and never erases or makes backups.
  func tracing(_ trace: StatementTrace) -> DatabaseMigrator {
    var traced = self
    traced.eraseDatabaseOnSchemaChange = false
    // The copy is temporary, and a database in memory has no file to back up.
    traced.backup = .none
    traced.registered = registered.map(trace.tracing)
    return traced
  }
}

struct Rehearsal {
  let migrator: DatabaseMigrator
  let source: Database
  let target: String?
  let extent: RehearsalCopy
  let statementLimit: Duration?
  let keepers: RowLossReview.Keepers
  let look: ((Database) throws -> Void)?
  let events: ((MigrationEvent) -> Void)?

  func perform() throws -> MigrationRehearsal {
    let start = try source.onOneState { try prepare() }
    var rehearsal = start.rehearsal
    guard let scratch = start.scratch else { return rehearsal }
    try scratch.writeWithoutTransaction { copy in try rehearse(on: copy, start, &rehearsal) }
    try scratch.close()
    return rehearsal
  }

  private struct Start {
    var rehearsal: MigrationRehearsal
    /// The copy; nil if there is nothing to rehearse.
    var scratch: DatabaseQueue?
    var schema = SchemaSnapshot(objects: [])
    var counts: Counts = []
  }

  private func prepare() throws -> Start {
    let plan = try migrator.plan(source, upTo: target)
    var start = Start(rehearsal: MigrationRehearsal(plan: plan, copy: extent))
    guard !plan.isWithoutEffect else { return start }
    start.schema = try source.connection.schema()
    start.counts = try source.rowCounts(leavingOut: migrator.ledgerTable)
    let scratch = try source.openScratch(label: "scratch copy")
    start.rehearsal.gaps = try scratch.writeWithoutTransaction { copy in
      try requireAlone(copy)
      return try fill(copy, isErased: plan.erasure != nil, counts: start.counts)
    }
    start.scratch = scratch
    return start
  }

  private func rehearse(on copy: Database, _ start: Start, _ rehearsal: inout MigrationRehearsal) throws {
    let before = try copy.connection.schema()
    let countsBefore = try copy.rowCounts(leavingOut: migrator.ledgerTable)
    try copy.connection.setEnforcesForeignKeys(source.connection.enforcesForeignKeys())
    let tables = before.objects.filter { $0.kind == .table }.map(\.name)
    let trace = StatementTrace(tables: tables, cancellation: source.context.cancellation)
    try look?(copy)
    try run(on: copy, trace, &rehearsal)
    if rehearsal.failure == nil { try look?(copy) }
    rehearsal.statements = trace.statements
    rehearsal.omittedRunCount = trace.omittedRunCount
    rehearsal.destructiveStatements = trace.destructive
    // No migration removed the objects that could not be copied.
    let isErased = rehearsal.plan.erasure != nil
    rehearsal.schemaDifference = try SchemaDifference(
      from: isErased ? start.schema : before, to: copy.connection.schema(), leavingOut: [migrator.ledgerTable])
    rehearsal.rowCounts = try Self.merge(
      start.counts, countsBefore, copy.rowCounts(leavingOut: migrator.ledgerTable), trace.newNames)
  }

  // MARK: Before the migrations

  /// Throws an error if the copy's connection has attached files, which the rehearsal would actually modify.
  private func requireAlone(_ copy: Database) throws {
    guard let name = try copy.connection.attachedFiles().first else { return }
    throw copy.context.error(
      .unsupported, "database \"\(name)\" is attached to each connection: a rehearsal would change it",
      remedy: "Rehearse with a configuration that does not attach files.")
  }

  /// Fills the copy with the data that the first migration would find, and returns the parts that are missing.
  private func fill(_ copy: Database, isErased: Bool, counts: Counts) throws -> [RehearsalGap] {
    guard !isErased else {
      // Erasing does not reset the version numbers.
      try copy.setUserVersion(source.userVersion)
      try copy.setApplicationID(source.applicationID)
      try migrator.forgetUserVersion(copy)
      return []
    }
    var copier = try ScratchCopier(from: source, to: copy, extent, migrator)
    if let events {
      let known = counts.byTable
      let total = try copier.rowCount { known[$0.asciiLowercased] ?? nil }
      copier.progress = CopyProgress(totalRowCount: total, events: events)
    }
    try copier.perform()
    return copier.gaps
  }

  // MARK: The migrations

  private func run(on copy: Database, _ trace: StatementTrace, _ rehearsal: inout MigrationRehearsal) throws {
    var traced = migrator.tracing(trace)
    // References to rows that were not copied are not violations.
    if case .rows = extent { traced.foreignKeyScope = .touched }
    if let statementLimit { copy.limitStatements(to: statementLimit) }
    var applied: [String] = []
    var warnings: [MigrationWarning] = []
    var losses: [RowLoss] = []
    var end: RehearsalGap?
    defer { rehearsal.rowLosses = losses }
    let review = RowLossReview(keepers: keepers) { found, _ in for loss in found { losses.add(loss) } }
    do {
      try traced.run(
        on: copy, upTo: target, mayErase: false, reportsProgress: events != nil, reviewing: review
      ) { event in
        events?(event)
        switch event {
        case .committed(let identifier, _, _, _): applied.append(identifier)
        case .warning(let warning): warnings.append(warning)
        default: break
        }
      }
    } catch MigrationError.failed(let failure) {
      // An interruption is not a failure of the migration.
      if let interruption = failure.underlying.interruption { throw interruption }
      let lacksFile = trace.skipped.contains {
        $0.migration == failure.identifier && $0.sql.contains { SQLStatementKind(of: $0) == .attach }
      }
      let lacksObject = rehearsal.gaps.contains { $0.names(objectIn: "\(failure.underlying)") }
      if lacksFile || lacksObject {
        end = .unfinishedMigration(failure.identifier, reason: "\(failure.underlying)")
      } else {
        rehearsal.failure = failure
      }
    }
    rehearsal.gaps += trace.skipped.map { .skippedStatements(migration: $0.migration, sql: $0.sql) }
    if let end { rehearsal.gaps.append(end) }
    rehearsal.applied = applied
    rehearsal.warnings = warnings
    if end == nil { rehearsal.foreignKeys = try verdict(on: copy, rehearsal) }
  }

  private func verdict(on copy: Database, _ rehearsal: MigrationRehearsal) throws
    -> MigrationRehearsal.ForeignKeyVerdict
  {
    if let failure = rehearsal.failure {
      return (failure.underlying as? ForeignKeyViolationError).map { .violated($0.violations) } ?? .undecided
    }
    guard try copy.connection.enforcesForeignKeys() else { return .notEnforced }
    let old = rehearsal.warnings.map { warning in
      if case .oldForeignKeyViolations(_, let count) = warning { count } else { 0 }
    }
    return .passed(oldViolations: old.reduce(0, +))
  }

  // MARK: After the migrations

  private typealias Counts = [(table: String, count: Int?)]

  /// Merges the counts of each table, under the name that it has afterwards.
  private static func merge(
    _ database: Counts, _ before: Counts, _ after: Counts, _ newNames: [String: String]
  ) -> [MigrationRehearsal.RowCounts] {
    var counts: [MigrationRehearsal.RowCounts] = []
    var known: Set<String> = []
    let inResult = after.byTable
    let names = Dictionary(after.map { ($0.table.asciiLowercased, $0.table) }) { first, _ in first }
    let renamed = { (counts: Counts) -> Counts in
      counts.map { table, count in
        let old = table.asciiLowercased
        return (inResult[old] == nil ? newNames[old].flatMap { names[$0] } ?? table : table, count)
      }
    }
    let (database, before) = (renamed(database), renamed(before))
    let (inDatabase, inCopy) = (database.byTable, before.byTable)
    for (table, _) in database + before + after {
      let name = table.asciiLowercased
      guard known.insert(name).inserted else { continue }
      counts.append(
        MigrationRehearsal.RowCounts(
          table: table, inDatabase: inDatabase[name] ?? nil, before: inCopy[name] ?? nil, after: inResult[name] ?? nil))
    }
    return counts
  }
}

extension Database {
  /// Returns the number of rows in each table; nil for a virtual table that cannot count its rows.
  func rowCounts(leavingOut ledgerTable: String) throws -> [(table: String, count: Int?)] {
    try userTables(leavingOut: ledgerTable).map { ($0.name, try rowCount(of: $0)) }
  }
}

extension [RowLoss] {
  /// Adds a loss; a later batch of the same migration continues the earlier ones.
  fileprivate mutating func add(_ loss: RowLoss) {
    if let place = firstIndex(where: {
      ($0.migration, $0.table, $0.column) == (loss.migration, loss.table, loss.column)
    }) {
      self[place].after = loss.after
    } else {
      append(loss)
    }
  }
}

extension [(table: String, count: Int?)] {
  /// The counts by name in ASCII lower case.
  fileprivate var byTable: [String: Int?] {
    Dictionary(map { ($0.table.asciiLowercased, $0.count) }) { first, _ in first }
  }
}
