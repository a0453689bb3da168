/// The number at the beginning of a migration's name, which may have several parts: `20240101`, `1.2`, `2024-01-31`.
///
/// Compared part by part as numbers of any length, so 2 comes before 10 and 1.2 before 1.10. Leading zeros do not count, and
/// 1 equals 1.0.
struct MigrationVersion: Hashable, Comparable, CustomStringConvertible {
  /// The parts without leading zeros, and without parts at the end that are zero; empty for 0.
  private let parts: [String]

  /// Makes a version of its parts, each a text of digits.
  init(_ parts: [some StringProtocol]) {
    var digits = parts.map { String($0.drop { $0 == "0" }) }
    while digits.last?.isEmpty == true { digits.removeLast() }
    self.parts = digits
  }

  /// The version as people write it, with points.
  var description: String {
    parts.isEmpty ? "0" : parts.map { $0.isEmpty ? "0" : $0 }.joined(separator: ".")
  }

  static func < (lhs: MigrationVersion, rhs: MigrationVersion) -> Bool {
    for (left, right) in zip(lhs.parts, rhs.parts) where left != right {
      return (left.utf8.count, left) < (right.utf8.count, right)
    }
    return lhs.parts.count < rhs.parts.count
  }
}
