internal import SQLSyntax

/// A table that a migration leaves with fewer rows than it had before, or drops without a way to count them, or a column
/// whose values it does not keep.
package struct RowLoss: Sendable, Equatable {
  /// The identifier of the migration.
  package let migration: String
  /// The name of the table before the migration.
  package let table: String
  /// The column whose values are lost, at least ``before`` of them, with the column or with the table from which the rows
  /// were copied; nil if rows are lost.
  package internal(set) var column: String?
  /// The number of rows before the migration, or of lost values of the column; nil if this connection cannot count them.
  package let before: Int?
  /// The number of rows after the migration; nil if the table is gone, or cannot be counted.
  package internal(set) var after: Int?
  /// The first statement that touched the table; nil if it is not known.
  package let statement: String?

  /// The number of removed rows; nil if they cannot be counted.
  package var removedCount: Int? { before.map { $0 - (after ?? 0) } }

  /// A clause about the loss.
  package var summary: String {
    if let column, let before {
      return "migration \"\(migration)\" loses at least \(counted(before, "value")) of column \"\(column)\" of table "
        + "\"\(table)\""
    }
    guard let before else {
      return "migration \"\(migration)\" may remove rows of table \"\(table)\", which cannot be counted"
    }
    let rows = counted(before, "row")
    guard let after else { return "migration \"\(migration)\" drops table \"\(table)\" with \(rows)" }
    return "migration \"\(migration)\" removes \(before - after) of the \(rows) of table \"\(table)\""
  }
}

/// A review of the rows that migrations remove, which takes place before they are committed.
package struct RowLossReview {
  /// Returns the expressions in which a migration is meant to keep the values of columns, by column in ASCII lowercase.
  package typealias Keepers = (_ migration: String, _ columns: [String], _ table: String, _ statement: String) ->
    [String: [String]]

  fileprivate let mayRemoveRows: (_ migration: String) -> Bool
  fileprivate let keepers: Keepers
  fileprivate let allows: (_ migration: String, _ statement: String) -> Bool
  fileprivate let review: ([RowLoss], _ canBeUndone: Bool) throws -> Void

  /// Creates a review.
  ///
  /// - Parameters:
  ///   - mayRemoveRows: Returns whether a migration may remove rows; for the others, no rows are counted.
  ///   - keepers: Returns the expressions, over the rows of a table, in which a migration is meant to keep the values of
  ///     columns that a statement drops, alone or with the table; if they do not determine these values, that is a loss.
  ///   - allows: Returns whether a statement may remove rows; these are then no loss.
  ///   - review: The closure to call with the losses of a migration, if there are any. If they can be undone, it is
  ///     called before the commit, and an error rolls the migration back; otherwise, the migration ran without a
  ///     transaction.
  package init(
    mayRemoveRows: @escaping (_ migration: String) -> Bool = { _ in true },
    keepers: @escaping Keepers = { _, _, _, _ in [:] },
    allows: @escaping (_ migration: String, _ statement: String) -> Bool = { _, _ in false },
    review: @escaping ([RowLoss], _ canBeUndone: Bool) throws -> Void
  ) {
    (self.mayRemoveRows, self.keepers, self.allows, self.review) = (mayRemoveRows, keepers, allows, review)
  }
}

