internal import SQLSyntax

/// The columns of a tool's table and their meaning, as SQL expressions.
struct ToolHistoryTable {
  /// The way in which an entry records whether its migration is applied.
  enum State {
    /// The migration is applied if the entry exists.
    case presence
    /// The migration is applied if the state is true, and unfinished otherwise.
    case success
    /// The migration is applied if the state has a value, and unfinished otherwise.
    case ended
    /// The migration is unfinished if the state is true.
    case dirty
    /// The migration is applied if the state is true in the last row of its version.
    case lastRow
  }

  let state: State
  private let version: String
  private var appliedAt: String?
  private let stateSQL: String
  private var objects = "NULL"
  private var checksum = "NULL"
  /// The SQL expression for ``ToolHistoryEntry/coversEarlier``.
  private var coversEarlier = "0"
  private var condition = "1"
  private var order = "rowid"

  private init(_ version: String, appliedAt: String? = nil, _ state: State = .presence, _ stateSQL: String = "NULL") {
    (self.version, self.appliedAt, self.state, self.stateSQL) = (version, appliedAt, state, stateSQL)
  }

  /// Creates the description of a tool's table; nil if its columns show that the table is not the tool's.
  init?(_ format: AdoptedHistory.Format, table: String, columns: Set<String>) {
    var needed: Set<String> = []
    switch format {
    case .grdb: (self, needed) = (Self("identifier"), ["identifier"])
    case .schemaMigrations:
      // Many tools use the name; a table with other columns belongs to an unknown tool, in which it may have another
      // meaning.
      guard columns.subtracting(["version", "dirty"]).isSubset(of: ["inserted_at"]) else { return nil }
      let isDirty = columns.contains("dirty")
      self.init("version", appliedAt: "inserted_at", isDirty ? .dirty : .presence, isDirty ? "dirty" : "NULL")
      (needed, coversEarlier) = (["version"], isDirty ? "1" : "0")
    case .sqlx:
      self.init("version", appliedAt: "installed_on", .success, "success")
      needed = ["version", "success"]
      if columns.contains("checksum") { checksum = "lower(hex(checksum))" }
    case .diesel: (self, needed) = (Self("version", appliedAt: "run_on"), ["version"])
    case .goose:
      self.init("version_id", appliedAt: "tstamp", .lastRow, "is_applied")
      needed = ["version_id", "is_applied"]
    case .refinery: (self, needed) = (Self("version", appliedAt: "applied_on"), ["version"])
    case .yoyo: (self, needed) = (Self("migration_id", appliedAt: "applied_at_utc"), ["migration_id"])
    case .sqlMigrate: (self, needed) = (Self("id", appliedAt: "applied_at"), ["id"])
    case .prisma:
      self.init("migration_name", appliedAt: "finished_at", .ended, "finished_at")
      needed = ["migration_name", "finished_at", "rolled_back_at", "checksum"]
      (checksum, condition) = ("checksum", "rolled_back_at IS NULL")
    case .drizzle:
      // Only recent versions record names.
      self.init(columns.contains("name") ? "coalesce(name, created_at)" : "created_at")
      needed = ["hash", "created_at"]
      (checksum, order) = ("hash", "created_at, rowid")
    case .atlas:
      self.init("version", appliedAt: "executed_at", .success, "coalesce(error, '') = '' AND applied >= total")
      needed = ["version", "executed_at", "error", "applied", "total", "type", "hash"]
      (checksum, coversEarlier) = ("replace(hash, 'h1:', '')", "type & 1")
      // An entry of Atlas about itself begins with a dot.
      condition = "version NOT LIKE '.%'"
    case .flyway:
      self.init("version", appliedAt: "installed_on", .success, "success")
      needed = ["version", "installed_on", "success", "type", "checksum", "installed_rank"]
      checksum = "CAST(checksum AS TEXT)"
      coversEarlier = "type IN ('BASELINE', 'SQL_BASELINE')"
      (condition, order) = (Self.isNotUndone(table), "installed_rank")
    case .migrator:
      self.init("identifier", appliedAt: "applied_at", .ended, "duration")
      (needed, objects) = (Set(Ledger.columns), "objects")
    case .column(let column):
      self.init(column.quotedIdentifier)
      (needed, order) = ([column.asciiLowercased], column.quotedIdentifier)
      // A table of one number holds the version of the database.
      coversEarlier = "(SELECT count(*) FROM main.\(table.quotedIdentifier)) = 1"
    case .userVersion: return nil
    }
    guard columns.isSuperset(of: needed) else { return nil }
    if let time = appliedAt, !columns.contains(time) { appliedAt = nil }
  }

  /// Returns an SQL condition for Flyway's entries that applied a migration and were not undone by a later entry.
  private static func isNotUndone(_ table: String) -> String {
    """
    version IS NOT NULL AND type <> 'DELETE' AND type NOT LIKE 'UNDO%' AND NOT EXISTS (
      SELECT * FROM main.\(table.quotedIdentifier) AS later WHERE later.version = history.version
        AND later.installed_rank > history.installed_rank AND (later.type = 'DELETE' OR later.type LIKE 'UNDO%'))
    """
  }

  /// Returns a query for all entries, in the order in which they were written.
  ///
  /// The columns of the result are version, time, state, objects, checksum and ``ToolHistoryEntry/coversEarlier``. The
  /// tools write times in formats of SQLite's date functions (https://www.sqlite.org/lang_datefunc.html), or as
  /// milliseconds since 1970; any other time becomes NULL.
  func query(table: String) -> String {
    let format = "'%Y-%m-%dT%H:%M:%fZ'"
    let moment = appliedAt.map {
      "CASE typeof(\($0)) WHEN 'integer' THEN strftime(\(format), \($0) / 1000.0, 'unixepoch') ELSE strftime(\(format), \($0)) END"
    }
    return """
      SELECT \(version), \(moment ?? "NULL"), \(stateSQL), \(objects), nullif(\(checksum), ''), \(coversEarlier)
      FROM main.\(table.quotedIdentifier) AS history WHERE \(condition) ORDER BY \(order)
      """
  }
}
