internal import SQLSyntax

/// The comparison of files with each other: one may undo another one, or be its copy.
enum SimilarFiles {
  /// Returns the files that undo another one with a similar name, as `1_a.rev.sql` undoes `1_a.fwd.sql`.
  ///
  /// The names differ by a word, or one has more words than the other one. Unless they say that something is undone, they
  /// have the same number; the statements decide.
  static func undoing(in files: [MigrationFile]) -> [MigrationFile] {
    let named = files.map { (file: $0, words: SectionHeading.words(of: $0.identifier)) }
    // All numbers count: the first one alone may be the year of a date.
    let similar = Dictionary(grouping: named) { Array($0.words.prefix(while: SectionHeading.isNumber)) }.values.flatMap
    {
      group in
      group.filter { later in
        let saysUndoing = later.words.contains(where: SectionHeading.meansUndoing)
        return (saysUndoing || later.file.name.version != nil)
          && group.contains { $0.file.path != later.file.path && undoes(later.words, later.file, $0.words, $0.file) }
      }
    }
    let byWords = Dictionary(named.map { ($0.words, $0.file) }) { first, _ in first }
    // `2-1.sql` beside `1-2.sql`, as in pg-migrator.
    let opposite = named.filter { later in
      byWords[later.words.reversed()].map { $0.path != later.file.path && later.file.removes(what: $0) } ?? false
    }
    return (similar + opposite).map(\.file)
  }

  private static func undoes(
    _ words: [String], _ file: MigrationFile, _ otherWords: [String], _ other: MigrationFile
  ) -> Bool {
    let own = words.drop(while: SectionHeading.isNumber), others = otherWords.drop(while: SectionHeading.isNumber)
    let base = others.filter { !SectionHeading.meansApplying($0) }
    let added = own.filter { !base.contains($0) }
    let isLonger = own.count - added.count >= base.count
    guard isLonger || own.count == others.count && zip(own, others).count(where: { $0 != $1 }) == 1 else {
      return false
    }
    let saysUndoing = added.contains(where: SectionHeading.meansUndoing)
    guard saysUndoing || file.name.version != nil else { return false }
    return file.removes(what: other)
      || saysUndoing && isLonger && !file.statements.isEmpty
        && file.statements.allSatisfy { MadeObject(madeBy: $0.text) == nil }
  }

  /// Returns the identifiers of the other files with the same statements, by identifier.
  ///
  /// Such files are beside each other in the order, or add the same rows under the same title: what is repeated after other
  /// migrations is meant. Files without a statement, those that can run any number of times, and those that say that they
  /// are meant are left out.
  static func twins(in files: [MigrationFile]) -> [String: [String]] {
    var groups: [[MigrationFile]] = []
    for file in files where !file.statements.isEmpty && !file.isRepeatable {
      let last = groups.count - 1
      let index = groups.indices.last { index in
        index == last && file.hasSameStatements(as: groups[index][0]) || file.repeatsRows(of: groups[index][0])
      }
      if let index { groups[index].append(file) } else { groups.append([file]) }
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
  /// Whether the file drops something that another one has made.
  fileprivate func removes(what other: MigrationFile) -> Bool {
    MadeObject.isDropped(other.statements.map(\.text), by: statements.map(\.text))
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

  /// Whether the file has the same title as another one, and only adds the same rows as that one.
  fileprivate func repeatsRows(of other: MigrationFile) -> Bool {
    guard checksum == other.checksum else { return false }
    let titles = [self, other].map { SectionHeading.words(of: $0.identifier).drop(while: SectionHeading.isNumber) }
    return titles[0] == titles[1] && !titles[0].isEmpty
      && statements.allSatisfy { MadeObject.insertedTable($0.text) != nil }
  }
}
