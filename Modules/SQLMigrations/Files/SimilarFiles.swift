internal import Migrator
internal import SQLSyntax

/// The comparison of files with each other: one may undo another one, or be its copy.
enum SimilarFiles {
  /// Returns the problems of files that seem to undo another one.
  static func problems(in files: [MigrationFile]) -> [MigrationProblem] {
    let named = Set(undoing(in: files).map(\.path)), paths = named.union(teardowns(in: files).map(\.path))
    let undoing = files.filter { paths.contains($0.path) }
      .map { MigrationProblem(named.contains($0.path) ? .undoName : .teardown, path: $0.path) }
    // The others are refused for another reason, or say that they are meant.
    let rest = files.filter { file in
      !(file.isWhole || file.isNoCopy || file.name.original != nil || file.layout.requiresUniqueVersions
        || paths.contains(file.path))
    }.map { file in (file: file, words: SectionHeading.words(of: file.identifier)) }
    // Files without a number are compared only where they run: where no file has one.
    let numbered = Dictionary(grouping: rest) { number(of: $0.file, $0.words) }
    // `2-1.sql` beside `1-2.sql`, as in pg-migrator, and `a--1.1--1.0.sql` beside `a--1.0--1.1.sql`.
    let swapped = Dictionary(grouping: rest) { $0.words.sorted() }.values.filter { group in
      group.contains { isSwapped($0.words, group[0].words) }
    }
    let groups = numbered.map { ($0.value, $0.key != nil) } + swapped.map { ($0, true) }
    let paired = groups.filter { $0.0.count > 1 }.flatMap { files, isNumbered in
      pairs(in: files.map(\.file), isNumbered: isNumbered)
    }
    return undoing + paired.sorted { $0.path < $1.path }
  }

  /// Returns the number with which a name begins, whatever its zeros: `001_a` and `1_b` have the same one.
  ///
  /// All numbers count: the first one alone may be the year of a date.
  private static func number(of file: MigrationFile, _ words: [String]) -> MigrationVersion? {
    let numbers = words.prefix(while: SectionHeading.isNumber)
    return numbers.isEmpty ? file.name.version : MigrationVersion(numbers.map { $0.filter(\.isNumber) })
  }

  /// Returns the problems of files that are one migration together with an earlier one of the same number, or of none.
  ///
  /// Their names are equal up to a part such as `.rev`, or one undoes what the other does. The names do not say which one.
  private static func pairs(in files: [MigrationFile], isNumbered: Bool) -> [MigrationProblem] {
    var names: [Substring: (file: MigrationFile, part: String)] = [:]
    var makers: [ReversibleChange: MigrationFile] = [:]
    var earlier: [(words: [String], changes: Set<ReversibleChange>, removes: Bool, file: MigrationFile)] = []
    return files.compactMap { file in
      var other: MigrationFile?
      // A period after the number, as in `1.a.b.sql`, may separate the words of a title.
      if let name = file.identifier.wholeMatch(of: /(v?[0-9](?:[-_ .0-9]*[-_ 0-9])?[^-_ .0-9].*?)(?:\.([^.]*))?/) {
        let part = SectionHeading.words(of: String(name.output.2 ?? "")).joined().filter { !$0.isNumber }
        let title = name.output.1.drop { "v0".contains($0) }
        if let same = names[title], same.part != part { other = same.file }
        names[title] = (file, part)
      }
      let changes = file.changes
      let words = SectionHeading.words(of: file.identifier)
      other =
        other
        ?? changes.compactMap { change in
          // A view that is re-created, after one file has dropped it to change a table, undoes nothing.
          if case .makes(let object) = change, !object.hasRows { return nil }
          return change.undone.flatMap { makers[$0] }
        }.filter { isNumbered || isCounterpart(file, $0) }.min { $0.path < $1.path }
      let removes = changes.allSatisfy(\.removes), overwritten = Set(changes.compactMap(\.overwritten))
      other =
        other
        ?? earlier.first { one in
          isNumbered && (removes != one.removes || overwritten == one.changes) && isSimilar(words, one.words)
            && (undo(changes, one.changes) || undo(one.changes, changes))
        }?.file
      for change in changes where !change.inserts { makers[change] = file }
      earlier.append((words, changes, removes, file))
      return other.map { MigrationProblem(.pair($0.path), path: file.path) }
    }
  }

