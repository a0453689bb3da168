internal import SQLSyntax

/// A table that a migration leaves with fewer rows than it had before, or drops without a way to count them, or a column
/// whose values it does not keep.
package struct RowLoss: Sendable, Equatable {
  /// The identifier of the migration.
  package let migration: String
  /// The name of the table before the migration.
  package let table: String
  /// The dropped column whose values are lost, at least ``before`` of them; nil if rows are.
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
      return "migration \"\(migration)\" drops column \"\(column)\" of table \"\(table)\" with "
        + "\(counted(before, "value")) that it has not kept"
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
  fileprivate let mayRemoveRows: (_ migration: String) -> Bool
  fileprivate let keepers: (_ migration: String, _ table: String, _ column: String) -> [String]
  fileprivate let review: ([RowLoss], _ canBeUndone: Bool) throws -> Void

  /// Creates a review.
  ///
  /// - Parameters:
  ///   - mayRemoveRows: Returns whether a migration may remove rows; for the others, no rows are counted.
  ///   - keepers: Returns the columns of the same table in which a migration is meant to keep the values of a column that
  ///     it drops; if they do not determine these values, that is a loss.
  ///   - review: The closure to call with the losses of a migration, if there are any. If they can be undone, it is
  ///     called before the commit, and an error rolls the migration back; otherwise, the migration ran without a
  ///     transaction.
  package init(
    mayRemoveRows: @escaping (_ migration: String) -> Bool = { _ in true },
    keepers: @escaping (_ migration: String, _ table: String, _ column: String) -> [String] = { _, _, _ in [] },
    review: @escaping ([RowLoss], _ canBeUndone: Bool) throws -> Void
  ) {
    (self.mayRemoveRows, self.keepers, self.review) = (mayRemoveRows, keepers, review)
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
  /// The current names, in ASCII lowercase, of the tables that existed before the run; nil until they are read.
  private var old: Set<String>?

  // The state during a migration; names are in ASCII lowercase.
  private var migration = ""
  private var isCounting = false
  /// The recorder, and whether this watch has started it.
  private var recording: (recorder: any ChangeRecorder, isOwn: Bool)?
  /// The tables before the migration.
  private var tables: [String: SchemaObject] = [:]
  private var touchedCount = -1
  /// The original names of renamed tables, by their current names.
  private var origins: [String: String] = [:]
  /// The original names of the tables that were dropped.
  private var dropped: Set<String> = []
  /// The original names of the tables all of whose rows were deleted.
  private var emptied: Set<String> = []
  /// The row counts before the migration by original name, nil for a table that cannot be counted, each with the
  /// statement that touched the table first.
  private var counts: [String: (rows: Int?, statement: String?)] = [:]
  /// The losses of values, each with the original name of its table, and whether another column has taken the name of the
  /// dropped one.
  private var lostValues: [(loss: RowLoss, original: String, isReplaced: Bool)] = []

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
    isCounting = old?.isEmpty != true && review.mayRemoveRows(migration.identifier)
    (touchedCount, origins, dropped, emptied, counts, tables) = (-1, [:], [], [], [:], [:])
    lostValues = []
    recording = db.connection.changeRecorder.map { ($0, !isRecording && isCounting) }
    if isCounting || old == nil { tables = try currentTables() }
    if old == nil { old = Set(tables.keys) }
    if let recording, recording.isOwn { recording.recorder.start(isContinued: false) }
  }

  /// Counts the tables that a statement is the first to touch, and follows their names; called before it runs.
  func statementWillRun(_ statement: SQLStatementSummary) throws {
    guard !isReading else { return }
    if isCounting {
      let touched = touchedTables(statement)
      try count(
        touched ?? (statement.kind == .create ? [] : old ?? []), statement: touched == nil ? nil : statement.sql)
    }
    // The tables of another schema, and those that the run has created, are not counted.
    guard let name = statement.effect.table?.asciiLowercased, old?.contains(name) ?? false,
      try !db.hidesTable(of: statement)
    else { return }
    switch statement.effect {
    case .renameTable(_, let newName):
      let new = newName.asciiLowercased
      old?.remove(name)
      old?.insert(new)
      origins[new] = origins.removeValue(forKey: name) ?? name
    case .dropTable:
      old?.remove(name)
      dropped.insert(origins.removeValue(forKey: name) ?? name)
    case .deleteAllRows: emptied.insert(origins[name] ?? name)
    case .dropColumn(let table, let column) where isCounting:
      try countValues(of: column, table, origins[name] ?? name, statement.sql)
    case .renameColumn(_, _, let column), .addColumn(_, let column):
      for (index, lost) in lostValues.enumerated()
      where lost.original == origins[name] ?? name
        && lost.loss.column?.asciiLowercased == column.asciiLowercased
      {
        lostValues[index].isReplaced = true
      }
    default: break
    }
  }

  /// Counts all tables, for a migration whose statements are not inspected.
  func countAll() throws { if isCounting { try count(old ?? [], statement: nil) } }

  /// Ends the migration, and passes its losses to the review.
  ///
  /// - Parameter isFollowed: Whether the watch has seen all statements.
  func finish(isFollowed: Bool = true) throws {
    stop()
    guard !counts.isEmpty || !dropped.isEmpty || !origins.isEmpty || !lostValues.isEmpty || !isFollowed else { return }
    let now = try currentTables()
    let names = Dictionary(origins.map { ($1, $0) }) { first, _ in first }
    var losses: [RowLoss] = []
    for (original, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[original], count.rows != 0 else { continue }
      // A table that has taken the name of another one is only compared with itself.
      let current = names[original].flatMap { now[$0] } ?? (origins[original] == nil ? now[original] : nil)
      guard current != nil || isFollowed else { continue }
      let after = try current.flatMap { try db.rowCount(of: $0) }
      let isLoss =
        if let before = count.rows, current != nil {
          after.map { $0 < before } ?? false
        } else {
          current == nil || dropped.contains(original) || emptied.contains(original)
            || count.statement.map { !SQLSource($0).names(original) || $0.holdsWord("delete") } ?? false
        }
      guard isLoss else { continue }
      losses.append(
        RowLoss(
          migration: migration, table: table.name, before: count.rows, after: after, statement: count.statement))
    }
    for (loss, original, isReplaced) in lostValues {
      // The rows of a dropped table are counted.
      guard let columns = try db.connection.columns(in: names[original] ?? original) else { continue }
      // A rollback to a savepoint has restored the column.
      let isBack = columns.contains { $0.name.asciiLowercased == loss.column?.asciiLowercased }
      if isReplaced || !isBack { losses.append(loss) }
    }
    // A rollback to a savepoint restores names, too.
    if isFollowed { old?.formUnion(dropped.union(origins.values).intersection(now.keys)) } else { old = Set(now.keys) }
    if !losses.isEmpty { try review.review(losses, isFollowed) }
  }

  /// Ends the migration without a result.
  func stop() {
    if let recording, recording.isOwn { recording.recorder.stop() }
    recording = nil
  }

  /// Forgets which tables existed before the run, after a rollback: from now on, these are all tables.
  func forget() { old = nil }

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
    for name in names.sorted() where old?.contains(name) ?? false {
      let original = origins[name] ?? name
      guard counts[original] == nil, let table = tables[original], !table.countsRowsOfAnother else { continue }
      let current = SchemaObject(
        kind: .table, name: origins[name] == nil ? table.name : name, tableName: name, sql: nil,
        isVirtual: table.isVirtual)
      counts[original] = (try db.rowCount(of: current), statement)
    }
  }

  /// Counts the values of a column, before it is dropped, that its keepers do not determine.
  private func countValues(of column: String, _ table: String, _ original: String, _ sql: String) throws {
    var keepers = review.keepers(migration, table, column)
    guard !keepers.isEmpty else { return }
    isReading = true
    defer { isReading = false }
    let present = Set(try (db.connection.columns(in: table) ?? []).map(\.name.asciiLowercased))
    keepers.removeAll { !present.contains($0.asciiLowercased) }
    guard !keepers.isEmpty else { return }
    // The connection may lack a collation or a function.
    let count = try DatabaseError.ifPossible { try db.valueCount(of: column, undeterminedBy: keepers, in: table) } ?? 0
    guard count > 0 else { return }
    let loss = RowLoss(
      migration: migration, table: table, column: column, before: count, after: nil, statement: sql)
    lostValues.append((loss, original, isReplaced: false))
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
  /// Returns how many values of a column, other than NULL and the empty text, other columns of the same row do not
  /// determine, or fewer: those where all of these are NULL or empty, and those of rows that differ in the column alone.
  fileprivate func valueCount(of column: String, undeterminedBy others: [String], in table: String) throws -> Int {
    let names = others.map { "\($0.quotedIdentifier) COLLATE BINARY" }
    let list = names.joined(separator: ", ")
    let isEmpty = names.map { "ifnull(\($0), '') = ''" }.joined(separator: " AND ")
    let column = "\(column.quotedIdentifier) COLLATE BINARY"
    let source = "FROM main.\(table.quotedIdentifier) WHERE \(column) <> ''"
    return try Int.fetchOne(
      self,
      sql: """
        SELECT (SELECT count(*) \(source) AND \(isEmpty))
          + (SELECT count(*) FROM (SELECT DISTINCT \(list), \(column) \(source) AND NOT (\(isEmpty))))
          - (SELECT count(*) FROM (SELECT DISTINCT \(list) \(source) AND NOT (\(isEmpty))))
        """) ?? 0
  }
}
