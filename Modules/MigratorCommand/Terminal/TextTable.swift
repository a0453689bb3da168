/// Rows of text whose columns are aligned.
struct TextTable {
  struct Cell {
    /// The text on one line, without colour.
    let text: String
    let role: Style.Role?
    /// Whether the text ends where its column ends, as numbers do.
    let isRightAligned: Bool
    /// The columns of the screen that the text takes.
    let width: Int

    /// Makes a cell; control characters are written out, so that each row is one line.
    init(text: String, role: Style.Role? = nil, isRightAligned: Bool = false) {
      self.text = text.oneLine
      self.role = role
      self.isRightAligned = isRightAligned
      width = self.text.columns
    }
  }

  /// The rows, from top to bottom; a row may be shorter than others.
  private(set) var rows: [[Cell]] = []

  mutating func add(_ cells: [Cell]) { rows.append(cells) }

  /// The lines: two spaces before each column, none at the end.
  func lines(style: Style) -> [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { $0.count > column ? $0[column].width : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      // Blanks wait for text after them.
      var blanks = 0
      for (column, cell) in row.enumerated() {
        let room = widths[column] - cell.width
        blanks += cell.isRightAligned ? 2 + room : 2
        if cell.width > 0 {
          line += String(repeating: " ", count: blanks) + style(cell.text, cell.role)
          blanks = 0
        }
        blanks += cell.isRightAligned ? 0 : room
      }
      return line
    }
  }
}
