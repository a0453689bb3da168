/// A hash of 64-bit words, which is the same in each process.
///
/// Not safe against attackers, but the definitions and rows of migrations are the caller's own.
struct WordHasher {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0xD6E8_FEB8_6659_FD93
    value ^= value >> 32
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    var index = 0
    while index + 8 <= bytes.count {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
    }
    var word: UInt64 = 0
    for byte in bytes[index...] { word = word << 8 | UInt64(byte) }
    add(word)
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The number as lowercase hexadecimal digits, including leading zeros.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
  }
}
