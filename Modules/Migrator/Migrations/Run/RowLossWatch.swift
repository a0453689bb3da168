internal import SQLSyntax

/// A watch that counts the rows of the tables that a migration touches, before the first statement that touches them and
/// after the migration.
///
/// A table is followed through renames. A table that is dropped is compared with the new table that has its first or last
/// name; without one, all its rows are lost, even if other tables have received them. If another old table has taken the
/// name, its own rows do not count. Of the tables that the run itself has created, only those are counted that have the values of
/// columns which earlier migrations of the run have dropped.
final class RowLossWatch {
  private let db: Database
  private let reader: WatchReader
  private let review: RowLossReview

  /// The part of the state that a rollback to a savepoint restores; names are in ASCII lowercase.
  private struct Course {
    /// The tables that existed before the run.
    var names: TableNames
    /// The numbers of rows that statements were allowed to remove, by original name.
    var allowed: [String: Int] = [:]
    var values: ValueWatch
    /// The statements that have created temporary tables, by the names of these.
    var temporary: [String: StatementOccurrence] = [:]
    /// The tables that statements have named since the last one that may have changed the schema, by name.
    var oldTables: [String: OldTable] = [:]
  }

  /// A table that existed before the run.
  private struct OldTable {
    let original: String
    /// Whether a temporary table hides it.
    let isHidden: Bool
    let hasTriggers: Bool
    /// Whether the values of all columns have been counted, because a statement overwrites them.
    var isCounted = false
  }

  /// The rows that a DELETE removes.
  private struct Deletion {
    let table: OldTable
    /// The current name of the table.
    let name: String
    /// A query for the rows; nil if there is none.
    let rows: SQLRowQuery?
  }

  /// The names of the tables that existed before the run; nil until they are read.
  private var oldNames: Set<String>?
  /// The tables that earlier migrations of the run have created, and that have the values of dropped columns.
  private var holders: Set<String> = []
  private var course: Course
  private var savepoints = SQLSavepoints<Course>()

  // The state during a migration; names are in ASCII lowercase.
  private var migration = ""
  private var scope = RemovalScope.nothing
  private var isCounting: Bool { scope != .nothing }
  /// The recorder, and whether this watch has started it.
  private var recording: (recorder: any ChangeRecorder, isOwn: Bool)?
  /// The tables before the migration.
  private var tables: [String: SchemaObject] = [:]
  private var touchedCount = -1
  /// The row counts before the migration by original name, nil for a table that cannot be counted, each with the
  /// statement that touched the table first, and the largest rowid.
  private var counts: [String: (rows: Int?, statement: StatementOccurrence?, lastRowID: Int64?)] = [:]

  /// The numbers of statements with the same text that have run, by the hash of the text.
  private var occurrences: [Int: Int] = [:]

  /// The row counts before the running statement, if it is allowed to remove rows, by original name; nil for another one.
  private var beforeAllowed: [String: Int]?
  /// The original name of the table from which the running DELETE removes as many rows as the engine reports, and its largest
  /// rowid.
  private var deleting: (original: String, statement: StatementOccurrence, lastRowID: Int64?)?

  init(_ db: Database, _ review: RowLossReview, ledgerTable: String) {
    (self.db, self.review, reader) = (db, review, WatchReader(db, ledgerTable: ledgerTable))
    course = Course(names: TableNames([]), values: ValueWatch(db, reader, review.keepers, migration: ""))
  }

  /// Begins a migration.
  ///
  /// - Parameter isRecording: Whether the recorder of the connection has been started, and is stopped by another watch.
  func begin(_ migration: Migration, isRecording: Bool) throws {
    self.migration = migration.identifier
    scope = oldNames?.isEmpty == true ? .nothing : review.scope(migration.identifier)
    (touchedCount, counts, tables, beforeAllowed, deleting) = (-1, [:], [:], nil, nil)
    reader.begin()
    recording = db.connection.changeRecorder.map { ($0, !isRecording && isCounting) }
    if isCounting || oldNames == nil { tables = try reader.tables() }
    let old = oldNames ?? Set(tables.keys)
    oldNames = old
    holders = isCounting ? review.keepers?.holders(migration.identifier).subtracting(old) ?? [] : []
    let values = ValueWatch(db, reader, review.keepers, migration: migration.identifier)
    let names = TableNames(old.union(holders.intersection(tables.keys)))
    (course, savepoints, occurrences) = (Course(names: names, values: values), SQLSavepoints(), [:])
    if let recording, recording.isOwn { recording.recorder.start(isContinued: false) }
  }

