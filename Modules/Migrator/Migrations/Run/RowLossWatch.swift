internal import SQLSyntax

/// A watch that counts the rows of the tables that a migration touches, before the first statement that touches them and
/// after the migration.
///
/// A table is followed through renames. A table that is dropped is compared with the new table of its name; without
/// one, all its rows are lost, even if other tables have received them. If another old table has taken the name, its own rows
/// do not count. Tables that the run itself has created are not counted.
final class RowLossWatch {
  private let db: Database
  private let review: RowLossReview
  private let ledgerTable: String

  /// The part of the state that a rollback to a savepoint restores; names are in ASCII lowercase.
  private struct Course {
    /// The current names of the tables that existed before the run; nil until they are read.
    var old: Set<String>?
    /// The original names of renamed tables, by their current names.
    var origins: [String: String] = [:]
    /// The original names of the tables that were dropped.
    var dropped: Set<String> = []
    /// The original names of the tables all of whose rows were deleted.
    var emptied: Set<String> = []
    /// The numbers of rows that statements were allowed to remove, by original name.
    var allowed: [String: Int] = [:]
    /// The numbers of rows that rebuilds left out, by original name.
    var missing: [String: Int] = [:]
    /// The losses of values, each with the original name of its table; nil for a table of the migration itself.
    var lostValues: [(loss: RowLoss, original: String?)] = []
    /// The numbers of values that are in no other column, before the first statement that overwrites a column.
    ///
    /// The keys are the original name of the table and the column; the empty name stands for all columns.
    var overwritten: [String: [String: (count: Int, statement: StatementOccurrence)]] = [:]
  }

  private var course = Course()
  private var savepoints = SQLSavepoints<Course>()

  // The state during a migration; names are in ASCII lowercase.
  private var migration = ""
  private var isCounting = false
  /// The recorder, and whether this watch has started it.
  private var recording: (recorder: any ChangeRecorder, isOwn: Bool)?
  /// The tables before the migration.
  private var tables: [String: SchemaObject] = [:]
  private var touchedCount = -1
  /// The row counts before the migration by original name, nil for a table that cannot be counted, each with the
  /// statement that touched the table first.
  private var counts: [String: (rows: Int?, statement: StatementOccurrence?)] = [:]

  /// The numbers of statements with the same text that have run, by the hash of the text.
  private var occurrences: [Int: Int] = [:]

  /// The row counts before the running statement, if it is allowed to remove rows, by original name; nil for another one.
  private var beforeAllowed: [String: Int]?
  /// The row counts after the last statement, if it was allowed to remove rows.
  private var afterAllowed: [String: Int]?

  /// Whether the watch is counting rows, with statements that are announced to it like those of the migration.
  private var isReading = false
  /// Whether the migration may be in a transaction of its own that has not written yet.
  private var mayHaveOnlyRead = false
  /// Whether the migration runs without a transaction.
  private var isUnwrapped = false

  init(_ db: Database, _ review: RowLossReview, ledgerTable: String) {
    (self.db, self.review, self.ledgerTable) = (db, review, ledgerTable)
  }

  /// Begins a migration.
  ///
  /// - Parameter isRecording: Whether the recorder of the connection has been started, and is stopped by another watch.
  func begin(_ migration: Migration, isRecording: Bool) throws {
    self.migration = migration.identifier
    isCounting = course.old?.isEmpty != true && review.mayRemoveRows(migration.identifier)
    (touchedCount, counts, tables, beforeAllowed, afterAllowed) = (-1, [:], [:], nil, nil)
    (isUnwrapped, mayHaveOnlyRead) = (false, false)
    (course, savepoints, occurrences) = (Course(old: course.old), SQLSavepoints(), [:])
    recording = db.connection.changeRecorder.map { ($0, !isRecording && isCounting) }
    if isCounting || course.old == nil { tables = try currentTables() }
    if course.old == nil { course.old = Set(tables.keys) }
    if let recording, recording.isOwn { recording.recorder.start(isContinued: false) }
  }

