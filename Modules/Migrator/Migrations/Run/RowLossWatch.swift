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
    /// The original names of the tables that existed before the run, by their current names; nil until they are read.
    var originals: [String: String]?
    /// The names that dropped tables had in the end, by original name.
    var dropped: [String: String] = [:]
    /// The original names of the tables all of whose rows were deleted.
    var emptied: Set<String> = []
    /// The numbers of rows that statements were allowed to remove, by original name.
    var allowed: [String: Int] = [:]
    /// The numbers of rows that rebuilds left out, or that DELETE has removed, by original name.
    var missing: [String: Int] = [:]
    /// The names of the rows that DELETE may have removed from tables to which others are added, by original name.
    var deleted: [String: (names: Set<String>, key: [String])] = [:]
    var lostValues: [LostValues] = []
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

  private var course = Course()
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
  /// The original name of the table from which the running DELETE removes as many rows as the engine reports.
  private var deleting: (original: String, statement: StatementOccurrence)?

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
    scope = course.originals?.isEmpty == true ? .nothing : review.scope(migration.identifier)
    (touchedCount, counts, tables, beforeAllowed, deleting) = (-1, [:], [:], nil, nil)
    (isUnwrapped, mayHaveOnlyRead) = (false, false)
    let old = course.originals.map { Array($0.keys) }
    (course, savepoints, occurrences) = (Course(), SQLSavepoints(), [:])
    recording = db.connection.changeRecorder.map { ($0, !isRecording && isCounting) }
    if isCounting || old == nil { tables = try currentTables() }
    course.originals = Dictionary(uniqueKeysWithValues: (old ?? Array(tables.keys)).map { ($0, $0) })
    if let recording, recording.isOwn { recording.recorder.start(isContinued: false) }
  }

  /// Counts the tables that a statement is the first to touch, and follows their names; called before it runs.
  ///
  /// - Parameter onlyReads: Whether the statement is known to write nothing.
  func statementWillRun(_ statement: SQLStatementSummary, onlyReads: Bool = false) throws {
    guard !isReading else { return }
    if isUnwrapped, !db.isInsideTransaction { mayHaveOnlyRead = true }
    let now = try finishAllowed()
    try countDeleted()
    savepoints.follow(statement.kind, statement.sql, &course)
    if !statement.writesData { course.oldTables = [:] }
    let hash = statement.sql.hashValue
    let run = StatementOccurrence(sql: statement.sql, precedingCount: occurrences[hash, default: 0])
    if isCounting {
      occurrences[hash] = run.precedingCount + 1
      if scope != .values {
        deleting = try countlessTable(statement, run).map { ($0, run) }
        if deleting == nil {
          let touched = touchedTables()
          try count(touched ?? (statement.kind == .create ? [] : oldNames), statement: touched == nil ? nil : run)
        }
      }
      if !onlyReads {
        try beginAllowed(run, now)
        try countOverwritten(statement, run)
        try noteDeleted(statement, run)
      }
    }
    if isCounting { try followTemporary(statement, run) }
    // The tables of another schema are not counted.
    guard let table = statement.effect.table else { return }
    let name = table.asciiLowercased
    let original = try db.hidesTable(of: statement) ? nil : original(of: name)
    switch statement.effect {
    case .dropColumn(_, let column): try countValues(table, original, run, of: column)
    case .dropTable:
      try countValues(table, original, run)
      guard let original else {
        course.temporary[name] = nil
        break
      }
      course.originals?[name] = nil
      course.dropped[original] = name
    case .renameColumn(_, let column, let newName):
      let renamed = { (key: [String]) in key.map { $0.isSameName(as: column) ? newName : $0 } }
      for place in course.lostValues.indices where course.lostValues[place].isOverwritten(nil, of: original) {
        course.lostValues[place].key = renamed(course.lostValues[place].key)
        guard course.lostValues[place].isOverwritten(column, of: original) else { continue }
        course.lostValues[place].overwritten = newName.asciiLowercased
      }
      if let original, let deleted = course.deleted[original] { course.deleted[original]?.key = renamed(deleted.key) }
    case .renameTable(_, let newName):
      guard let original else {
        course.temporary[newName.asciiLowercased] = course.temporary.removeValue(forKey: name)
        break
      }
      course.originals?[name] = nil
      course.originals?[newName.asciiLowercased] = original
    case .deleteAllRows: if let original { course.emptied.insert(original) }
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
    if isCounting { try count(oldNames, statement: nil) }
    isUnwrapped = true
  }

  /// Ends the migration, and passes its losses to the review.
  ///
  /// - Parameter isFollowed: Whether the watch has seen all statements.
  func finish(isFollowed: Bool = true) throws {
    try finishAllowed()
    let rest = try countDeleted()
    try endTemporaryTables()
    stop()
    let names = Dictionary((course.originals ?? [:]).map { ($1, $0) }) { first, _ in first }
    guard
      !counts.isEmpty || !course.dropped.isEmpty || names.contains(where: { $0 != $1 }) || !isFollowed
        || !course.lostValues.isEmpty
    else { return }
    let now = try currentTables()
    var losses: [RowLoss] = []
    for (original, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[original], count.rows != 0 else { continue }
      var current = names[original].flatMap { now[$0] }
      var foreign = 0
      if current == nil {
        // A table that has taken the name has rows of its own.
        let name = now[original] == nil ? course.dropped[original] ?? original : original
        let rows = course.originals?[name].map { counts[$0]?.rows } ?? 0
        if let rows { (current, foreign) = (now[name], rows) }
      }
      guard current != nil || isFollowed else { continue }
      if let current { try endDeleting(from: current.name, original) }
      let rows = try rest?.original == original ? rest?.rows : current.flatMap { try db.rowCount(of: $0) }
      var after = rows.map { max(0, $0 - foreign) }
      // Other rows may have taken the place of those that a rebuild left out.
      if let before = count.rows, let missing = course.missing[original] {
        after = after.map { min($0, max(0, before - missing)) }
      }
      let isLoss =
        if let before = count.rows, current != nil {
          after.map { $0 < before - course.allowed[original, default: 0] } ?? false
        } else {
          current == nil || course.dropped[original] != nil || course.emptied.contains(original)
            || count.statement.map { !SQLSource($0.sql).names(original) || $0.sql.holdsWord("delete") } ?? false
        }
      guard isLoss else { continue }
      losses.append(
        RowLoss(
          migration: migration, table: table.name, before: count.rows, after: after, statement: count.statement))
    }
    let successor = { [course] original in
      names[original].flatMap { now[$0] } ?? now[original] ?? course.dropped[original].flatMap { now[$0] }
    }
    for original in Set(course.lostValues.filter { $0.overwritten != nil }.compactMap(\.original)) {
      guard let current = successor(original) else { continue }
      try endOverwriting(of: nil, current.name, original)
    }
    // The rows of a dropped table are counted.
    for lost in course.lostValues where lost.overwritten == nil && lost.loss.before != 0 {
      var loss = lost.loss
      if let original = lost.original {
        guard let table = successor(original) else { continue }
        let columns = try db.connection.columns(in: table.name) ?? []
        if columns.contains(where: { $0.name.isSameName(as: loss.column ?? "") }) { loss.after = 0 }
      }
      losses.append(loss)
    }
    // A table that was rebuilt has the rows of the old one.
    let rebuilt = Set(course.dropped.flatMap { [$0, $1] }).union(names.keys).intersection(now.keys)
    let old = isFollowed ? oldNames.union(rebuilt) : Set(now.keys)
    course.originals = Dictionary(uniqueKeysWithValues: old.map { ($0, $0) })
    if !losses.isEmpty { try review.review(losses, isFollowed) }
  }

  /// Ends the migration without a result.
  func stop() {
    if let recording, recording.isOwn { recording.recorder.stop() }
    recording = nil
  }

  /// Forgets which tables existed before the run, after a rollback: from now on, these are all tables.
  func forget() { course.originals = nil }

  private var oldNames: Set<String> { Set((course.originals ?? [:]).keys) }

  /// Returns the tables that the migration has touched, if a statement touches further ones; nil if that is not known.
  private func touchedTables() -> Set<String>? {
    guard let changes = recording?.recorder.changes, !changes.isIncomplete else { return nil }
    guard changes.tables.count > touchedCount else { return [] }
    touchedCount = changes.tables.count
    return changes.tables
  }

  private func count(_ names: Set<String>, statement: StatementOccurrence?) throws {
    for name in names.sorted() {
      guard let original = course.originals?[name], counts[original] == nil, let table = tables[original],
        !table.countsRowsOfAnother
      else { continue }
      counts[original] = try (rowCount(of: original, name), statement, lastRowID(of: name))
    }
  }

  /// Returns the original name of a table that need not be counted before a statement, since this removes as many of its rows
  /// as the engine reports, and no others; nil if that is not known.
  private func countlessTable(_ statement: SQLStatementSummary, _ run: StatementOccurrence) throws -> String? {
    guard scope == .rows, !isUnwrapped, statement.sql.utf8.count < 100_000, statement.sql.holdsWord("delete"),
      case .data(.delete(let deletion))? = (try? SQLTree(parsing: statement.sql))?.statement
    else { return nil }
    guard let table = try oldTable(deletion.table), !table.hasTriggers, counts[table.original] == nil,
      course.dropped[table.original] == nil, !review.allows(migration, run),
      try !db.connection.enforcesForeignKeys()
    else { return nil }
    return table.original
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
    guard let (original, statement) = deleting else { return nil }
    deleting = nil
    let deleted = db.changesCount
    guard deleted > 0, let name = course.originals?.first(where: { $0.value == original })?.key else { return nil }
    let rows = try rowCount(of: original, name)
    counts[original] = try (rows.map { $0 + deleted }, statement, lastRowID(of: name))
    return (original, rows)
  }

  /// Returns the number of rows that a table has under its current name; nil if they cannot be counted.
  private func rowCount(of original: String, _ name: String) throws -> Int? {
    guard let table = tables[original] else { return nil }
    let current = SchemaObject(
      kind: .table, name: name == original ? table.name : name, tableName: name, sql: nil, isVirtual: table.isVirtual)
    return try reading { try db.rowCount(of: current) }
  }

  /// Returns the largest rowid of a table that a DELETE of this migration may remove, so that those of new rows are larger.
  private func lastRowID(of name: String) throws -> Int64? {
    try scope == .values ? nil : reading { try values(name).lastRowID() }
  }

  private func values(_ table: String) -> ValueCount { ValueCount(db, ValueKeeper.Table(table, isTemporary: false)) }

  /// Runs queries of the watch, which are announced to it like statements of the migration.
  private func reading<Value>(_ queries: () throws -> Value) rethrows -> Value {
    let isNested = isReading
    isReading = true
    defer { isReading = isNested }
    return try queries()
  }

  /// Returns the name that a table of the main schema had before the run; nil for a table that the run has created.
  private func original(of name: String) -> String? {
    // A table that has replaced a dropped one has its rows.
    course.originals?[name]
      ?? (course.dropped[name] != nil ? name : course.dropped.first { $0.value == name }?.key)
  }

  /// Counts the rows before a statement that is allowed to remove some and, if one was, before another one that may.
  ///
  /// - Parameter now: The numbers of rows, if they are known.
  private func beginAllowed(_ run: StatementOccurrence, _ now: [String: Int]?) throws {
    let isAllowed = review.allows(migration, run)
    guard isAllowed || !course.allowed.isEmpty && (run.sql.holdsWord("delete") || run.sql.holdsWord("replace")) else {
      return
    }
    try reserveWriting()
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
    for (name, original) in course.originals ?? [:] where counts[original] != nil {
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
    let count = course.lostValues.count
    try countValues(name, table.original, run, overwriting: emptied, inserted: overwriting.inserted)
    let areAllCounted = columns.isEmpty && course.lostValues.count > count
    course.oldTables[name]?.isCounted = areAllCounted
  }

  /// Notes the rows that a DELETE removes from a table to which the file adds others, which do not replace them.
  private func noteDeleted(_ statement: SQLStatementSummary, _ run: StatementOccurrence) throws {
    guard statement.sql.holdsWord("delete"), review.keepers?.addsRows(migration, run) == true,
      let syntax = try? SQLTree(parsing: statement.sql), case .data(.delete(let deletion)) = syntax.statement,
      let query = syntax.changedRows, let table = try oldTable(deletion.table)
    else { return }
    try reserveWriting()
    let values = values(deletion.table.name.folded)
    // Those that the file itself has added are not lost.
    let last = counts[table.original]?.lastRowID
    let key = try course.deleted[table.original]?.key ?? values.key(replacing: [])
    let names = try reading { try values.names(query, by: key, upTo: last) } ?? []
    // Without another key, new rows may get the same rowids.
    if key.allSatisfy({ SQLIdentifier.rowIDNames.contains($0) }) {
      course.missing[table.original, default: 0] += names.count
    } else {
      course.deleted[table.original, default: ([], key)].names.formUnion(names)
    }
  }

  /// Adds the rows that DELETE has removed from a table to those that are missing.
  private func endDeleting(from table: String, _ original: String) throws {
    guard let (names, key) = course.deleted.removeValue(forKey: original) else { return }
    let remaining = try values(table).among(names, key)?.rowCount() ?? 0
    course.missing[original, default: 0] += names.count - remaining
  }

  /// Whether all values of an overwritten column have been counted.
  private func isCounted(_ column: String, of original: String?) -> Bool {
    course.lostValues.contains { $0.isOverwritten(column, of: original) && $0.isComplete }
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
    try reserveWriting()
    try reading {
      let isTemporary = try original == nil && db.connection.columns(in: table, inSchema: "temp") != nil
      let place = ValueKeeper.Table(table, isTemporary: isTemporary)
      let described = try db.valueColumns(in: place)
      let names = column.map { [$0] } ?? described.map(\.name)
      let keepers = review.keepers?.ofColumns(migration, names, original != nil, run) ?? [:]
      let values = ValueCount(db, place)
      if let original, overwriting == nil {
        try endOverwriting(of: column, table, original)
        if column == nil {
          try endDeleting(from: table, original)
          course.missing[original, default: 0] += try values.missingRowCount(described, keepers)
        }
      }
      let key = try overwriting == nil ? [] : values.key(replacing: inserted)
      for column in described {
        let name = column.name.asciiLowercased
        guard let places = keepers[name] else { continue }
        let query = overwriting?[name] ?? nil
        var rows: Set<String>?
        if let overwriting {
          guard overwriting.isEmpty || overwriting.keys.contains(name), !isCounted(name, of: original) else { continue }
          rows = try query.map { try values.names($0, by: key) } ?? values.names(with: column.name, by: key)
          if rows?.isEmpty ?? false { continue }
        }
        // New numbers of rows matter only where a row refers to them, which is a matter of foreign keys.
        let isNumber =
          places.isEmpty && column.primaryKeyIndex > 0 && column.affinity == .integer
          && described.count { $0.primaryKeyIndex > 0 } == 1
        let count = { (values: ValueCount) in
          try isNumber || values.isCopied(column, places) ? 0 : values.lostCount(of: column.name, places)
        }
        let loss = RowLoss(
          migration: migration, table: original.flatMap { tables[$0]?.name } ?? table, column: column.name,
          before: nil, after: nil, statement: run)
        let lost = LostValues(loss, original, overwritten: overwriting == nil ? nil : name, key: key)
        try add(lost, values, count, in: rows, isComplete: query == nil)
      }
    }
  }

  /// Adds the values of a column that a statement drops or overwrites.
  ///
  /// - Parameters:
  ///   - rows: The names of the rows in which it may be emptied; nil if they are not known.
  ///   - isComplete: Whether these are all rows with a value.
  private func add(
    _ lost: LostValues, _ values: ValueCount, _ count: LostValues.Count, in rows: Set<String>?, isComplete: Bool
  ) throws {
    let known = lost.overwritten.flatMap { column in
      course.lostValues.firstIndex { $0.isOverwritten(column, of: lost.original) && $0.key == lost.key }
    }
    let new = rows.map { rows in known.map { course.lostValues[$0].unknown(of: rows) } ?? rows }
    let knownCount = known.flatMap { course.lostValues[$0].rows?.count } ?? 0
    if let new, knownCount + new.count <= ValueCount.mostNames,
      let added = try (isComplete && known == nil ? values : values.among(new, lost.key)).flatMap(count)
    {
      guard added > 0 || isComplete else { return }
      if known == nil { course.lostValues.append(lost) }
      course.lostValues[known ?? course.lostValues.count - 1].add(added, in: new, isComplete: isComplete)
    } else if let known {
      let before = try course.lostValues[known].stillLost(values) + (count(values) ?? 0)
      course.lostValues[known].countColumn(before)
    } else {
      var lost = lost
      let before = try count(values)
      lost.countColumn(lost.overwritten == nil ? before : before ?? 0)
      if before != 0 || lost.overwritten != nil { course.lostValues.append(lost) }
    }
  }

  /// Counts what is lost in known rows, before a statement that changes their names: they cannot be followed.
  private func endBeforeMove(_ table: String, _ original: String, of columns: [String]) throws {
    let lost = course.lostValues.filter { $0.isOverwritten(nil, of: original) && $0.rows != nil }
    var keys = lost.flatMap(\.key) + (course.deleted[original]?.key ?? [])
    guard !keys.isEmpty else { return }
    try keys += db.keyColumns(of: table) + SQLIdentifier.rowIDNames
    guard !Set(keys.map(\.asciiLowercased)).isDisjoint(with: columns) else { return }
    try reading {
      for column in lost.compactMap(\.overwritten) { try endOverwriting(of: column, table, original) }
      try endDeleting(from: table, original)
    }
  }

  /// Leaves out, of the values of overwritten columns, those that the same rows have now or, if these are not known, the columns,
  /// and as many as rows are removed.
  ///
  /// - Parameter column: The column that is dropped; nil for all columns.
  private func endOverwriting(of column: String?, _ table: String, _ original: String) throws {
    let values = values(table)
    for place in course.lostValues.indices where course.lostValues[place].isOverwritten(column, of: original) {
      let lost = course.lostValues[place]
      course.lostValues[place].overwritten = nil
      guard let name = lost.overwritten, let before = lost.loss.before, before > 0 else { continue }
      course.lostValues[place].loss.before = try lost.stillLost(values)
      guard lost.isComplete else { continue }
      let removed =
        try counts[original]?.rows.flatMap { rows in try rowCount(of: original, table).map { max(0, rows - $0) } } ?? 0
      let now = try values.lostCount(of: name, []) ?? before
      course.lostValues[place].loss.before = max(course.lostValues[place].loss.before ?? 0, before - removed - now)
    }
  }

  /// Takes the lock for writing before the watch reads for a statement that writes, once in each transaction of the file.
  ///
  /// In a transaction that begins with reading, the statement fails if another connection writes in between to a file in WAL
  /// mode (https://www.sqlite.org/rescode.html#busy_snapshot). A change that is undone keeps the lock, and leaves `changes()`
  /// as it is, which an empty DELETE would not.
  private func reserveWriting() throws {
    guard mayHaveOnlyRead, db.isInsideTransaction else { return }
    let savepoint = "migrator_lock"
    try reading {
      try db.connection.beginSavepoint(savepoint)
      do throws(DatabaseError) {
        try db.connection.setUserVersion(0)
        mayHaveOnlyRead = false
      } catch {
        // The file may have set query_only.
        guard error.condition == .readOnly else { throw error }
      }
      try db.connection.rollbackSavepoint(savepoint)
    }
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
