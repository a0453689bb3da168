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

  /// The columns of the screen that each cell of each row takes.
  private var widths: [[Int]] = []

  /// Adds a row at the end.
  ///
  /// Control characters in a cell are written out, so that each row is one line.
  mutating func add(_ cells: [Cell]) {
    let cells = cells.map { cell in
      var cell = cell
      cell.text = cell.text.oneLine
      return cell
    }
    rows.append(cells)
    widths.append(cells.map(\.text.count))
  }

  /// The lines: two blanks before each column, none at the end.
  func lines(style: Style) -> [String] {
    let columns = (0..<(widths.map { $0.count }.max() ?? 0)).map { column in
      widths.lazy.map { column < $0.count ? $0[column] : 0 }.max() ?? 0
    }
    return zip(rows, widths).map { row, widths in
      var line = ""
      // Blanks wait for text behind them.
      var blanks = 0
      for (column, cell) in row.enumerated() {
        let room = columns[column] - widths[column]
        blanks += cell.isRightAligned ? 2 + room : 2
        if !cell.text.isEmpty {
          line += String(repeating: " ", count: blanks)
          line += style(cell.text, cell.role)
          blanks = 0
        }
        blanks += cell.isRightAligned ? 0 : room
      }
      return line
    }
  }
}