  /// Counts the tables that a statement is the first to touch, and follows their names; called before it runs.
  ///
  /// - Parameter onlyReads: Whether the statement is known to write nothing.
  func statementWillRun(_ statement: SQLStatementSummary, onlyReads: Bool = false) throws {
    guard !reader.isReading else { return }
    reader.statementWillRun()
    let now = try finishAllowed()
    try countDeleted()
    savepoints.follow(statement.kind, statement.sql, &course)
    if !statement.writesData { course.oldTables = [:] }
    let hash = statement.sql.hashValue
    let run = StatementOccurrence(sql: statement.sql, precedingCount: occurrences[hash, default: 0])
    if isCounting {
      occurrences[hash] = run.precedingCount + 1
      let deletion = try deletion(of: statement)
      if scope != .values {
        deleting = try deletion.flatMap { deletion in
          guard try isCountless(deletion, run) else { return nil }
          return (deletion.table.original, run, try lastRowID(of: deletion.name))
        }
        if deleting == nil {
          let touched = touchedTables()
          try count(
            touched ?? (statement.kind == .create ? [] : currentNames), statement: touched == nil ? nil : run)
        }
      }
      if !onlyReads {
        try beginAllowed(run, now)
        try countOverwritten(statement, run)
        if let deletion { try noteDeleted(deletion, run) }
      }
    }
    if isCounting { try followTemporary(statement, run) }
    let isHidden = try db.hidesTable(of: statement)
    if let table = statement.effect.table {
      try follow(statement.effect, of: table, isHidden ? nil : original(of: table), run)
    }
    // The tables of another schema are not counted.
    if !isHidden { course.names.follow(statement.effect) }
  }

  /// Counts the values that a statement drops, and follows the names of columns and temporary tables.
  private func follow(
    _ effect: SQLStatementEffect, of table: String, _ original: String?, _ run: StatementOccurrence
  ) throws {
    let name = table.asciiLowercased
    switch effect {
    case .dropColumn(_, let column): try countDropped(table, original, run, column: column)
    case .dropTable:
      try countDropped(table, original, run)
      if original == nil { course.temporary[name] = nil }
    case .renameColumn(_, let column, let newName):
      course.values.rename(column, to: newName, of: original)
    case .renameTable(_, let newName) where original == nil:
      course.temporary[newName.asciiLowercased] = course.temporary.removeValue(forKey: name)
    default: break
    }
  }

  /// Follows the temporary tables that a statement creates or drops, and counts what is lost with these.
  private func followTemporary(_ statement: SQLStatementSummary, _ run: StatementOccurrence) throws {
    switch statement.temporaryEffect {
    case .createTable(let table): course.temporary[table.asciiLowercased] = run
    case .renameTable(let table, let newName):
      course.temporary[newName.asciiLowercased] = course.temporary.removeValue(forKey: table.asciiLowercased)
    case .dropTable(let table):
      if course.temporary.removeValue(forKey: table.asciiLowercased) != nil {
        try countDropped(table.asciiLowercased, nil, run)
      }
    default: break
    }
  }

  /// Counts what is lost with the temporary tables of the migration, which end with it.
  func endTemporaryTables() throws {
    for (name, creation) in course.temporary.sorted(by: { $0.key < $1.key }) { try countDropped(name, nil, creation) }
    course.temporary = [:]
  }

  /// Returns the function to call when the changes from now on are undone.
  func mark() throws -> () -> Void {
    try countDeleted()
    return { [course] in (self.course, self.deleting) = (course, nil) }
  }

