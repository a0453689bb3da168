internal import Migrator

extension DatabaseContents {
  /// Returns one aligned line per table, with its number of rows; if there are too many tables, only those with the
  /// most rows.
  func lines(style: Style, limit: Int = 12) -> [String] {
    var table = TextTable()
    let shown =
      tables.count > limit + 1 ? Array(tables.sorted { ($0.rows ?? 0) > ($1.rows ?? 0) }.prefix(limit)) : tables
    for entry in shown {
      let rows = entry.rows.map { counted($0, "row") } ?? "cannot be counted"
      table.add([.init(text: entry.name), .init(text: rows, isRightAligned: true)])
    }
    var lines = table.lines(style: style)
    if shown.count < tables.count { lines.append("  and \(tables.count - shown.count) more tables") }
    return lines
  }
}
