internal import SQLSyntax

/// The changes that the statements of a file make, and those that undo earlier ones.
struct FileChanges {
  private let statements: [String]
  private let changes: [ReversibleChange]
  private let made: Set<ReversibleChange>
  /// The statements that undo others, in order.
  private let undoings: [Undoing]
  /// Those of ``undoings`` that drop an object.
  private let drops: [Undoing]
  /// For each statement, the index at which the statements end, from there on, that remove something, or restore a name, a
  /// table or a column.
  private let removalEnds: [Int]
  /// For each statement, the index of the first one that it or a later one undoes or overwrites.
  private let earliestMakers: [Int]

  init(_ statements: [String]) {
    self.statements = statements
    let changes = statements.map(ReversibleChange.init)
    self.changes = changes
    made = Set(changes)
    undoings = Undoing.all(in: changes)
    drops = undoings.filter { $0.dropped != nil }
    // A table that was dropped if it exists is only replaced.
    let restoring = Set(
      undoings.filter { undoing in
        switch changes[undoing.undoer] {
        case .renames: true
        case .makes(let object): object.hasRows && !SQLSource(statements[undoing.maker]).names("exists")
        default: false
        }
      }.map(\.undoer))
    var makers: [Int: Int] = [:]
    for undoing in undoings { makers[undoing.undoer] = undoing.maker }
    var firstUpdates: [ReversibleChange: Int] = [:]
    for (index, change) in changes.enumerated() where change.updates {
      makers[index] = firstUpdates[change]
      firstUpdates[change] = firstUpdates[change] ?? index
    }
    var (end, maker) = (changes.count, changes.count)
    var (ends, earliest): ([Int], [Int]) = ([], [])
    for (index, change) in changes.enumerated().reversed() {
      if !change.removes, change != .prepares, !restoring.contains(index) { end = index }
      maker = min(maker, makers[index] ?? maker)
      ends.append(end)
      earliest.append(maker)
    }
    (removalEnds, earliestMakers) = (ends.reversed(), earliest.reversed())
  }

  /// Whether the statements from an index on begin by removing what earlier ones have made, or restoring what they removed.
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
    changes[index...].allSatisfy(\.removes) || takesBack(from: index)
  }

  /// Whether a statement from an index on undoes or overwrites something that earlier ones have done.
  func takesBack(from index: Int) -> Bool {
    earliestMakers[index] < index
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