  /// Counts the tables that a statement is the first to touch, and follows their names; called before it runs.
  ///
  /// - Parameter onlyReads: Whether the statement is known to write nothing.
  func statementWillRun(_ statement: SQLStatementSummary, onlyReads: Bool = false) throws {
    guard !isReading else { return }
    if isUnwrapped, !db.isInsideTransaction { mayHaveOnlyRead = true }
    try finishAllowed()
    savepoints.follow(statement.kind, statement.sql, &course)
    let run = StatementOccurrence(sql: statement.sql, precedingCount: occurrences[statement.sql.hashValue, default: 0])
    if isCounting {
      occurrences[statement.sql.hashValue] = run.precedingCount + 1
      let touched = touchedTables(statement)
      try count(touched ?? (statement.kind == .create ? [] : course.old ?? []), statement: touched == nil ? nil : run)
      if onlyReads { afterAllowed = nil } else { try beginAllowed(run) }
      if !onlyReads, statement.effect == .none || statement.effect.isUpdate { try countOverwritten(statement, run) }
    }
    // The tables of another schema are not counted.
    guard let table = statement.effect.table else { return }
    let name = table.asciiLowercased
    // A table that has replaced a dropped one has its rows.
    let isReplacement = course.dropped.contains(name) && !course.origins.values.contains(name)
    let isOld = try (course.old?.contains(name) ?? false || isReplacement) && !db.hidesTable(of: statement)
    let original = isOld ? course.origins[name] ?? name : nil
    if isCounting {
      switch statement.effect {
      case .dropTable: try countValues(of: nil, table, original, run)
      case .dropColumn(_, let column): try countValues(of: column, table, original, run)
      case .addColumn(_, let column):
        if let original { course.overwritten[original, default: [:]][column.asciiLowercased] = (0, run) }
      case .renameColumn(_, let column, let newName):
        guard let original, let count = course.overwritten[original]?.removeValue(forKey: column.asciiLowercased) else {
          break
        }
        course.overwritten[original]?[newName.asciiLowercased] = count
      default: break
      }
    }
    guard let original else { return }
    switch statement.effect {
    case .renameTable(_, let newName):
      let new = newName.asciiLowercased
      course.old?.remove(name)
      course.old?.insert(new)
      course.origins[name] = nil
      course.origins[new] = original
    case .dropTable:
      course.old?.remove(name)
      course.origins[name] = nil
      course.dropped.insert(original)
    case .deleteAllRows: course.emptied.insert(original)
    default: break
    }
  }

  /// Returns the function to call when the changes from now on are undone.
  func mark() -> () -> Void { { [course] in self.course = course } }

  /// Counts all tables, for a migration whose statements are not inspected.
  func countAll() throws {
    if isCounting { try count(course.old ?? [], statement: nil) }
    isUnwrapped = true
  }

  /// Ends the migration, and passes its losses to the review.
  ///
  /// - Parameter isFollowed: Whether the watch has seen all statements.
  func finish(isFollowed: Bool = true) throws {
    try finishAllowed()
    stop()
    guard
      !counts.isEmpty || !course.dropped.isEmpty || !course.origins.isEmpty || !isFollowed
        || !course.lostValues.isEmpty || !course.overwritten.isEmpty
    else { return }
    let now = try currentTables()
    let names = Dictionary(course.origins.map { ($1, $0) }) { first, _ in first }
    var losses: [RowLoss] = []
    for (original, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[original], count.rows != 0 else { continue }
      var current = names[original].flatMap { now[$0] }
      var foreign = 0
      if current == nil {
        // A table that has taken the name has rows of its own.
        let rows = course.origins[original].map { counts[$0]?.rows } ?? 0
        if let rows { (current, foreign) = (now[original], rows) }
      }
      guard current != nil || isFollowed else { continue }
      var after = try current.flatMap { try db.rowCount(of: $0) }.map { max(0, $0 - foreign) }
      // Other rows may have taken the place of those that a rebuild left out.
      if let before = count.rows, let missing = course.missing[original] {
        after = after.map { min($0, max(0, before - missing)) }
      }
      if let current {
        losses += try overwrittenLosses(original, current.name, max(0, (count.rows ?? 0) - (after ?? 0)))
      }
      let isLoss =
        if let before = count.rows, current != nil {
          after.map { $0 < before - course.allowed[original, default: 0] } ?? false
        } else {
          current == nil || course.dropped.contains(original) || course.emptied.contains(original)
            || count.statement.map { !SQLSource($0.sql).names(original) || $0.sql.holdsWord("delete") } ?? false
        }
      guard isLoss else { continue }
      losses.append(
        RowLoss(
          migration: migration, table: table.name, before: count.rows, after: after, statement: count.statement))
    }
    // The rows of a dropped table are counted.
    for (loss, original) in course.lostValues {
      guard let original else {
        losses.append(loss)
        continue
      }
      guard let table = now[names[original] ?? original] else { continue }
      var loss = loss
      let columns = try db.connection.columns(in: table.name) ?? []
      if columns.contains(where: { $0.name.isSameName(as: loss.column ?? "") }) { loss.after = 0 }
      losses.append(loss)
    }
    // A table that was rebuilt has the rows of the old one.
    let rebuilt = course.dropped.union(course.origins.values).intersection(now.keys)
    course.old = isFollowed ? course.old?.union(rebuilt) : Set(now.keys)
    if !losses.isEmpty { try review.review(losses, isFollowed) }
  }

