/// The bytes of a message's body, at an address that remains the same as long as the object lives.
package final class WireBody {
  /// The bytes.
  package let bytes: UnsafeRawBufferPointer
  let memory: UnsafeMutableRawBufferPointer

  init(count: Int) {
    memory = .allocate(byteCount: count, alignment: 8)
    bytes = UnsafeRawBufferPointer(memory)
  }

  convenience init(_ bytes: [UInt8]) {
    self.init(count: bytes.count)
    memory.copyBytes(from: bytes)
  }

  deinit { memory.deallocate() }

  /// Returns the text in a range of bytes; bytes that are not UTF-8 become U+FFFD.
  package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// Reads the fields of a message's body.
///
/// A node does not clear the bytes between the end of a field and the next word: they may contain anything.
struct WireReader {
  let body: WireBody
  private(set) var offset = 0

  init(_ body: WireBody) { self.body = body }

  var remaining: Int { body.bytes.count - offset }

  /// Reads a word without moving on; nil at the end.
  var nextWord: UInt64? {
    remaining >= 8 ? UInt64(littleEndian: body.bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) : nil
  }

  mutating func unsigned() throws(WireError) -> UInt64 {
    guard let word = nextWord else { throw WireError.malformed("the message is too short") }
    offset += 8
    return word
  }

  mutating func signed() throws(WireError) -> Int64 { Int64(bitPattern: try unsigned()) }

  /// Reads a number of items or bytes, each of which takes up some part of the message.
  mutating func count() throws(WireError) -> Int {
    let number = try unsigned()
    guard number <= UInt64(body.bytes.count) * 8 else { throw WireError.malformed("the number \(number) is too large") }
    return Int(number)
  }

  /// Reads the range of a text's bytes, without the NUL at its end.
  mutating func text() throws(WireError) -> Range<Int> {
    guard let end = body.bytes[offset...].firstIndex(of: 0) else {
      throw WireError.malformed("a text has no end")
    }
    return try take(end - offset, padding: 8 - (end - offset) % 8)
  }

  mutating func blob() throws(WireError) -> Range<Int> {
    let count = try count()
    return try take(count, padding: (8 - count % 8) % 8)
  }

  /// Reads `count` bytes as they are.
  mutating func bytes(_ count: Int) throws(WireError) -> Range<Int> { try take(count, padding: 0) }

  private mutating func take(_ count: Int, padding: Int) throws(WireError) -> Range<Int> {
    guard count + padding <= remaining else { throw WireError.malformed("the message is too short") }
    defer { offset += count + padding }
    return offset..<offset + count
  }
}
