/// A version of SQLite, as `--engine` takes it.
package struct EngineVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The numbers, the most significant first; always three.
  private let numbers: [Int]

  package init(_ major: Int, _ minor: Int, _ patch: Int = 0) { numbers = [major, minor, patch] }

  /// Reads `3.15` or `3.15.2`; nil for what is no version of SQLite 3.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    let numbers = parts.compactMap(\.self)
    guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] == 3, numbers.allSatisfy({ $0 >= 0 })
    else { return nil }
    self.numbers = numbers + Array(repeating: 0, count: 3 - numbers.count)
  }

  /// The version as SQLite's release notes name it: `3.15`, `3.8.2`.
  package var description: String {
    (numbers[2] == 0 ? Array(numbers.prefix(2)) : numbers).map(String.init).joined(separator: ".")
  }

  package static func < (one: EngineVersion, other: EngineVersion) -> Bool {
    one.numbers.lexicographicallyPrecedes(other.numbers)
  }
}
