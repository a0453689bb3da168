internal import SQLSyntax

/// An entry of another tool's history.
struct ToolHistoryEntry: Hashable {
  /// The tool's name for the entry: a version, or an identifier.
  var version: String
  /// The time at which the migration was applied, in the ledger's format; nil if the tool does not record it.
  var appliedAt: String?
  /// The objects that the migration created and removed, in the ledger's format; nil if the tool does not record them.
  var objects: String?
}

extension AdoptedHistory {
  enum Content: Equatable {
    /// These migrations, in the order in which they were applied.
    case entries([ToolHistoryEntry])
    /// All migrations up to this version.
    case upTo(ToolHistoryEntry)
  }

  /// Reads the history; ignores the migrator's own table when it determines whether the database is in use.
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

  /// Returns the applied entries of a table whose rows record "applied" or "undone": the last row of a version counts.
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
    entry = ToolHistoryEntry(version: version, appliedAt: try row[1], objects: try row[3])
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

/// The columns of a tool's table and their meaning.
private struct ToolHistoryLayout {
  /// The way in which an entry records whether its migration is applied.
  enum State {
    /// The migration is applied if the entry exists.
    case presence
    /// The migration is applied if the state's column is true, and unfinished otherwise.
    case success
    /// The migration is applied if the state's column has a value, and unfinished otherwise.
    case ended
    /// The migration is unfinished if the state's column is true; the table contains only the last version.
    case dirty
    /// The migration is applied if the state's column is true in the last row of its version.
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

  /// Creates the layout of a tool's table; nil if the table cannot be the tool's.
  init?(_ format: AdoptedHistory.Format, columns: Set<String>) {
    switch format {
    case .grdb: self.init("identifier")
    case .schemaMigrations:
      // Many tools use the name; a table with other columns belongs to an unknown tool, in which it may have another
      // meaning.
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

  /// Returns a query for version, time, state and objects of all entries, in the order in which they were written.
  ///
  /// The tools write times in formats of SQLite's date functions (https://www.sqlite.org/lang_datefunc.html);
  /// a time that these functions cannot parse is NULL.
  func query(table: String) -> String {
    let moment = appliedAt.map { "strftime('%Y-%m-%dT%H:%M:%fZ', \($0.quotedIdentifier))" } ?? "NULL"
    return """
      SELECT \(version.quotedIdentifier), \(moment), \(stateColumn?.quotedIdentifier ?? "NULL"),
        \(objects?.quotedIdentifier ?? "NULL")
      FROM main.\(table.quotedIdentifier) ORDER BY rowid
      """
  }
}
