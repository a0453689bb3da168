/// A position in text, as an editor shows it.
package struct SQLTextPosition: Hashable, Sendable, Comparable {
  /// The line, from 1; a line ends with LF, CR LF, or CR alone.
  package let line: Int
  /// The column, from 1, counted in Unicode scalars; a byte order mark does not count.
  package let column: Int

  /// Creates a position from a line and a column, both from 1.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Finds the position of a UTF-8 offset in text, such as the offset of an engine's syntax error.
  ///
  /// An offset before the text is clamped to its start, one past it to its end. Reads the text up to the offset.
  package init(ofUTF8Offset offset: Int, in text: String) {
    var cursor = SQLPositionCursor(bytes: Array(text.utf8))
    self = cursor.position(ofUTF8Offset: offset)
  }

  /// Returns whether the left position comes earlier in the text.
  package static func < (lhs: SQLTextPosition, rhs: SQLTextPosition) -> Bool {
    (lhs.line, lhs.column) < (rhs.line, rhs.column)
  }
}

/// Finds many positions in one text in a single pass, for offsets in ascending order.
package struct SQLPositionCursor: Sendable {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var column = 1

  /// Creates a cursor before the first character of a text, given as its UTF-8 bytes.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// Returns the position of an offset; for a smaller offset than the last one, returns the last position again.
  package mutating func position(ofUTF8Offset target: Int) -> SQLTextPosition {
    let end = min(target, bytes.count)
    while offset < end {
      step(over: bytes[offset])
      offset += 1
    }
    return SQLTextPosition(line: line, column: column)
  }

  private mutating func step(over byte: UInt8) {
    let isFirstOfTwo = byte == 0x0D && offset + 1 < bytes.count && bytes[offset + 1] == 0x0A
    if byte == 0x0A || (byte == 0x0D && !isFirstOfTwo) {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      // Bytes that continue a scalar have the form 10xxxxxx.
      column += 1
    }
  }
}
