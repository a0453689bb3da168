/// A position in text, counted as editors count lines and columns.
package struct SQLTextPosition: Hashable, Sendable, Comparable {
  /// The line, from 1; a line ends with LF, CR LF, or CR alone.
  package let line: Int
  /// The column, from 1, counted in Unicode scalars; a byte order mark is not counted.
  package let column: Int

  /// Creates a position from a line and a column, both from 1.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// Converts a UTF-8 offset in text, such as the offset of a syntax error that SQLite reports, to a position.
  ///
  /// An offset before the start or after the end of the text is clamped. Scans the text up to the offset.
  package init(ofUTF8Offset offset: Int, in text: String) {
    var cursor = SQLPositionCursor(bytes: Array(text.utf8))
    self = cursor.position(ofUTF8Offset: offset)
  }

  /// Returns whether the left position comes earlier in the text.
  package static func < (lhs: SQLTextPosition, rhs: SQLTextPosition) -> Bool {
    (lhs.line, lhs.column) < (rhs.line, rhs.column)
  }
}

/// A cursor that converts many offsets in one text, in ascending order, to positions in a single pass.
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

  /// Returns the position of an offset; for an offset smaller than the previous one, returns the previous position
  /// again.
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
      // Continuation bytes of a scalar have the form 10xxxxxx.
      column += 1
    }
  }
}

extension Array {
  /// Returns the first index whose element satisfies a condition that all later ones satisfy, too.
  package func firstIndexInOrder(where isFound: (Element) -> Bool) -> Int {
    var (start, end) = (0, count)
    while start < end {
      let middle = (start + end) / 2
      if isFound(self[middle]) { end = middle } else { start = middle + 1 }
    }
    return start
  }
}