  /// Whether two names differ in one word, which one of them may lack at its end, and not only in its number, as `part1`
  /// and `part2` do.
  private static func isSimilar(_ words: [String], _ others: [String]) -> Bool {
    let count = max(words.count, others.count)
    guard min(words.count, others.count) >= count - 1 else { return false }
    let differences = (0..<count).map { index in
      [words, others].map { $0.indices.contains(index) ? $0[index] : "" }
    }.filter { $0[0] != $0[1] }.map { $0.map { $0.filter(\.isLetter) } }
    return differences.count == 1 && differences[0][0] != differences[0][1]
  }

  /// Whether two files have similar names, and one of them only drops exactly the tables and columns that the other makes.
  private static func isCounterpart(_ file: MigrationFile, _ other: MigrationFile) -> Bool {
    let words = [file, other].map { SectionHeading.words(of: $0.identifier) }
    guard isSimilar(words[0], words[1]) else { return false }
    let changes = [file.changes, other.changes]
    return [(changes[0], changes[1]), (changes[1], changes[0])].contains { dropping, making in
      let undone = Set(dropping.compactMap(\.undone))
      return dropping.allSatisfy(\.removes) && undo(dropping, making)
        && making.allSatisfy { change in
          if case .makes(let object) = change, object.hasRows { undone.contains(change) } else { true }
        }
    }
  }

  /// Whether all of some changes undo others, or overwrite them.
  private static func undo(_ changes: Set<ReversibleChange>, _ others: Set<ReversibleChange>) -> Bool {
    !changes.isEmpty && changes.allSatisfy { ($0.undone ?? $0.overwritten).map(others.contains) ?? false }
  }

  /// Returns the files whose names say that they take everything down, and that drop, or empty, every table that the files
  /// before them have made and left.
  private static func teardowns(in files: [MigrationFile]) -> [MigrationFile] {
    let isNamed = { (file: MigrationFile) in
      !file.isWhole && file.allowances.isEmpty
        && SectionHeading.meansTeardown(SectionHeading.words(of: file.identifier))
    }
    guard files.contains(where: isNamed) else { return [] }
    var tables = TableNames([])
    return files.filter { file in
      let isSuspicious = !tables.created.isEmpty && isNamed(file)
      var emptied: Set<String> = []
      for statement in file.statements {
        let summary = SQLStatementSummary(of: statement.text)
        tables.follow(summary)
        switch summary.effect {
        case .createTable(let table): emptied.remove(table.asciiLowercased)
        case .deleteAllRows(let table): emptied.insert(table.asciiLowercased)
        default:
          if isSuspicious, case .inserts(let table) = ReversibleChange(statement.text) { emptied.remove(table) }
        }
      }
      return isSuspicious && tables.created.isSubset(of: emptied)
    }
  }

  /// Returns the files whose names say that they undo another one, and are that of no other file.
  private static func undoing(in files: [MigrationFile]) -> [MigrationFile] {
    let named = files.map { (file: $0, name: SeparatedName($0.identifier)) }
    let versions = Set(named.compactMap { $0.name.undoes ? nil : $0.file.name.version })
    let undoesAll = named.count > 1 && named.allSatisfy(\.name.undoes)
    let groups = Dictionary(grouping: named) { $0.name.words.prefix(while: SectionHeading.isNumber) }
    return named.filter { file, name in
      guard !file.isWhole else { return false }
      let words = name.words
      if name.undoes, undoesAll || file.name.version.map(versions.contains) ?? false { return true }
      if name.isOnlyDirection, !file.makes || files.contains(where: file.dropsObject(of:)) { return true }
      guard words.contains(where: seemsUndoing) else { return false }
      return groups[words.prefix(while: SectionHeading.isNumber), default: []].contains { other in
        other.file.path != file.path && undoes(words, file, other.name.words, other.file)
      }
    }.map(\.file)
  }

  /// Returns those of the files with names of undoing ones that make an object, and undo nothing of the others.
  static func misnamed(_ undoing: [MigrationFile], beside files: [MigrationFile]) -> [MigrationFile] {
    let making = undoing.filter { file in
      file.changes.contains { if case .makes(let object) = $0 { object.column == nil } else { false } }
    }
    let done = making.isEmpty ? [] : Set(files.flatMap(\.changes))
    return making.filter { file in !file.changes.contains { $0.undone.map(done.contains) ?? false } }
  }

