/// Rows that refer to nothing, counted by what they refer to rather than by where they are.
///
/// Rowids are no identity: a migration may rebuild a table and renumber them. The values of the key stay.
struct OrphanCount {
  private var counts: [Orphan: Int] = [:]

  /// The orphans that tables which were defined otherwise have left, by their likeness; nil until it is asked for.
  private var moved: [Orphan.Likeness: [Orphan]]?

  /// Whether there is none.
  var isEmpty: Bool { counts.isEmpty }

  /// The number of orphans.
  var total: Int { counts.values.reduce(0, +) }

  mutating func add(_ orphan: Orphan) { counts[orphan, default: 0] += 1 }

  /// Takes one orphan of the same key out; false when there is none left.
  mutating func remove(_ orphan: Orphan) -> Bool {
    guard let count = counts[orphan] else { return false }
    counts[orphan] = count == 1 ? nil : count - 1
    return true
  }

  /// Takes one orphan out that looks the same and was in one of `tables`; false when there is none left.
  ///
  /// A table or column that was renamed or declared otherwise takes its orphans along under another name or type.
  ///
  /// - Parameter tables: The same ones at each call.
  mutating func removeMoved(_ orphan: Orphan, from tables: Set<String>) -> Bool {
    guard tables.contains(orphan.origin) else { return false }
    var moved = self.moved ?? index(tables)
    let likeness = orphan.likeness
    let found = moved[likeness]?.popLast()
    self.moved = moved
    return found.map { remove($0) } ?? false
  }

  /// The orphans of some tables, each as often as it is counted.
  private func index(_ tables: Set<String>) -> [Orphan.Likeness: [Orphan]] {
    var index: [Orphan.Likeness: [Orphan]] = [:]
    for (orphan, count) in counts where tables.contains(orphan.origin) {
      index[orphan.likeness, default: []] += Array(repeating: orphan, count: count)
    }
    return index
  }
}
