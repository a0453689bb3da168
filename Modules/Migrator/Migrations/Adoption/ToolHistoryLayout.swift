internal import SQLSyntax

/// The columns of a tool's table and what they mean.
struct ToolHistoryLayout {
  /// How an entry shows whether its migration is applied.
  enum State: Hashable {
    /// It is there.
    case presence
    /// It is applied if this column is true, and half applied otherwise.
    case success(String)
    /// It is applied if this column has a value, and half applied otherwise.
    case ended(String)
    /// It is half applied if this column is true; the table holds the last version only.
    case dirty(String)
    /// It is applied if this column is true in the last row of its version.
    case lastRow(String)
  }

  let version: String
  var appliedAt: String?
  var state = State.presence
  /// The column of what the migration made and removed; nil when the tool does not record that.
  var objects: String?

  /// The layout of a tool's table.
  ///
  /// - Returns: Nil when the table cannot be the tool's.
  init?(_ format: AdoptedHistory.Format, columns: Set<String>) {
    switch format {
    case .grdb: version = "identifier"
    case .schemaMigrations:
      // The name is used by many; a table with other columns is of an unknown tool, in which it may mean something else.
      guard columns.subtracting(["version", "dirty"]).isSubset(of: ["inserted_at"]) else { return nil }
      version = "version"
      appliedAt = "inserted_at"
      if columns.contains("dirty") { state = .dirty("dirty") }
    case .sqlx:
      version = "version"
      appliedAt = "installed_on"
      state = .success("success")
    case .diesel:
      version = "version"
      appliedAt = "run_on"
    case .goose:
      version = "version_id"
      appliedAt = "tstamp"
      state = .lastRow("is_applied")
    case .refinery:
      version = "version"
      appliedAt = "applied_on"
    case .yoyo:
      version = "migration_id"
      appliedAt = "applied_at_utc"
    case .sqlMigrate:
      version = "id"
      appliedAt = "applied_at"
    case .migrator:
      guard columns.isSuperset(of: Ledger.columns) else { return nil }
      version = "identifier"
      appliedAt = "applied_at"
      state = .ended("duration")
      objects = "objects"
    case .userVersion: return nil
    }
    guard columns.isSuperset(of: [version] + (stateColumn.map { [$0] } ?? [])) else { return nil }
    if let time = appliedAt, !columns.contains(time) { appliedAt = nil }
  }

  private var stateColumn: String? {
    switch state {
    case .presence: nil
    case .success(let column), .ended(let column), .dirty(let column), .lastRow(let column): column
    }
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