  /// Counts all tables, for a migration whose statements are not inspected.
  func countAll() throws {
    if isCounting { try count(currentNames, statement: nil) }
    reader.beginUnwrapped()
  }

  /// Ends the migration, and passes its losses to the review.
  ///
  /// - Parameter isFollowed: Whether the watch has seen all statements.
  func finish(isFollowed: Bool = true) throws {
    try finishAllowed()
    let rest = try countDeleted()
    try endTemporaryTables()
    stop()
    let names = Dictionary(course.names.remaining.map { ($1, $0) }) { first, _ in first }
    let dropped = course.names.dropped
    guard
      !counts.isEmpty || !dropped.isEmpty || names.contains(where: { $0 != $1 }) || !isFollowed
        || !course.values.isEmpty
    else { return }
    let now = try reader.tables()
    // The table that has the rows of an old one.
    let successor = { (original: String) in
      names[original].flatMap { now[$0] } ?? now[original]
        ?? dropped.first { $1 == original && now[$0] != nil }.flatMap { now[$0.key] }
    }
    let losses =
      try lostRows(rest, isFollowed, successor)
      + course.values.end(successor: { successor($0)?.name }, removedCount: removedCount)
    // A table that was rebuilt has the rows of the old one.
    let rebuilt = Set(dropped.keys).union(names.keys).intersection(now.keys)
    let held = course.names.remaining.merging(dropped) { name, _ in name }.filter { holders.contains($1) }.keys
    oldNames = isFollowed ? currentNames.union(rebuilt).subtracting(held) : Set(now.keys)
    if !losses.isEmpty { try review.review(losses, isFollowed) }
  }

  /// Returns the losses of rows at the end of the migration.
  ///
  /// - Parameters:
  ///   - rest: The table from which the last statement has removed rows, and the number of those that are left.
  ///   - isFollowed: Whether the watch has seen all statements.
  ///   - successor: Returns the table that has the rows of an old one.
  private func lostRows(
    _ rest: (original: String, rows: Int?)?, _ isFollowed: Bool, _ successor: (_ original: String) -> SchemaObject?
  ) throws -> [RowLoss] {
    let dropped = Set(course.names.dropped.values)
    var losses: [RowLoss] = []
    for (original, count) in counts.sorted(by: { $0.key < $1.key }) where count.rows != 0 {
      guard let table = tables[original] else { continue }
      var (current, foreign) = (successor(original), 0)
      // Another old table that has taken the name has rows of its own.
      if let owner = current.flatMap({ course.names.remaining[$0.name.asciiLowercased] }), owner != original {
        if let rows = counts[owner]?.rows { foreign = rows } else { current = nil }
      }
      // The values of a dropped one are counted.
      guard current != nil || isFollowed && !holders.contains(original) else { continue }
      let missing = try course.values.missingRowCount(of: original, in: current?.name)
      let rows = try rest?.original == original ? rest?.rows : current.flatMap { try db.rowCount(of: $0) }
      var after = rows.map { max(0, $0 - foreign) }
      // Other rows may have taken the place of those that a rebuild left out.
      if let before = count.rows, let missing {
        after = after.map { min($0, max(0, before - missing)) }
      }
      let isLoss =
        if let before = count.rows, current != nil {
          after.map { $0 < before - course.allowed[original, default: 0] } ?? false
        } else {
          current == nil || dropped.contains(original)
            || count.statement.map { !SQLSource($0.sql).names(original) || $0.sql.holdsWord("delete") } ?? false
        }
      guard isLoss else { continue }
      losses.append(
        RowLoss(
          migration: migration, table: table.name, before: count.rows, after: after, statement: count.statement))
    }
    return losses
  }

  /// Ends the migration without a result.
  func stop() {
    if let recording, recording.isOwn { recording.recorder.stop() }
    recording = nil
  }

  /// Forgets which tables existed before the run, after a rollback: from now on, these are all tables.
  func forget() { oldNames = nil }

  /// The current names of the tables that existed before the run.
  private var currentNames: Set<String> { Set(course.names.remaining.keys) }

