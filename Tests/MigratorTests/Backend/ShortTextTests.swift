import Testing

@testable import Migrator

/// Strings that are made of their two words are the very ones that the standard library makes.
@Suite("Short texts")
struct ShortTextTests {
  @Test("a short text has the two words that the standard library gives it", arguments: 0...20)
  func form(count: Int) {
    // No two bytes alike, so that none can stand in another's place; and a NUL, which is a letter like all others.
    let rising = (0..<UInt8(count)).map { 0x41 + $0 }
    let falling: [UInt8] = (0..<UInt8(count)).reversed()
    for bytes in [rising, falling] {
      let expected = String(decoding: bytes, as: UTF8.self)
      let (text, form) = bytes.withUnsafeBufferPointer { (String(columnText: $0), ShortText($0)) }
      #expect(text == expected && Array(text.utf8) == bytes && text.hashValue == expected.hashValue)
      #expect(text + "." == expected + "." && text.count == count)
      guard ShortText.isKnown else { continue }
      #expect((form != nil) == (1...15 ~= count))
      if let form { #expect(form == unsafeBitCast(expected, to: ShortText.self)) }
    }
  }

  @Test("a byte that is not ASCII is left to the standard library, wherever it is", arguments: 1...15)
  func otherBytes(count: Int) {
    for place in 0..<count {
      for byte: UInt8 in [0x80, 0xc3, 0xff] {
        var bytes = [UInt8](repeating: 0x61, count: count)
        bytes[place] = byte
        let (text, form) = bytes.withUnsafeBufferPointer { (String(columnText: $0), ShortText($0)) }
        #expect(form == nil)
        #expect(text == String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  #if os(Linux) && _pointerBitWidth(_64) && _endian(little)
    @Test("strings still have the form that makes reading them fast")
    func known() { #expect(ShortText.isKnown) }
  #endif
}
