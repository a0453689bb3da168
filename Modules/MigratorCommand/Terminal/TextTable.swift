struct TextTable {
  struct Cell {
    let text: String
    let role: Style.Role?
    /// Whether the text is aligned to the right, as for numbers.
    let isRightAligned: Bool
    var width: Int { text.columns }

    /// Creates a cell.
    ///
    /// Control characters are escaped, so that each row is one line.
    init(text: String, role: Style.Role? = nil, isRightAligned: Bool = false) {
      (self.text, self.role, self.isRightAligned) = (text.oneLine, role, isRightAligned)
    }
  }

  private(set) var rows: [[Cell]] = []

  mutating func add(_ cells: [Cell]) { rows.append(cells) }

  /// Returns the lines, with two spaces before each column and no trailing spaces.
  func lines(style: Style) -> [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { $0.count > column ? $0[column].width : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (cell, width) in zip(row, widths) {
        let room = String(repeating: " ", count: width - cell.width)
        let text = style(cell.text, cell.role)
        line += "  " + (cell.isRightAligned ? room + text : text + room)
      }
      while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
      return line
    }
  }
}