  /// Returns the name that a table of the main schema had before the run; nil for a table that the run has created.
  private func original(of name: String) -> String? { course.names.original(of: name, isQualified: true) }

  /// Returns the tables that the migration has touched, if a statement touches further ones; nil if that is not known.
  private func touchedTables() -> Set<String>? {
    guard let changes = recording?.recorder.changes, !changes.isIncomplete else { return nil }
    guard changes.tables.count > touchedCount else { return [] }
    touchedCount = changes.tables.count
    return changes.tables
  }

  private func count(_ names: Set<String>, statement: StatementOccurrence?) throws {
    for name in names.sorted() {
      guard let original = course.names.remaining[name], counts[original] == nil, let table = tables[original],
        !table.countsRowsOfAnother
      else { continue }
      counts[original] = try (rowCount(of: original, name), statement, lastRowID(of: name))
    }
  }

  /// Returns what a DELETE removes from a table that existed before the run; nil for another statement.
  private func deletion(of statement: SQLStatementSummary) throws -> Deletion? {
    guard scope == .rows || review.keepers != nil, statement.sql.utf8.count < 100_000,
      statement.sql.holdsWord("delete"),
      let syntax = try? SQLTree(parsing: statement.sql), case .data(.delete(let deletion)) = syntax.statement,
      let table = try oldTable(deletion.table)
    else { return nil }
    return Deletion(table: table, name: deletion.table.name.folded, rows: syntax.changedRows)
  }

  /// Whether a table need not be counted before a DELETE, since this removes as many of its rows as the engine reports, and no
  /// others.
  private func isCountless(_ deletion: Deletion, _ run: StatementOccurrence) throws -> Bool {
    let table = deletion.table
    return try scope == .rows && !reader.isUnwrapped && !table.hasTriggers && counts[table.original] == nil
      && !course.names.dropped.values.contains(table.original) && !review.allows(migration, run)
      && !db.connection.enforcesForeignKeys()
  }

  /// Returns the ordinary table of the main schema that a statement names; nil if the run has created it.
  private func oldTable(_ table: SQLQualifiedName) throws -> OldTable? {
    let name = table.name.folded
    guard [nil, "main"].contains(table.schema?.folded), let original = original(of: name),
      tables[original]?.isVirtual == false
    else { return nil }
    let known =
      try course.oldTables[name]
      ?? OldTable(
        original: original, isHidden: db.connection.columns(in: name, inSchema: "temp") != nil,
        hasTriggers: [nil, "temp"].contains { schema in
          try db.connection.schema(named: schema).objects.contains {
            $0.kind == .trigger && $0.tableName.isSameName(as: name)
          }
        })
    course.oldTables[name] = known
    return known.isHidden && table.schema == nil ? nil : known
  }

  /// Counts the table from which the last statement has removed rows, if the engine has counted these; returns the rest.
  @discardableResult
  private func countDeleted() throws -> (original: String, rows: Int?)? {
    guard let (original, statement, lastRowID) = deleting else { return nil }
    deleting = nil
    let deleted = db.changesCount
    guard deleted > 0, let name = course.names.remaining.first(where: { $1 == original })?.key else { return nil }
    let rows = try rowCount(of: original, name)
    counts[original] = (rows.map { $0 + deleted }, statement, lastRowID)
    return (original, rows)
  }

  /// Returns the number of rows that a table has under its current name; nil if they cannot be counted.
  private func rowCount(of original: String, _ name: String) throws -> Int? {
    try tables[original].flatMap { try reader.rowCount(of: $0, named: name) }
  }

  /// Returns the largest rowid of a table that a DELETE of this migration may remove, so that those of new rows are larger.
  private func lastRowID(of name: String) throws -> Int64? {
    try scope == .values ? nil : reader.reading { try reader.values(name).lastRowID() }
  }