/// A watch that counts the rows of the tables that a migration touches, before the first statement that touches them and
/// after the migration.
///
/// A table is followed through renames. A table that is dropped is compared with the new table of its name; without
/// one, all its rows are lost, even if other tables have received them. Tables that the run itself has created are not
/// counted.
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
    /// The losses of values, each with the original name of its table.
    var lostValues: [(loss: RowLoss, original: String)] = []
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
  private var counts: [String: (rows: Int?, statement: String?)] = [:]

  /// The row counts before the running statement, if it may remove rows, by original name.
  private var beforeAllowed: [String: Int] = [:]

  /// Whether the watch is counting rows, with statements that are announced to it like those of the migration.
  private var isReading = false

  init(_ db: Database, _ review: RowLossReview, ledgerTable: String) {
    (self.db, self.review, self.ledgerTable) = (db, review, ledgerTable)
  }

  /// Begins a migration.
  ///
  /// - Parameter isRecording: Whether the recorder of the connection has been started, and is stopped by another watch.
  func begin(_ migration: Migration, isRecording: Bool) throws {
    self.migration = migration.identifier
    isCounting = course.old?.isEmpty != true && review.mayRemoveRows(migration.identifier)
    (touchedCount, counts, tables, beforeAllowed) = (-1, [:], [:], [:])
    (course, savepoints) = (Course(old: course.old), SQLSavepoints())
    recording = db.connection.changeRecorder.map { ($0, !isRecording && isCounting) }
    if isCounting || course.old == nil { tables = try currentTables() }
    if course.old == nil { course.old = Set(tables.keys) }
    if let recording, recording.isOwn { recording.recorder.start(isContinued: false) }
  }

  /// Counts the tables that a statement is the first to touch, and follows their names; called before it runs.
  func statementWillRun(_ statement: SQLStatementSummary) throws {
    guard !isReading else { return }
    try finishAllowed()
    savepoints.follow(statement.kind, statement.sql, &course)
    if isCounting {
      let touched = touchedTables(statement)
      try count(
        touched ?? (statement.kind == .create ? [] : course.old ?? []), statement: touched == nil ? nil : statement.sql)
      if review.allows(migration, statement.sql) { beforeAllowed = try currentCounts(of: Array(counts.keys)) }
    }
    // The tables of another schema, and those that the run has created, are not counted.
    guard let name = statement.effect.table?.asciiLowercased, course.old?.contains(name) ?? false,
      try !db.hidesTable(of: statement)
    else { return }
    let original = course.origins[name] ?? name
    switch statement.effect {
    case .renameTable(_, let newName):
      let new = newName.asciiLowercased
      course.old?.remove(name)
      course.old?.insert(new)
      course.origins[name] = nil
      course.origins[new] = original
    case .dropTable(let table):
      if isCounting { try countValues(of: nil, table, original, statement.sql) }
      course.old?.remove(name)
      course.origins[name] = nil
      course.dropped.insert(original)
    case .deleteAllRows: course.emptied.insert(original)
    case .dropColumn(let table, let column) where isCounting:
      try countValues(of: column, table, original, statement.sql)
    default: break
    }
  }

  /// Returns the function to call when the changes from now on are undone.
  func mark() -> () -> Void { { [course] in self.course = course } }

  /// Counts all tables, for a migration whose statements are not inspected.
  func countAll() throws { if isCounting { try count(course.old ?? [], statement: nil) } }

  /// Ends the migration, and passes its losses to the review.
  ///
  /// - Parameter isFollowed: Whether the watch has seen all statements.
  func finish(isFollowed: Bool = true) throws {
    try finishAllowed()
    stop()
    guard
      !counts.isEmpty || !course.dropped.isEmpty || !course.origins.isEmpty || !isFollowed
        || !course.lostValues.isEmpty
    else { return }
    let now = try currentTables()
    let names = Dictionary(course.origins.map { ($1, $0) }) { first, _ in first }
    var losses: [RowLoss] = []
    for (original, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[original], count.rows != 0 else { continue }
      // A table that has taken the name of another one is only compared with itself.
      let current = names[original].flatMap { now[$0] } ?? (course.origins[original] == nil ? now[original] : nil)
      guard current != nil || isFollowed else { continue }
      let after = try current.flatMap { try db.rowCount(of: $0) }
      let isLoss =
        if let before = count.rows, current != nil {
          after.map { $0 < before - course.allowed[original, default: 0] } ?? false
        } else {
          current == nil || course.dropped.contains(original) || course.emptied.contains(original)
            || count.statement.map { !SQLSource($0).names(original) || $0.holdsWord("delete") } ?? false
        }
      guard isLoss else { continue }
      losses.append(
        RowLoss(
          migration: migration, table: table.name, before: count.rows, after: after, statement: count.statement))
    }
    // The rows of a dropped table are counted.
    losses += course.lostValues.filter { now[names[$0.original] ?? $0.original] != nil }.map(\.loss)
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

  private func count(_ names: Set<String>, statement: String?) throws {
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

  /// Notes the rows that the last statement has removed, if that was allowed.
  private func finishAllowed() throws {
    guard !beforeAllowed.isEmpty else { return }
    for (original, count) in try currentCounts(of: Array(beforeAllowed.keys)) {
      course.allowed[original, default: 0] += max(0, (beforeAllowed[original] ?? 0) - count)
    }
    beforeAllowed = [:]
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

  /// Counts the values of a column, or of all columns of a table, that their keepers do not determine, before they are
  /// dropped.
  private func countValues(of column: String?, _ table: String, _ original: String, _ sql: String) throws {
    isReading = true
    defer { isReading = false }
    let columns = try column.map { [$0] } ?? (db.connection.columns(in: table) ?? []).map(\.name)
    let keepers = review.keepers(migration, columns, table, sql)
    guard !keepers.isEmpty else { return }
    let rows = try db.rowsForCounting(table, rowCount: counts[original]?.rows ?? nil)
    for column in columns {
      guard let expressions = keepers[column.asciiLowercased], !expressions.isEmpty else { continue }
      // The connection may lack a collation or a function, and an expression may name a column that is gone.
      let count =
        try DatabaseError.ifPossible { try db.valueCount(of: column, undeterminedBy: expressions, in: table, rows) }
        ?? 0
      guard count > 0 else { continue }
      let loss = RowLoss(
        migration: migration, table: tables[original]?.name ?? table, column: column, before: count, after: nil,
        statement: sql)
      course.lostValues.append((loss, original))
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
    return table.fullTextContent(syntax.source).map { !$0.table.isEmpty } ?? false
  }
}

extension Database {
  /// The number of rows at each end of a table that is too large for all of its values to be compared.
  ///
  /// Comparing those of a million rows takes longer than copying the rows; those of 20,000 rows take 2 % of that time.
  private static let endCount = 10_000

  /// Returns the rows of a table for a FROM clause: all rows or, of a large table, the first and the last ones.
  fileprivate func rowsForCounting(_ table: String, rowCount: Int?) throws -> String {
    let name = table.quotedIdentifier
    let columns = try connection.columns(in: table) ?? []
    // A table without a primary key has rowids.
    var keys = columns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }.map(\.name)
    if keys.isEmpty { keys = [SQLIdentifier.rowIDName(besides: columns.map(\.name))].compactMap(\.self) }
    guard let rowCount, rowCount > 2 * Self.endCount, !keys.isEmpty else { return "main.\(name)" }
    let ends = ["ASC", "DESC"].map { direction in
      let order = keys.map { "\($0.quotedIdentifier) \(direction)" }.joined(separator: ", ")
      return "SELECT * FROM (SELECT * FROM main.\(name) ORDER BY \(order) LIMIT \(Self.endCount))"
    }
    return "(\(ends.joined(separator: " UNION ALL "))) AS \(name)"
  }

  /// Returns how many values of a column, other than NULL and the empty text, expressions over the same row do not
  /// determine, or fewer: those where all of these are NULL or empty, and those of rows that differ in the column alone.
  ///
  /// - Parameter rows: The rows, by ``rowsForCounting(_:rowCount:)``.
  fileprivate func valueCount(
    of column: String, undeterminedBy others: [String], in table: String, _ rows: String
  ) throws -> Int {
    let names = others.map { "(\($0)) COLLATE BINARY" }
    let list = names.joined(separator: ", ")
    let isEmpty = names.map { "ifnull(\($0), '') = ''" }.joined(separator: " AND ")
    let column = "\(table.quotedIdentifier).\(column.quotedIdentifier) COLLATE BINARY"
    let source = "FROM \(rows) WHERE \(column) <> ''"
    // One pass without sorting shows an expression that has not changed any value. The sign + prevents conversions
    // (https://www.sqlite.org/datatype3.html#affinity_of_comparison_operands).
    for other in names {
      let sql = "SELECT EXISTS (SELECT 1 \(source) AND +\(other) IS NOT +\(column))"
      guard try Bool.fetchOne(self, sql: sql) ?? false else { return 0 }
    }
    return try Int.fetchOne(
      self,
      sql: """
        SELECT (SELECT count(*) \(source) AND \(isEmpty))
          + (SELECT count(*) FROM (SELECT DISTINCT \(list), \(column) \(source) AND NOT (\(isEmpty))))
          - (SELECT count(*) FROM (SELECT DISTINCT \(list) \(source) AND NOT (\(isEmpty))))
        """) ?? 0
  }
}
