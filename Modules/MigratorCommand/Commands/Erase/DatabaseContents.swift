internal import Migrator
internal import SQLMigrations

/// What a database holds, as far as it could be lost.
struct DatabaseContents: Equatable, Sendable {
  struct Table: Equatable, Sendable, Encodable {
    var name: String
    /// The number of rows; nil when they cannot be counted, as in a virtual table whose module is missing, or which keeps
    /// no rows (https://www.sqlite.org/fts3.html#contentless_fts4_tables).
    var rows: Int?
  }

  /// The tables in the order of their creation, without those that the migrator keeps for itself.
  private(set) var tables: [Table] = []
  /// The number of views, triggers and the like.
  private(set) var otherObjects = 0

  init(_ db: Database, ledgerTable: String) throws {
    let ownTables: Set<String> = [ledgerTable.lowercased(), DevelopmentMark.tableName]
    for object in try db.connection.schema().objects {
      guard !ownTables.contains(object.tableName.lowercased()), !object.isShadow else { continue }
      switch object.kind {
      case .table: tables.append(Table(name: object.name, rows: try db.rowCount(of: object)))
      case .view, .trigger: otherObjects += 1
      case .index: break
      }
    }
  }

  var isEmpty: Bool { tables.isEmpty && otherObjects == 0 }

  var rowCount: Int { tables.reduce(0) { $0 + ($1.rows ?? 0) } }

  var summary: String { "\(counted(tables.count, "table")) with \(counted(rowCount, "row"))" }

  /// The tables and their row counts, one a line, aligned; the longest ones of many.
  func lines(style: Style, limit: Int = 12) -> [String] {
    var table = TextTable()
    let shown =
      tables.count > limit + 1 ? Array(tables.sorted { ($0.rows ?? 0) > ($1.rows ?? 0) }.prefix(limit)) : tables
    for entry in shown {
      let rows = entry.rows.map { counted($0, "row") } ?? "unreadable"
      table.add([.init(text: entry.name), .init(text: rows, isRightAligned: true)])
    }
    var lines = table.lines(style: style)
    if shown.count < tables.count { lines.append("  and \(tables.count - shown.count) more tables") }
    return lines
  }
}