  /// Counts the rows before a statement that is allowed to remove some and, if one was, before another one that may.
  ///
  /// - Parameter now: The numbers of rows, if they are known.
  private func beginAllowed(_ run: StatementOccurrence, _ now: [String: Int]?) throws {
    let isAllowed = review.allows(migration, run)
    guard isAllowed || !course.allowed.isEmpty && (run.sql.holdsWord("delete") || run.sql.holdsWord("replace")) else {
      return
    }
    try reader.reserveWriting()
    // The statement may be the first to touch a table.
    let now = try now?.count == counts.count ? now ?? [:] : currentCounts()
    // Rows that have come back are not allowed to go again.
    for (original, removed) in course.allowed {
      guard let count = now[original], let before = counts[original]?.rows else { continue }
      course.allowed[original] = min(removed, max(0, before - count))
    }
    if isAllowed { beforeAllowed = now }
  }

  /// Notes the rows that the last statement has removed, if that was allowed; returns the numbers of rows now.
  @discardableResult
  private func finishAllowed() throws -> [String: Int]? {
    guard let before = beforeAllowed else { return nil }
    beforeAllowed = nil
    let now = try currentCounts()
    for (original, count) in now {
      course.allowed[original, default: 0] += max(0, (before[original] ?? 0) - count)
    }
    return now
  }

  /// Returns the numbers of rows, by original name, of those tables that have not been dropped.
  private func currentCounts() throws -> [String: Int] {
    var found: [String: Int] = [:]
    for (name, original) in course.names.remaining where counts[original] != nil {
      found[original] = try rowCount(of: original, name)
    }
    return found
  }

  /// Returns the number of rows that statements have removed from a table that existed before the run.
  private func removedCount(_ original: String, _ name: String) throws -> Int {
    try counts[original]?.rows.flatMap { rows in try rowCount(of: original, name).map { max(0, rows - $0) } } ?? 0
  }

  // MARK: Values

  private func target(_ name: String, _ original: String?, _ run: StatementOccurrence) -> ValueWatch.Target {
    ValueWatch.Target(
      name: name, original: original, isOld: original.map { !holders.contains($0) } ?? false,
      title: original.flatMap { tables[$0]?.name } ?? name, statement: run
    ) { [unowned self] in
      try original.map { try removedCount($0, name) } ?? 0
    }
  }

  /// Counts the values that a statement drops with a column, or with a table.
  private func countDropped(
    _ table: String, _ original: String?, _ run: StatementOccurrence, column: String? = nil
  ) throws {
    if !isCounting || original.flatMap({ tables[$0]?.countsRowsOfAnother }) ?? false { return }
    try course.values.countDropped(column, of: target(table, original, run))
  }

  /// Counts the values of the columns that a statement is the first to overwrite.
  private func countOverwritten(_ statement: SQLStatementSummary, _ run: StatementOccurrence) throws {
    guard review.keepers != nil, let overwriting = statement.overwriting, let table = try oldTable(overwriting.table)
    else { return }
    let name = overwriting.table.name.folded
    let areAllCounted = try course.values.countOverwritten(
      overwriting, of: target(name, table.original, run), hasTriggers: table.hasTriggers, isCounted: table.isCounted)
    course.oldTables[name]?.isCounted = areAllCounted
  }

  /// Notes the rows that a DELETE removes, and the values without which they may come back.
  private func noteDeleted(_ deletion: Deletion, _ run: StatementOccurrence) throws {
    guard let rows = deletion.rows else { return }
    let original = deletion.table.original
    // Those that the file itself has added are not lost.
    let old = counts[original]?.lastRowID.map { rows.rows(where: "rowid", "<= \($0)") } ?? rows
    try course.values.countDeleted(old, of: target(deletion.name, original, run))
  }
}

extension SchemaObject {
  /// Whether the table is an index of the rows of another table, which are counted there.
  var countsRowsOfAnother: Bool {
    guard isVirtual, let syntax = sql.flatMap({ try? SQLTree(parsing: $0) }),
      case .createVirtualTable(let table) = syntax.statement
    else { return false }
    if ["fts5vocab", "fts4aux"].contains(table.module.folded) { return true }
    return table.fullTextContent(syntax.source).map { !$0.table.isEmpty } ?? false
  }
}
