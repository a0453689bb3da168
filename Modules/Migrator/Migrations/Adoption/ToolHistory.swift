internal import SQLSyntax

/// An entry of another tool's history.
struct ToolHistoryEntry: Hashable {
  /// The tool's name for it: a version, or an identifier.
  var version: String
  /// When it was applied, as the ledger writes it; nil when the tool does not record that.
  var appliedAt: String?
  /// The objects that it made and removed, as a ledger holds them; nil when the tool does not record that.
  var objects: String?
}

extension AdoptedHistory {
  /// A history as a database holds it.
  enum Content: Equatable {
    /// These migrations, in the order in which they were applied.
    case entries([ToolHistoryEntry])
    /// All migrations up to this version.
    case upTo(ToolHistoryEntry)
  }

  /// Reads the history.
  ///
  /// - Parameter ledgerTable: The migrator's own table, which does not make a database one that is in use.
  /// - Returns: No entries when the database has no such history.
  /// - Throws: ``MigrationError/adoptionRefused(_:)``; ``DatabaseError``.
  func content(_ db: Database, ledgerTable: String) throws -> Content {
    guard format != .userVersion else { return try userVersion(db, ledgerTable) }
    guard let columns = try db.connection.columns(in: table)?.map(\.name) else { return .entries([]) }
    guard let layout = ToolHistoryLayout(format, columns: Set(columns.map(\.asciiLowercased))) else {
      throw MigrationError.adoptionRefused(.unrecognizedTable(history: table, columns: columns))
    }
    let rows = try Row.fetchAll(db, sql: layout.query(table: table)).map { try ToolHistoryRow($0, table) }
    switch layout.state {
    case .presence: return .entries(rows.map(\.entry))
    case .success:
      try requireFinished(rows) { $0.isTrue }
      return .entries(rows.map(\.entry))
    case .ended:
      try requireFinished(rows) { !$0.isNull }
      return .entries(rows.map(\.entry))
    case .dirty:
      try requireFinished(rows) { $0.isFalse }
      return rows.last.map { .upTo($0.entry) } ?? .entries([])
    case .lastRow: return .entries(Self.standing(rows))
    }
  }

  private func userVersion(_ db: Database, _ ledgerTable: String) throws -> Content {
    let version = try db.userVersion
    guard version != 0, try db.connection.schema().objects.contains(where: { !$0.belongs(to: ledgerTable) }) else {
      return .entries([])
    }
    return .upTo(ToolHistoryEntry(version: "\(version)", appliedAt: nil))
  }

  private func requireFinished(_ rows: [ToolHistoryRow], _ isFinished: (ToolHistoryRow) -> Bool) throws {
    let unfinished = rows.filter { !isFinished($0) }.map(\.entry.version)
    guard unfinished.isEmpty else {
      throw MigrationError.adoptionRefused(.unfinished(history: table, entries: unfinished))
    }
  }

  /// The applied entries of rows that say "applied" or "undone", the last one of each version deciding.
  private static func standing(_ rows: [ToolHistoryRow]) -> [ToolHistoryEntry] {
    var last: [String: Int] = [:]
    for (index, row) in rows.enumerated() { last[row.entry.version] = index }
    // Version 0 stands for the table itself.
    return rows.enumerated()
      .filter { index, row in last[row.entry.version] == index && row.isTrue && row.entry.version != "0" }
      .map(\.element.entry)
  }
}

/// A row of another tool's table.
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
    entry = ToolHistoryEntry(version: version, appliedAt: try row[1], objects: try row[3])
    state = try row[2]
  }

  /// Drivers write a truth value as a number or as a word.
  var isTrue: Bool {
    switch state {
    case .integer(let number): number != 0
    case .text(let text): ["1", "t", "true"].contains(text.asciiLowercased)
    case .null, .real, .blob: false
    }
  }

  var isNull: Bool { state == .null }

  var isFalse: Bool {
    switch state {
    case .integer(let number): number == 0
    case .text(let text): ["0", "f", "false"].contains(text.asciiLowercased)
    case .null, .real, .blob: false
    }
  }
}
