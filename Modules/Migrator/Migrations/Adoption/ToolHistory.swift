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
  enum Content: Equatable {
    /// These migrations, in the order in which they were applied.
    case entries([ToolHistoryEntry])
    /// All migrations up to this version.
    case upTo(ToolHistoryEntry)
  }

  /// Reads the history; the migrator's own table does not make a database one that is in use.
  func content(_ db: Database, ledgerTable: String) throws -> Content {
    guard format != .userVersion else { return try userVersion(db, ledgerTable) }
    guard let columns = try db.connection.columns(in: table)?.map(\.name) else { return .entries([]) }
    guard let layout = ToolHistoryLayout(format, columns: Set(columns.map(\.asciiLowercased))) else {
      throw MigrationError.adoptionRefused(.unrecognizedTable(history: table, columns: columns))
    }
    let rows = try Row.fetchAll(db, sql: layout.query(table: table)).map { try ToolHistoryRow($0, table) }
    let isFinished: (ToolHistoryRow) -> Bool =
      switch layout.state {
      case .presence, .lastRow: { _ in true }
      case .success: { $0.truth == true }
      case .ended: { !$0.isNull }
      case .dirty: { $0.truth == false }
      }
    let unfinished = rows.filter { !isFinished($0) }.map(\.entry.version)
    guard unfinished.isEmpty else {
      throw MigrationError.adoptionRefused(.unfinished(history: table, entries: unfinished))
    }
    return switch layout.state {
    case .presence, .success, .ended: .entries(rows.map(\.entry))
    case .dirty: rows.last.map { .upTo($0.entry) } ?? .entries([])
    case .lastRow: .entries(Self.standing(rows))
    }
  }

  private func userVersion(_ db: Database, _ ledgerTable: String) throws -> Content {
    let version = try db.userVersion
    guard version != 0, try db.connection.schema().objects.contains(where: { !$0.belongs(to: ledgerTable) }) else {
      return .entries([])
    }
    return .upTo(ToolHistoryEntry(version: "\(version)", appliedAt: nil))
  }

  /// The applied entries of rows that say "applied" or "undone", the last one of each version deciding.
  private static func standing(_ rows: [ToolHistoryRow]) -> [ToolHistoryEntry] {
    var last: [String: Int] = [:]
    for (index, row) in rows.enumerated() { last[row.entry.version] = index }
    // Version 0 stands for the table itself.
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
    entry = ToolHistoryEntry(version: version, appliedAt: try row[1], objects: try row[3])
    state = try row[2]
  }

  var isNull: Bool { state == .null }

  /// The state as a truth value, which drivers write as a number or as a word; nil for anything else.
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

/// The columns of a tool's table and their meaning.
private struct ToolHistoryLayout {
  /// How an entry shows whether its migration is applied.
  enum State {
    /// It is there.
    case presence
    /// It is applied if the state's column is true, and half applied otherwise.
    case success
    /// It is applied if the state's column has a value, and half applied otherwise.
    case ended
    /// It is half applied if the state's column is true; the table holds the last version only.
    case dirty
    /// It is applied if the state's column is true in the last row of its version.
    case lastRow
  }

  let state: State
  private let version: String
  private var appliedAt: String?
  private let stateColumn: String?
  private let objects: String?

  private init(
    _ version: String, appliedAt: String? = nil, _ state: State = .presence, _ stateColumn: String? = nil,
    objects: String? = nil
  ) {
    self.state = state
    self.version = version
    self.appliedAt = appliedAt
    self.stateColumn = stateColumn
    self.objects = objects
  }

  /// The layout of a tool's table; nil when the table cannot be the tool's.
  init?(_ format: AdoptedHistory.Format, columns: Set<String>) {
    switch format {
    case .grdb: self.init("identifier")
    case .schemaMigrations:
      // The name is used by many; a table with other columns is of an unknown tool, in which it may mean something
      // else.
      guard columns.subtracting(["version", "dirty"]).isSubset(of: ["inserted_at"]) else { return nil }
      let isDirty = columns.contains("dirty")
      self.init("version", appliedAt: "inserted_at", isDirty ? .dirty : .presence, isDirty ? "dirty" : nil)
    case .sqlx: self.init("version", appliedAt: "installed_on", .success, "success")
    case .diesel: self.init("version", appliedAt: "run_on")
    case .goose: self.init("version_id", appliedAt: "tstamp", .lastRow, "is_applied")
    case .refinery: self.init("version", appliedAt: "applied_on")
    case .yoyo: self.init("migration_id", appliedAt: "applied_at_utc")
    case .sqlMigrate: self.init("id", appliedAt: "applied_at")
    case .migrator:
      guard columns.isSuperset(of: Ledger.columns) else { return nil }
      self.init("identifier", appliedAt: "applied_at", .ended, "duration", objects: "objects")
    case .userVersion: return nil
    }
    guard columns.isSuperset(of: [version, stateColumn].compactMap { $0 }) else { return nil }
    if let time = appliedAt, !columns.contains(time) { appliedAt = nil }
  }

  /// Reads version, moment, state and objects of all entries, in the order in which they were written.
  ///
  /// The tools write their moments as SQLite's date functions read them (https://www.sqlite.org/lang_datefunc.html);
  /// one that they do not understand is NULL.
  func query(table: String) -> String {
    let moment = appliedAt.map { "strftime('%Y-%m-%dT%H:%M:%fZ', \($0.quotedIdentifier))" } ?? "NULL"
    return """
      SELECT \(version.quotedIdentifier), \(moment), \(stateColumn?.quotedIdentifier ?? "NULL"),
        \(objects?.quotedIdentifier ?? "NULL")
      FROM main.\(table.quotedIdentifier) ORDER BY rowid
      """
  }
}
