/// The number of a migration, which may have several parts: `7`, `20240101`, `1.2`, `2024-01-31`.
///
/// The parts are compared as numbers of any length, so 2 comes before 10, and 1.2 before 1.10. Leading zeros are
/// ignored, and 1 equals 1.0.
package struct MigrationVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The parts, without leading zeros and without zeros at the end of the version.
  private let parts: [String]

  /// Creates a version from its parts, each a string of digits.
  package init(_ parts: [some StringProtocol]) {
    var parts = parts.map { String($0.drop { $0 == "0" }) }
    while parts.last?.isEmpty == true { parts.removeLast() }
    self.parts = parts
  }

  /// Parses a version that consists of digits, and of separators between its parts.
  package init?(_ text: some StringProtocol, separators: Set<Character> = []) {
    let parts = text.split(omittingEmptySubsequences: false, whereSeparator: separators.contains)
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) }) else { return nil }
    self.init(parts)
  }

  /// Parses the number at the start of an identifier; nil if there is none.
  ///
  /// The number may follow a `v`, and may contain dashes or separators.
  init?(leading identifier: String, skippingDashes: Bool, separators: Set<Character>) {
    let text = identifier.hasPrefix("v") || identifier.hasPrefix("V") ? identifier.dropFirst() : identifier[...]
    let version = separators.isEmpty ? text : text[..<(text.firstRange(of: "__")?.lowerBound ?? text.endIndex)]
    let number = version.prefix { character in
      character.utf8.allSatisfy(Self.isDigit) || (skippingDashes && character == "-") || separators.contains(character)
    }
    guard let end = number.lastIndex(where: { !separators.contains($0) }) else { return nil }
    self.init(number[...end].filter { $0 != "-" }, separators: separators)
  }

  /// Returns whether the first version comes before the second: its parts are compared as numbers.
  package static func < (one: MigrationVersion, other: MigrationVersion) -> Bool {
    one.parts.lexicographicallyPrecedes(other.parts) { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }

  /// The parts joined by periods; "0" for zero.
  package var description: String { parts.isEmpty ? "0" : parts.map { $0.isEmpty ? "0" : $0 }.joined(separator: ".") }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
