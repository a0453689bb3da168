internal import SQLSyntax

struct ToolHistoryEntry: Equatable {
  /// The tool's name for the entry: a version, or an identifier.
  var version: String
  /// The time at which the migration was applied, in the ledger's format; nil if the tool does not record it.
  var appliedAt: String?
  /// The objects that the migration created and removed, in the ledger's format; nil if the tool does not record them.
  var objects: String?
  /// The checksum of the migration's text when it was applied, in the tool's form; nil if the tool does not record it.
  var checksum: String?
  /// Whether all migrations with lower numbers are applied, too.
  var coversEarlier = false
  /// Whether the checksum was compared with the migration's text.
  var isCompared = false
}

extension AdoptedHistory {
  /// Returns the history's entries, in the order in which the migrations were applied; empty if the database does not
  /// contain the history.
  ///
  /// A user version counts only if the database contains objects other than the ledger `ledgerTable`.
  func content(_ db: Database, ledgerTable: String) throws -> [ToolHistoryEntry] {
    guard format != .userVersion else { return try userVersion(db, ledgerTable) }
    let refusal = { (columns: [ColumnDescription]) in
      MigrationError.adoptionRefused(.unrecognizedTable(history: table, columns: columns.map(\.name)))
    }
    guard let columns = try db.columnsOfOrdinaryTable(table, otherwise: refusal) else { return [] }
    guard let toolTable = ToolHistoryTable(format, table: table, columns: Set(columns.map(\.name.asciiLowercased)))
    else {
      throw refusal(columns)
    }
    let rows = try Row.fetchAll(db, sql: toolTable.query(table: table)).map { try ToolHistoryRow($0, table) }
    let isFinished: (ToolHistoryRow) -> Bool =
      switch toolTable.state {
      case .presence, .lastRow: { _ in true }
      case .success: { $0.truth == true }
      case .ended: { !$0.isNull }
      case .dirty: { $0.truth == false }
      }
    let unfinished = rows.filter { !isFinished($0) }.map(\.entry.version)
    guard unfinished.isEmpty else {
      throw MigrationError.adoptionRefused(.unfinished(history: table, entries: unfinished))
    }
    return toolTable.state == .lastRow ? Self.standing(rows) : rows.map(\.entry)
  }

  private func userVersion(_ db: Database, _ ledgerTable: String) throws -> [ToolHistoryEntry] {
    let version = try db.userVersion
    guard version != 0, try db.connection.schema().objects.contains(where: { !$0.belongs(to: ledgerTable) }) else {
      return []
    }
    return [ToolHistoryEntry(version: "\(version)", coversEarlier: true)]
  }

  /// Returns the applied entries of a table whose rows record "applied" or "undone"; for each version, only the last
  /// row counts.
  private static func standing(_ rows: [ToolHistoryRow]) -> [ToolHistoryEntry] {
    var last: [String: Int] = [:]
    for (index, row) in rows.enumerated() { last[row.entry.version] = index }
    // Version 0 is the creation of the table itself.
    return rows.enumerated()
      .filter { index, row in last[row.entry.version] == index && row.truth == true && row.entry.version != "0" }
      .map(\.element.entry)
  }
}

private struct ToolHistoryRow {
  let entry: ToolHistoryEntry
  private let state: DatabaseValue

  init(_ row: Row, _ table: String) throws {
    let version: String
    switch try row[0] as DatabaseValue {
    case .integer(let number): version = "\(number)"
    case .text(let text): version = text
    case .null, .real, .blob: throw MigrationError.adoptionRefused(.unreadableEntry(history: table))
    }
    entry = ToolHistoryEntry(
      version: version, appliedAt: try row[1], objects: try row[3], checksum: try row[4],
      coversEarlier: try row[5] ?? false)
    state = try row[2]
  }

  var isNull: Bool { state == .null }

  /// The state as a Boolean, which drivers write as a number or as text; nil for any other value.
  var truth: Bool? {
    switch state {
    case .integer(let number): number != 0
    case .text(let text):
      switch text.asciiLowercased {
      case "1", "t", "true": true
      case "0", "f", "false": false
      default: nil
      }
    case .null, .real, .blob: nil
    }
  }
}
