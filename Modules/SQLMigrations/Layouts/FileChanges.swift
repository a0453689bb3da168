internal import SQLSyntax

/// The changes that the statements of a file make, and those that undo earlier ones.
struct FileChanges {
  /// The way in which a comment says that the statements below it undo earlier ones, from the weakest on.
  enum Sign: Int, CaseIterable {
    /// The comment does not say so, or only with "down": only the drop of an object counts that nothing has used, since a
    /// table of intermediate results is no sign of a part that undoes the migration.
    case none
    /// A word says so: other drops count, too, and the deletion of added rows.
    case word
    /// The comment begins with the word: a table, a column or a name that is restored counts, too.
    case start
    /// `-- Rollback: ...`: all statements up to the end of the file count that undo or overwrite something.
    case label
  }

  private let changes: [ReversibleChange]
  /// The index of the first statement that drops each object, or renames it.
  private let firstRemovals: [MadeObject: Int]
  /// For each sign and each statement, the first statement that is undone from there on, by what counts for the sign.
  private let firstUndone: [[Int]]
  /// The index of the first statement that does more than to prepare others.
  private let firstChange: Int
  /// The indexes from which on all statements remove something; remove or restore something; and drop temporary objects
  /// that the file has made.
  private let (removalStart, endStart, temporaryStart): (Int, Int, Int)

  init(_ statements: [String]) {
    let changes = statements.map(ReversibleChange.init)
    var undone = Self.undone(in: statements, changes)
    var restoring = Set(undone.lazy.filter { $0.value.sign == .start }.map(\.key))
    for (rebuild, earlier) in Self.repeatedRebuilds(changes) {
      undone[rebuild.upperBound] = (earlier, .start)
      restoring.formUnion(rebuild)
    }
    let start = { (isPart: (Int) -> Bool) in (changes.indices.last { !isPart($0) } ?? -1) + 1 }
    self.changes = changes
    firstRemovals = Dictionary(
      changes.enumerated().compactMap { index, change in
        switch change {
        case .drops(let object), .renames(let object, _): (object, index)
        default: nil
        }
      }, uniquingKeysWith: { first, _ in first })
    firstChange = changes.firstIndex { $0 != .prepares } ?? changes.count
    removalStart = start { changes[$0].removes }
    endStart = start { changes[$0].removes || changes[$0] == .prepares || restoring.contains($0) }
    let made = Set(changes)
    temporaryStart = start { index in
      guard case .drops(let object) = changes[index] else { return changes[index] == .prepares }
      return made.contains(.makesTemporary(object)) && !made.contains(.makes(object))
    }
    firstUndone = Sign.allCases.map { sign in
      var first = changes.count
      return changes.indices.reversed().map { index in
        let isRemoval = changes[index].removes || changes[index] == .prepares
        if !(isRemoval || sign == .label || sign == .start && restoring.contains(index)) { first = changes.count }
        if let (maker, needed) = undone[index], needed.rawValue <= sign.rawValue { first = min(first, maker) }
        return first
      }.reversed()
    }
  }

  /// Returns, by the index of a statement, the one that it undoes, and the weakest sign for which that counts.
  private static func undone(
    in statements: [String], _ changes: [ReversibleChange]
  ) -> [Int: (maker: Int, sign: Sign)] {
    var undone: [Int: (maker: Int, sign: Sign)] = [:]
    var updates: [ReversibleChange: Int] = [:]
    var firstColumns: [String: Int] = [:]
    for (index, change) in changes.enumerated() {
      if let maker = change.overwritten.flatMap({ updates[$0] }) { undone[index] = (maker, .label) }
      updates[change] = updates[change] ?? index
      switch change {
      case .makes(let object) where object.column != nil:
        firstColumns[object.name] = firstColumns[object.name] ?? index
      // The twelve steps in place of DROP COLUMN (https://sqlite.org/lang_altertable.html#otheralter).
      case .drops(let object) where object.column == nil:
        if let maker = firstColumns[object.name] { undone[index] = (maker, .label) }
      default: break
      }
    }
    for undoing in Undoing.all(in: statements, changes) {
      let sign: Sign
      switch changes[undoing.undoer] {
      case .drops: sign = undoing.isUsed ? .word : .none
      case .deletes: sign = .word
      case .renames: sign = undoing.isUsed ? .label : .start
      case .makes(let object) where object.hasRows:
        // A table that was dropped if it exists is only replaced.
        sign = SQLSource(statements[undoing.maker]).names("exists") ? .label : .start
      default: sign = .label
      }
      undone[undoing.undoer] = (undoing.maker, sign)
    }
    return undone
  }

  /// Returns the statements of each rebuild of a table that an earlier one has rebuilt, with the end of the earlier one
  /// (https://sqlite.org/lang_altertable.html#otheralter).
  private static func repeatedRebuilds(_ changes: [ReversibleChange]) -> [(ClosedRange<Int>, earlier: Int)] {
    var (made, dropped): ([MadeObject: Int], [MadeObject: Int]) = ([:], [:])
    var renamed: [MadeObject: (index: Int, old: MadeObject)] = [:]
    var rebuilt: [MadeObject: Int] = [:]
    return changes.enumerated().compactMap { index, change in
      var rebuild: (table: MadeObject, start: Int)?
      switch change {
      case .makes(let object): made[object] = index
      case .renames(let old, let new):
        // A new table takes the place of the dropped one.
        if let start = made[old], dropped[new, default: -1] > start { rebuild = (new, start) }
        renamed[new] = (index, old)
      case .drops(let object):
        dropped[object] = index
        // A new table has taken the place of the renamed one.
        if let (start, old) = renamed[object], made[old, default: -1] > start { rebuild = (old, start) }
      default: break
      }
      guard let rebuild else { return nil }
      let earlier = rebuilt.updateValue(index, forKey: rebuild.table)
      return earlier.map { (rebuild.start...index, $0) }
    }
  }

  /// Whether the statements from an index on, below a comment with a sign, undo what earlier ones have done.
  func undo(from index: Int, under sign: Sign) -> Bool { firstUndone[sign.rawValue][index] < index }

  /// Whether no statement before an index does more than to prepare others.
  func isFirst(_ index: Int) -> Bool { index <= firstChange }

  /// Whether the statement at an index removes something.
  func removes(at index: Int) -> Bool { changes[index].removes }

  /// Whether the statement at an index makes a table whose name no earlier statement has removed.
  func makesNewTable(at index: Int) -> Bool {
    guard case .makes(let object) = changes[index], object.hasRows, object.column == nil else { return false }
    return firstRemovals[object, default: index] >= index
  }

  /// Whether all statements from an index on only remove something.
  func onlyRemove(from index: Int) -> Bool { index >= removalStart }

  /// Whether all statements from an index on remove or restore something, but not the one before it.
  func endByRemoving(from index: Int) -> Bool { index >= endStart && index > 0 && !changes[index - 1].removes }

  /// Whether the statements from an index on do nothing but drop temporary objects that the file has made: they undo nothing.
  func dropOnlyTemporary(from index: Int) -> Bool { index >= temporaryStart }
}
