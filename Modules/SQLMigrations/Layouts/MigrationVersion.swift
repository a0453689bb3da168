/// The number at the beginning of a migration's name, which may have several parts: `20240101`, `1.2`, `2024-01-31`.
///
/// Compared part by part as numbers of any length, so 2 comes before 10 and 1.2 before 1.10. Leading zeros do not count, and
/// 1 equals 1.0.
package struct MigrationVersion: Hashable, Comparable, CustomStringConvertible {
  /// The first part without leading zeros; empty for 0.
  private let first: String

  /// The other parts without leading zeros, and without parts at the end that are zero; most numbers have none.
  private let others: [String]

  /// Makes a version of one part, a text of digits.
  package init(_ digits: String) {
    first = Self.significant(digits)
    others = []
  }

  /// Makes a version of its parts, each a text of digits.
  package init(_ parts: [String]) {
    first = parts.first.map(Self.significant) ?? ""
    var digits = parts.dropFirst().map(Self.significant)
    while digits.last?.isEmpty == true { digits.removeLast() }
    others = digits
  }

  private static func significant(_ digits: String) -> String {
    // By bytes: each name in a folder may begin with zeros.
    String(Substring(digits.utf8.drop { $0 == UInt8(ascii: "0") }))
  }

  /// The version as people write it, with points.
  package var description: String { ([first] + others).map { $0.isEmpty ? "0" : $0 }.joined(separator: ".") }

  package static func < (lhs: MigrationVersion, rhs: MigrationVersion) -> Bool {
    guard lhs.first == rhs.first else { return precedes(lhs.first, rhs.first) }
    for (left, right) in zip(lhs.others, rhs.others) where left != right { return precedes(left, right) }
    return lhs.others.count < rhs.others.count
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    (left.utf8.count, left) < (right.utf8.count, right)
  }
}