  /// Whether two names differ only in that the versions between which they migrate are swapped.
  private static func isSwapped(_ words: [String], _ others: [String]) -> Bool {
    let numbers = words.filter(SectionHeading.isNumber), swapped = others.filter(SectionHeading.isNumber)
    return numbers != swapped
      && words.filter { !numbers.contains($0) } == others.filter { !numbers.contains($0) }
      && numbers.indices.contains { Array(numbers[$0...] + numbers[..<$0]) == swapped }
  }

  private static func seemsUndoing(_ word: String) -> Bool {
    SectionHeading.meansUndoing(word) || SectionHeading.misspellsUndoing(word)
  }

  private static func undoes(
    _ words: [String], _ file: MigrationFile, _ otherWords: [String], _ other: MigrationFile
  ) -> Bool {
    let own = words.drop(while: SectionHeading.isNumber), others = otherWords.drop(while: SectionHeading.isNumber)
    let base = others.filter { !SectionHeading.meansApplying($0) }
    let added = own.filter { !base.contains($0) }
    let isLonger = own.count - added.count >= base.count
    guard added.contains(where: seemsUndoing) else { return false }
    let isSimilar = isLonger || own.count == others.count && zip(own, others).count { $0 != $1 } == 1
    return isSimilar && file.dropsObject(of: other) || isLonger && !file.statements.isEmpty && !file.makes
  }

  /// Returns the identifiers of the other files with the same statements, by identifier.
  ///
  /// Such files are beside each other in the order, or add the same rows under the same title: what is repeated after other
  /// migrations is meant. Files without a statement, those that can run any number of times, and those that say that they
  /// are meant are left out.
  static func twins(in files: [MigrationFile]) -> [String: [String]] {
    var groups: [[MigrationFile]] = []
    var groupsByTitle: [[String]: Int] = [:]
    var previous: Int?
    for file in files where !file.statements.isEmpty && !file.isRepeatable {
      let title = SectionHeading.words(of: file.identifier).drop(while: SectionHeading.isNumber)
      let key = [file.checksum] + title
      var group: Int?
      if let same = groupsByTitle[key], !title.isEmpty, file.onlyAddsRows {
        group = same
      } else if let previous, file.hasSameStatements(as: groups[previous][0]) {
        group = previous
      }
      if group == nil { groups.append([]) }
      let place = group ?? groups.count - 1
      groups[place].append(file)
      groupsByTitle[key] = groupsByTitle[key] ?? place
      previous = place
    }
    var twins: [String: [String]] = [:]
    for group in groups where group.count > 1 {
      for file in group where !file.isNoCopy {
        twins[file.identifier] = group.map(\.identifier).filter { $0 != file.identifier }
      }
    }
    return twins
  }
}

extension MigrationFile {
  /// Whether a statement makes an object or a column.
  fileprivate var makes: Bool { statements.contains { ReversibleChange($0.text).makes } }
  /// The changes that the file makes on the whole, without those that it takes back.
  fileprivate var changes: Set<ReversibleChange> {
    var changes: Set<ReversibleChange> = []
    for change in statements.map({ ReversibleChange($0.text) }) where change != .prepares {
      switch change {
      case .makes(let object):
        changes.remove(.drops(object))
        changes.insert(change)
      case .drops(let object):
        if changes.remove(.makes(object)) == nil { changes.insert(change) }
      case .renames(let old, let new) where changes.remove(.makes(old)) != nil:
        if changes.remove(.drops(new)) == nil { changes.insert(.makes(new)) }
      default: changes.insert(change)
      }
    }
    return changes
  }

  /// Whether the file drops something that another one has made.
  fileprivate func dropsObject(of other: MigrationFile) -> Bool {
    let (count, all) = (other.statements.count, (other.statements + statements).map(\.text))
    return Undoing.all(in: all).contains { $0.dropped != nil && $0.maker < count && $0.undoer >= count }
  }

  /// Whether both files have the same statements; comments, whitespace and empty statements do not count.
  fileprivate func hasSameStatements(as other: MigrationFile) -> Bool {
    guard statements.count == other.statements.count else { return false }
    return checksum == other.checksum
      || zip(statements, other.statements).allSatisfy { own, others in
        let (left, right) = (SQLTokenizer(own.text), SQLTokenizer(others.text))
        return left.lazy.filter { !$0.isTrivia }.map(left.text).elementsEqual(
          right.lazy.filter { !$0.isTrivia }.map(right.text))
      }
  }

  fileprivate var onlyAddsRows: Bool { statements.allSatisfy { ReversibleChange($0.text).inserts } }
}
