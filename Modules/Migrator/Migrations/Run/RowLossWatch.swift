internal import SQLSyntax

/// A watch that counts the rows of the tables that a migration touches, before the first statement that touches them and
/// after the migration.
///
/// A table is followed through renames. A table that is dropped is compared with the new table that has its first or last
/// name; without one, all its rows are lost, even if other tables have received them. If another old table has taken the
/// name, its own rows do not count. Tables that the run itself has created are not counted.
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
    var missing = MissingRows()
    var lostValues = ValueLosses()
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

  /// The names of the tables that existed before the run; nil until they are read.
  private var oldNames: Set<String>?
  private var course = Course(names: TableNames([]))
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
    (course, savepoints, occurrences) = (Course(names: TableNames(old)), SQLSavepoints(), [:])
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
      if scope != .values {
        deleting = try countlessTable(statement, run).map { ($0.original, run, try lastRowID(of: $0.name)) }
        if deleting == nil {
          let touched = touchedTables()
          try count(
            touched ?? (statement.kind == .create ? [] : currentNames), statement: touched == nil ? nil : run)
        }
      }
      if !onlyReads {
        try beginAllowed(run, now)
        try countOverwritten(statement, run)
        try noteDeleted(statement, run)
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
    case .dropColumn(_, let column): try countValues(table, original, run, of: column)
    case .dropTable:
      try countValues(table, original, run)
      if original == nil { course.temporary[name] = nil }
    case .renameColumn(_, let column, let newName):
      course.lostValues.rename(column, to: newName, of: original)
      if let original { course.missing.rename(column, to: newName, of: original) }
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
        try countValues(table.asciiLowercased, nil, run)
      }
    default: break
    }
  }

  /// Counts what is lost with the temporary tables of the migration, which end with it.
  func endTemporaryTables() throws {
    for (name, creation) in course.temporary.sorted(by: { $0.key < $1.key }) { try countValues(name, nil, creation) }
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
        || !course.lostValues.list.isEmpty
    else { return }
    let now = try reader.tables()
    // The table that has the rows of an old one.
    let successor = { (original: String) in
      names[original].flatMap { now[$0] } ?? now[original]
        ?? dropped.first { $1 == original && now[$0] != nil }.flatMap { now[$0.key] }
    }
    let losses = try lostRows(rest, isFollowed, successor) + lostValues(successor)
    // A table that was rebuilt has the rows of the old one.
    let rebuilt = Set(dropped.keys).union(names.keys).intersection(now.keys)
    oldNames = isFollowed ? currentNames.union(rebuilt) : Set(now.keys)
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
      guard current != nil || isFollowed else { continue }
      if let current { try course.missing.endNaming(of: original, reader.values(current.name)) }
      let rows = try rest?.original == original ? rest?.rows : current.flatMap { try db.rowCount(of: $0) }
      var after = rows.map { max(0, $0 - foreign) }
      // Other rows may have taken the place of those that a rebuild left out.
      if let before = count.rows, let missing = course.missing.count(of: original) {
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

  /// Returns the losses of values at the end of the migration.
  private func lostValues(_ successor: (_ original: String) -> SchemaObject?) throws -> [RowLoss] {
    for original in Set(course.lostValues.list.filter { $0.overwritten != nil }.compactMap(\.original)) {
      guard let current = successor(original) else { continue }
      try endOverwriting(of: nil, current.name, original)
    }
    // The rows of a dropped table are counted.
    return try course.lostValues.list.compactMap { lost in
      guard lost.overwritten == nil && lost.loss.before != 0 else { return nil }
      guard let original = lost.original else { return lost.loss }
      guard let table = successor(original) else { return nil }
      var loss = lost.loss
      let columns = try db.connection.columns(in: table.name) ?? []
      if columns.contains(where: { $0.name.isSameName(as: loss.column ?? "") }) { loss.after = 0 }
      return loss
    }
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

  /// Returns the names of a table that need not be counted before a statement, since this removes as many of its rows as the
  /// engine reports, and no others; nil if that is not known.
  private func countlessTable(
    _ statement: SQLStatementSummary, _ run: StatementOccurrence
  ) throws -> (original: String, name: String)? {
    guard scope == .rows, !reader.isUnwrapped, statement.sql.utf8.count < 100_000, statement.sql.holdsWord("delete"),
      case .data(.delete(let deletion))? = (try? SQLTree(parsing: statement.sql))?.statement
    else { return nil }
    guard let table = try oldTable(deletion.table), !table.hasTriggers, counts[table.original] == nil,
      !course.names.dropped.values.contains(table.original), !review.allows(migration, run),
      try !db.connection.enforcesForeignKeys()
    else { return nil }
    return (table.original, deletion.table.name.folded)
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

  /// Counts the values of the columns that a statement is the first to overwrite.
  private func countOverwritten(_ statement: SQLStatementSummary, _ run: StatementOccurrence) throws {
    guard review.keepers != nil, let overwriting = statement.overwriting, let table = try oldTable(overwriting.table)
    else { return }
    let (name, columns) = (overwriting.table.name.folded, overwriting.columns)
    try endBeforeMove(name, table.original, of: columns)
    let emptied =
      table.hasTriggers
      ? Dictionary(columns.map { ($0, SQLRowQuery?.none) }) { first, _ in first } : overwriting.emptied.mapValues { $0 }
    if columns.isEmpty ? table.isCounted : emptied.isEmpty { return }
    let count = course.lostValues.list.count
    try countValues(name, table.original, run, overwriting: emptied, inserted: overwriting.inserted)
    let areAllCounted = columns.isEmpty && course.lostValues.list.count > count
    course.oldTables[name]?.isCounted = areAllCounted
  }

  /// Notes the rows that a DELETE removes from a table to which the file adds others, which do not replace them, and the values
  /// without which these may come back.
  private func noteDeleted(_ statement: SQLStatementSummary, _ run: StatementOccurrence) throws {
    guard let keepers = review.keepers, statement.sql.holdsWord("delete"), statement.sql.utf8.count < 100_000,
      let syntax = try? SQLTree(parsing: statement.sql), case .data(.delete(let deletion)) = syntax.statement,
      let query = syntax.changedRows, let table = try oldTable(deletion.table)
    else { return }
    let name = deletion.table.name.folded
    // Those that the file itself has added are not lost.
    let old = counts[table.original]?.lastRowID.map { query.rows(where: "rowid", "<= \($0)") } ?? query
    if keepers.addsRows(migration, run) {
      try reader.reserveWriting()
      let values = reader.values(name)
      let key = try course.missing.key(of: table.original) ?? values.key(replacing: [])
      let names = try reader.reading { try values.names(old, by: key) } ?? []
      course.missing.add(names, by: key, of: table.original)
    }
    try countDeletedValues(name, table.original, run, old)
  }

  /// Counts the values of rows that a DELETE removes, if these may come back without them.
  ///
  /// - Parameter query: A query for the rows.
  private func countDeletedValues(
    _ table: String, _ original: String, _ run: StatementOccurrence, _ query: SQLRowQuery
  ) throws {
    let described = try reader.reading { try db.valueColumns(in: ValueKeeper.Table(table, isTemporary: false)) }
    let keepers = review.keepers?.ofColumns(migration, described.map(\.name), true, run) ?? [:]
    let columns = described.filter { keepers[$0.name.asciiLowercased] != nil }
    guard !columns.isEmpty else { return }
    try reader.reserveWriting()
    try reader.reading {
      let values = reader.values(table)
      let key = try values.key(replacing: [])
      guard let rows = try values.names(query, by: key, withValuesIn: columns.map(\.name)) else { return }
      for (column, rows) in zip(columns, rows) where !rows.isEmpty {
        let name = column.name.asciiLowercased
        let lost = LostValues(loss(of: column, table, original, run), original, overwritten: name, key: key)
        let count = counting(column, of: described, keepers[name] ?? [])
        try course.lostValues.add(lost, values, count, in: rows, isComplete: false)
      }
    }
  }

  /// Counts the values that none of their keepers has, before a statement drops or overwrites them.
  ///
  /// - Parameters:
  ///   - column: The column that is dropped; nil for all columns.
  ///   - overwriting: The columns that are overwritten, empty for all, with queries for the rows in which they may be emptied
  ///     if these are known; nil if the column or the table is dropped.
  ///   - inserted: The columns of rows that may replace others, empty for all; nil if no rows are replaced.
  private func countValues(
    _ table: String, _ original: String?, _ run: StatementOccurrence, of column: String? = nil,
    overwriting: [String: SQLRowQuery?]? = nil, inserted: [String]? = nil
  ) throws {
    if !isCounting || original.flatMap({ tables[$0]?.countsRowsOfAnother }) ?? false { return }
    try reader.reserveWriting()
    try reader.reading {
      let isTemporary = try original == nil && db.connection.columns(in: table, inSchema: "temp") != nil
      let place = ValueKeeper.Table(table, isTemporary: isTemporary)
      let described = try db.valueColumns(in: place)
      let names = column.map { [$0] } ?? described.map(\.name)
      let keepers = review.keepers?.ofColumns(migration, names, original != nil, run) ?? [:]
      let values = ValueCount(db, place)
      if let original, overwriting == nil {
        try endOverwriting(of: column, table, original)
        if column == nil {
          try course.missing.endNaming(of: original, values)
          course.missing.add(try values.missingRowCount(described, keepers), of: original)
        }
      }
      let key = try overwriting == nil ? [] : values.key(replacing: inserted)
      for column in described {
        let name = column.name.asciiLowercased
        guard let places = keepers[name] else { continue }
        let loss = loss(of: column, table, original, run)
        let lost = LostValues(loss, original, overwritten: overwriting == nil ? nil : name, key: key)
        let count = counting(column, of: described, places)
        if let overwriting {
          guard overwriting.isEmpty || overwriting.keys.contains(name) else { continue }
          try addOverwritten(lost, values, count, in: overwriting[name] ?? nil)
        } else {
          try course.lostValues.add(lost, values, count, in: nil, isComplete: true)
        }
      }
    }
  }

  private func loss(
    of column: ColumnDescription, _ table: String, _ original: String?, _ run: StatementOccurrence
  ) -> RowLoss {
    RowLoss(
      migration: migration, table: original.flatMap { tables[$0]?.name } ?? table, column: column.name,
      before: nil, after: nil, statement: run)
  }

  /// Returns a function that counts the values of a column that none of some places has.
  private func counting(
    _ column: ColumnDescription, of described: [ColumnDescription], _ places: [ValueKeeper]
  ) -> LostValues.Count {
    // New numbers of rows matter only where a row refers to them, which is a matter of foreign keys.
    let isNumber =
      places.isEmpty && column.primaryKeyIndex > 0 && column.affinity == .integer
      && described.count { $0.primaryKeyIndex > 0 } == 1
    return { values in
      try isNumber || values.isCopied(column, places) ? 0 : values.lostCount(of: column.name, places)
    }
  }

  /// Adds the values of a column that a statement overwrites.
  ///
  /// - Parameter query: A query for the rows in which the column may be emptied; nil for all rows.
  private func addOverwritten(
    _ lost: LostValues, _ values: ValueCount, _ count: LostValues.Count, in query: SQLRowQuery?
  ) throws {
    guard let column = lost.loss.column, !course.lostValues.isComplete(column.asciiLowercased, of: lost.original) else {
      return
    }
    let rows = try query.map { try values.names($0, by: lost.key) } ?? values.names(with: column, by: lost.key)
    if rows?.isEmpty ?? false { return }
    try course.lostValues.add(lost, values, count, in: rows, isComplete: query == nil)
  }

  /// Counts what is lost in known rows, before a statement that changes their names: they cannot be followed.
  private func endBeforeMove(_ table: String, _ original: String, of columns: [String]) throws {
    let lost = course.lostValues.list.filter { $0.isOverwritten(nil, of: original) && $0.rows != nil }
    var keys = lost.flatMap(\.key) + (course.missing.key(of: original) ?? [])
    guard !keys.isEmpty else { return }
    try keys += db.keyColumns(of: table) + SQLIdentifier.rowIDNames
    guard !Set(keys.map(\.asciiLowercased)).isDisjoint(with: columns) else { return }
    try reader.reading {
      for column in lost.compactMap(\.overwritten) { try endOverwriting(of: column, table, original) }
      try course.missing.endNaming(of: original, reader.values(table))
    }
  }

  /// Leaves out, of the values of an overwritten column, those that are not lost; nil for all columns of a table.
  private func endOverwriting(of column: String?, _ table: String, _ original: String) throws {
    try course.lostValues.end(column, of: original, reader.values(table)) { [counts] in
      try counts[original]?.rows.flatMap { rows in try rowCount(of: original, table).map { max(0, rows - $0) } } ?? 0
    }
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
