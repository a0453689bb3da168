/// The SipHash-1-3 of bytes with a key of zeros (https://www.aumasson.jp/siphash/siphash.pdf).
///
/// Detects whether text has changed. Do not use it against attackers: the key is known.
package struct SipHash13 {
  private var v0: UInt64 = 0x736f_6d65_7073_6575
  private var v1: UInt64 = 0x646f_7261_6e64_6f6d
  private var v2: UInt64 = 0x6c79_6765_6e65_7261
  private var v3: UInt64 = 0x7465_6462_7974_6573

  /// Returns the hash of bytes.
  package static func value(of bytes: [UInt8]) -> UInt64 {
    var hash = SipHash13()
    let whole = bytes.count - bytes.count % 8
    for start in stride(from: 0, to: whole, by: 8) { hash.mix(word(bytes[start..<(start + 8)])) }
    // The last word holds the remaining bytes and, in its highest byte, the length.
    hash.mix(word(bytes[whole...]) | UInt64(truncatingIfNeeded: bytes.count) << 56)
    hash.v2 ^= 0xFF
    for _ in 0..<3 { hash.round() }
    return hash.v0 ^ hash.v1 ^ hash.v2 ^ hash.v3
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func mix(_ word: UInt64) {
    v3 ^= word
    round()
    v0 ^= word
  }

  private mutating func round() {
    v0 &+= v1
    v1 = Self.rotated(v1, by: 13) ^ v0
    v0 = Self.rotated(v0, by: 32)
    v2 &+= v3
    v3 = Self.rotated(v3, by: 16) ^ v2
    v0 &+= v3
    v3 = Self.rotated(v3, by: 21) ^ v0
    v2 &+= v1
    v1 = Self.rotated(v1, by: 17) ^ v2
    v2 = Self.rotated(v2, by: 32)
  }

  private static func rotated(_ word: UInt64, by count: UInt64) -> UInt64 { word &<< count | word &>> (64 &- count) }
}
