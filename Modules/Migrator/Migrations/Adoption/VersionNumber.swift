/// A version that is a number of any length, such as 7 or 20260131235959.
struct VersionNumber: Hashable, Comparable {
  /// Decimal digits without leading zeros; "0" for zero.
  let digits: String

  /// Reads a text that is a number and nothing else.
  init?(_ text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy(Self.isDigit) else { return nil }
    let significant = text.drop { $0 == "0" }
    digits = significant.isEmpty ? "0" : String(significant)
  }

  /// Reads the number that an identifier begins with, perhaps behind a `v`.
  ///
  /// - Parameter skippingDashes: Whether dashes between the digits belong to the number.
  init?(leading identifier: String, skippingDashes: Bool) {
    let text = identifier.hasPrefix("v") || identifier.hasPrefix("V") ? identifier.dropFirst() : identifier[...]
    let number = text.utf8.prefix { Self.isDigit($0) || (skippingDashes && $0 == UInt8(ascii: "-")) }
    self.init(String(decoding: number.filter(Self.isDigit), as: UTF8.self))
  }

  /// Compares as numbers.
  static func < (one: VersionNumber, other: VersionNumber) -> Bool {
    (one.digits.utf8.count, one.digits) < (other.digits.utf8.count, other.digits)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
