/// A digest of a set of definitions, which can be brought up to date one by one.
///
/// Each object counts by the exclusive or of its own digest, so that adding and taking away are the same step and their
/// order does not matter.
struct SchemaFingerprint: Hashable {
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// Adds an object, or takes it away if it was added; one without a definition does not count.
  mutating func toggle(_ object: SchemaObjectName, _ sql: String?, canonical: (String) -> String) {
    guard let sql else { return }
    var text = Array(object.kind.rawValue.utf8)
    text.append(UInt8(ascii: " "))
    text += object.name.utf8
    text.append(UInt8(ascii: "\n"))
    text += canonical(sql).utf8
    let digest = SHA256.words(of: text)
    high ^= UInt64(digest[0]) << 32 | UInt64(digest[1])
    low ^= UInt64(digest[2]) << 32 | UInt64(digest[3])
  }

  /// 32 hexadecimal digits.
  var text: String {
    String(unsafeUninitializedCapacity: 32) { text in
      for index in 0..<32 {
        let word = index < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4) & 0xF)
        text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
      }
      return 32
    }
  }
}
