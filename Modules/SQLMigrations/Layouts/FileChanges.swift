/// The changes that the statements of a file make, and those that undo earlier ones.
struct FileChanges {
  private let statements: [String]
  private let changes: [ReversibleChange]
  private let made: Set<ReversibleChange>
  /// The statements that undo others, in order.
  private let undoings: [Undoing]
  /// Those of ``undoings`` that drop an object.
  private let drops: [Undoing]
  /// For each statement, the index at which the statements end that remove something, or take back a name, from there on.
  private let removalEnds: [Int]

  init(_ statements: [String]) {
    self.statements = statements
    let changes = statements.map(ReversibleChange.init)
    self.changes = changes
    made = Set(changes)
    undoings = Undoing.all(in: changes)
    drops = undoings.filter { $0.dropped != nil }
    let renamedBack = Set(undoings.map(\.undoer).filter { changes[$0].renames })
    var end = changes.count
    var ends: [Int] = []
    for (index, change) in changes.enumerated().reversed() {
      if !change.removes, change != .prepares, !renamedBack.contains(index) { end = index }
      ends.append(end)
    }
    removalEnds = ends.reversed()
  }

  /// Whether the statements from an index on begin by removing what earlier ones have made.
  ///
  /// - Parameter words: The words of undoing in the comment between them. Without one, only an object counts that nothing
  ///   has used: a table of intermediate results is no sign of a part that undoes the migration.
  func removes(from index: Int, says words: [String]) -> Bool {
    let known = words.isEmpty ? drops : undoings
    let first = known.firstIndexInOrder { $0.undoer >= index }
    return known[first...].prefix { $0.undoer < removalEnds[index] }.contains { undoing in
      guard undoing.maker < index else { return false }
      guard let object = undoing.dropped, words.allSatisfy({ $0 == "down" }) else { return true }
      return !object.isUsed(by: statements[(undoing.maker + 1)..<index], madeBy: statements[undoing.maker])
    }
  }

  /// Whether all statements from an index on remove something, but not the one before it.
  func endsByRemoving(from index: Int) -> Bool {
    removalEnds[index] == changes.count && index > 0 && !changes[index - 1].removes
  }

  /// Whether the statements from an index on drop nothing but temporary objects that the file has made: they undo nothing.
  func dropsOnlyTemporary(from index: Int) -> Bool {
    changes[index...].allSatisfy { change in
      guard case .drops(let object) = change else { return false }
      return made.contains(.makesTemporary(object)) && !made.contains(.makes(object))
    }
  }

  /// Whether the statements from an index on only remove something, or undo something that earlier ones have done.
  func undoes(from index: Int) -> Bool {
    changes[index...].allSatisfy(\.removes) || undoings.contains { $0.maker < index && $0.undoer >= index }
  }
}

extension Array {
  /// Returns the first index whose element satisfies a condition that all later ones satisfy, too.
  func firstIndexInOrder(where isFound: (Element) -> Bool) -> Int {
    var (start, end) = (0, count)
    while start < end {
      let middle = (start + end) / 2
      if isFound(self[middle]) { end = middle } else { start = middle + 1 }
    }
    return start
  }
}
