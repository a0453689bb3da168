/// Rows of text whose columns are aligned.
struct TextTable {
  /// One cell: its text and what it means.
  struct Cell {
    /// The text, without colour.
    var text: String
    /// The meaning, for the colour.
    var role: Style.Role?
    /// Whether the text ends where its column ends, as numbers do.
    var isRightAligned = false
  }

  /// The rows, from top to bottom; a row may be shorter than others.
  private(set) var rows: [[Cell]] = []

  /// Adds a row at the end.
  ///
  /// Control characters in a cell are written out, so that each row is one line.
  mutating func add(_ cells: [Cell]) {
    rows.append(
      cells.map { cell in
        var cell = cell
        cell.text = cell.text.oneLine
        return cell
      })
  }

  /// The lines: two blanks before each column, none at the end.
  func lines(style: Style) -> [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.text.count)
      }
    }
    return rows.map { row in
      let used = row.lastIndex { !$0.text.isEmpty }.map { row[...$0] } ?? []
      return used.indices.reduce(into: "") { line, column in
        let cell = row[column]
        let blanks = String(repeating: " ", count: widths[column] - cell.text.count)
        let isLast = column == used.endIndex - 1
        line += "  " + (cell.isRightAligned ? blanks : "") + style(cell.text, cell.role)
        if !cell.isRightAligned, !isLast { line += blanks }
      }
    }
  }
}
