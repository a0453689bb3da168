/// Answers many positions of one text in one pass, for offsets that never decrease.
package struct SQLPositionCursor: Sendable {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var column = 1

  /// Starts before the first character of a text, given as its UTF-8 bytes.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  /// The position of an offset; one before the last that was asked for gives the last position again.
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