  /// Ends the migration without a result.
  func stop() {
    if let recording, recording.isOwn { recording.recorder.stop() }
    recording = nil
  }

  /// Forgets which tables existed before the run, after a rollback: from now on, these are all tables.
  func forget() { course.old = nil }

  /// Returns the tables that the migration has touched, if a statement touches further ones; nil if that is not known.
  private func touchedTables(_ statement: SQLStatementSummary) -> Set<String>? {
    guard let changes = recording?.recorder.changes, !changes.isIncomplete else { return nil }
    guard changes.tables.count > touchedCount else { return [] }
    touchedCount = changes.tables.count
    return changes.tables
  }

  private func count(_ names: Set<String>, statement: StatementOccurrence?) throws {
    isReading = true
    defer { isReading = false }
    for name in names.sorted() where course.old?.contains(name) ?? false {
      let original = course.origins[name] ?? name
      guard counts[original] == nil, let table = tables[original], !table.countsRowsOfAnother else { continue }
      let current = SchemaObject(
        kind: .table, name: course.origins[name] == nil ? table.name : name, tableName: name, sql: nil,
        isVirtual: table.isVirtual)
      counts[original] = (try db.rowCount(of: current), statement)
    }
  }

  /// Counts the rows before a statement that is allowed to remove some and, if one was, before another one that may.
  private func beginAllowed(_ run: StatementOccurrence) throws {
    let isAllowed = review.allows(migration, run)
    let last = afterAllowed
    afterAllowed = nil
    guard isAllowed || !course.allowed.isEmpty && (run.sql.holdsWord("delete") || run.sql.holdsWord("replace")) else {
      return
    }
    try reserveWriting()
    // The statement may be the first to touch a table.
    let now = try last.flatMap { $0.count == counts.count ? $0 : nil } ?? currentCounts(of: Array(counts.keys))
    // Rows that have come back are not allowed to go again.
    for (original, removed) in course.allowed {
      guard let count = now[original], let before = counts[original]?.rows else { continue }
      course.allowed[original] = min(removed, max(0, before - count))
    }
    if isAllowed { beforeAllowed = now }
  }

  /// Notes the rows that the last statement has removed, if that was allowed.
  private func finishAllowed() throws {
    guard let before = beforeAllowed else { return }
    beforeAllowed = nil
    let now = try currentCounts(of: Array(counts.keys))
    for (original, count) in now {
      course.allowed[original, default: 0] += max(0, (before[original] ?? 0) - count)
    }
    afterAllowed = now
  }

  /// Returns the numbers of rows, by original name, of those tables that have not been dropped.
  private func currentCounts(of originals: [String]) throws -> [String: Int] {
    isReading = true
    defer { isReading = false }
    let names = Dictionary(course.origins.map { ($1, $0) }) { first, _ in first }
    var found: [String: Int] = [:]
    for original in originals where !course.dropped.contains(original) {
      let name = names[original] ?? original
      guard let table = tables[original] else { continue }
      let current = SchemaObject(
        kind: .table, name: name == original ? table.name : name, tableName: name, sql: nil, isVirtual: table.isVirtual)
      found[original] = try db.rowCount(of: current)
    }
    return found
  }

  /// Counts the values of a column, or of all columns of a table, that none of their keepers has, before they are dropped.
  private func countValues(
    of column: String?, _ table: String, _ original: String?, _ run: StatementOccurrence
  ) throws {
    if let original, tables[original]?.countsRowsOfAnother ?? false { return }
    try reserveWriting()
    isReading = true
    defer { isReading = false }
    let described = try db.valueColumns(in: table, isOld: original != nil)
    let columns = column.map { [$0] } ?? described.map(\.name)
    let keepers = review.keepers?(migration, columns, original != nil, run) ?? [:]
    let values = ValueCount(db, table, isOld: original != nil)
    if let original, column == nil {
      course.missing[original, default: 0] += try values.missingRowCount(described, keepers)
    }
    let chosen = try described.filter { column in
      guard let places = keepers[column.name.asciiLowercased], try !values.isCopied(column, places) else {
        return false
      }
      // New numbers of rows matter only where a row refers to them, which is a matter of foreign keys.
      return !places.isEmpty || !column.isRowNumber || described.count(where: { $0.primaryKeyIndex > 0 }) != 1
    }
    for column in chosen {
      let places = keepers[column.name.asciiLowercased] ?? []
      let count = try values.lostCount(of: column.name, places)
      guard count != 0 else { continue }
      let loss = RowLoss(
        migration: migration, table: original.flatMap { tables[$0]?.name } ?? table, column: column.name, before: count,
        after: nil, statement: run)
      course.lostValues.append((loss, original))
    }
  }

