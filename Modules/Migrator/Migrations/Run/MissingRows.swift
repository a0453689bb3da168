internal import SQLSyntax

/// The rows that rebuilds left out or DELETE has removed while others may have taken their places, by the original name of
/// the table in ASCII lowercase.
struct MissingRows {
  private var counts: [String: Int] = [:]
  /// The names of the rows that DELETE may have removed, and the columns that name them.
  private var deleted: [String: (names: Set<String>, key: [String])] = [:]

  /// Returns the number of missing rows; nil if none are known.
  func count(of original: String) -> Int? { counts[original] }

  /// Returns the columns that name the deleted rows; nil if there are none.
  func key(of original: String) -> [String]? { deleted[original]?.key }

  /// Adds missing rows.
  mutating func add(_ count: Int, of original: String) { counts[original, default: 0] += count }

  /// Adds rows that DELETE may remove.
  mutating func add(_ names: Set<String>, by key: [String], of original: String) {
    // Without another key, new rows may get the same rowids.
    if key.allSatisfy({ SQLIdentifier.rowIDNames.contains($0) }) {
      add(names.count, of: original)
    } else {
      deleted[original, default: ([], key)].names.formUnion(names)
    }
  }

  /// Renames a column that may name rows.
  mutating func rename(_ column: String, to newName: String, of original: String) {
    guard let rows = deleted[original] else { return }
    deleted[original]?.key = rows.key.map { $0.isSameName(as: column) ? newName : $0 }
  }

  /// Counts the deleted rows that are not there again, after which their names may change.
  ///
  /// - Parameter values: The values of the table as it is now.
  mutating func endNaming(of original: String, _ values: ValueCount) throws {
    guard let (names, key) = deleted.removeValue(forKey: original) else { return }
    try add(names.count - (values.among(names, key)?.rowCount() ?? 0), of: original)
  }
}
