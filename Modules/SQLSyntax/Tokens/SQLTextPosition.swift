/// A place in a text, as an editor shows it.
package struct SQLTextPosition: Hashable, Sendable, Comparable {
  /// The line, from 1; a line ends with LF, CR LF, or CR alone.
  package let line: Int

  /// The column, from 1, counted in Unicode scalars; a byte order mark has no column.
  package let column: Int

  /// Makes a position of a line and a column, both from 1.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Finds the position of a UTF-8 offset in a text, such as the offset of an engine's syntax error.
  ///
  /// An offset before the text means its beginning, one past the text its end. Reads the text up to the offset.
  package init(ofUTF8Offset offset: Int, in text: String) {
    var cursor = SQLPositionCursor(bytes: Array(text.utf8))
    self = cursor.position(ofUTF8Offset: offset)
  }

  /// True when the left position comes earlier in the text.
  package static func < (lhs: SQLTextPosition, rhs: SQLTextPosition) -> Bool {
    (lhs.line, lhs.column) < (rhs.line, rhs.column)
  }
}