  /// Counts the values of the columns that a statement is the first to overwrite, unless they are in other columns, too.
  private func countOverwritten(_ statement: SQLStatementSummary, _ run: StatementOccurrence) throws {
    guard let keepersOf = review.keepers, let (table, names) = statement.overwrittenColumns else { return }
    let name = table.name.folded
    guard course.old?.contains(name) ?? false, [nil, "main"].contains(table.schema?.folded) else { return }
    let original = course.origins[name] ?? name
    let known = course.overwritten[original] ?? [:]
    guard tables[original]?.isVirtual == false, known[""] == nil,
      names.isEmpty || names.contains(where: { known[$0] == nil })
    else { return }
    if try table.schema == nil && db.connection.columns(in: name, inSchema: "temp") != nil { return }
    try reserveWriting()
    isReading = true
    defer { isReading = false }
    let columns = try db.valueColumns(in: name, isOld: true).map(\.name).filter {
      (names.isEmpty || names.contains($0.asciiLowercased)) && known[$0.asciiLowercased] == nil
    }
    if names.isEmpty { course.overwritten[original, default: [:]][""] = (0, run) }
    let keepers = keepersOf(migration, columns, true, run)
    for column in columns {
      let count = try ValueCount(db, name, isOld: true).lostCount(
        of: column, keepers[column.asciiLowercased] ?? [])
      course.overwritten[original, default: [:]][column.asciiLowercased] = (count ?? 0, run)
    }
  }

  /// Returns the columns of a table that have fewer values than before they were overwritten.
  ///
  /// - Parameter removedCount: The number of rows that the table has lost, with their values.
  private func overwrittenLosses(_ original: String, _ table: String, _ removedCount: Int) throws -> [RowLoss] {
    guard let overwritten = course.overwritten[original] else { return [] }
    return try db.valueColumns(in: table, isOld: true).compactMap { column in
      guard let (count, statement) = overwritten[column.name.asciiLowercased], count > removedCount,
        let now = try ValueCount(db, table, isOld: true).lostCount(of: column.name, []), now < count - removedCount
      else { return nil }
      return RowLoss(
        migration: migration, table: tables[original]?.name ?? table, column: column.name,
        before: count - removedCount - now, after: 0, statement: statement)
    }
  }

  /// Takes the lock for writing before the watch reads for a statement that writes, once in each transaction of the file.
  ///
  /// In a transaction that begins with reading, the statement fails if another connection writes in between to a file in WAL
  /// mode (https://www.sqlite.org/rescode.html#busy_snapshot). A change that is undone keeps the lock, and leaves `changes()`
  /// as it is, which an empty DELETE would not.
  private func reserveWriting() throws {
    guard mayHaveOnlyRead, db.isInsideTransaction else { return }
    isReading = true
    defer { isReading = false }
    let savepoint = "migrator_lock"
    try db.connection.beginSavepoint(savepoint)
    var isWritable = true
    do throws(DatabaseError) {
      try db.connection.setUserVersion(0)
    } catch {
      // The file may have set query_only.
      guard error.condition == .readOnly else { throw error }
      isWritable = false
    }
    try db.connection.rollbackSavepoint(savepoint)
    if isWritable { mayHaveOnlyRead = false }
  }

  private func currentTables() throws -> [String: SchemaObject] {
    Dictionary(try db.userTables(leavingOut: ledgerTable).map { ($0.name.asciiLowercased, $0) }) { first, _ in first }
  }
}

extension SchemaObject {
  /// Whether the table is an index of the rows of another table, which are counted there.
  fileprivate var countsRowsOfAnother: Bool {
    guard isVirtual, let syntax = sql.flatMap({ try? SQLTree(parsing: $0) }),
      case .createVirtualTable(let table) = syntax.statement
    else { return false }
    if ["fts5vocab", "fts4aux"].contains(table.module.folded) { return true }
    return table.fullTextContent(syntax.source).map { !$0.table.isEmpty } ?? false
  }
}

extension SQLStatementEffect {
  fileprivate var isUpdate: Bool { if case .updateAllRows = self { true } else { false } }
}

extension ColumnDescription {
  /// Whether the column contains the numbers of the rows, or usually does.
  fileprivate var isRowNumber: Bool { primaryKeyIndex > 0 && affinity == .integer }
}
