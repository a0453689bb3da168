/// The rules for names that say whether a file makes a change or undoes it.
///
/// A part between periods is unmistakable: `1_a.up.sql`, `1_a.down.sql`, `001.do.a.sql`, `001.undo.a.sql`. A word at the
/// end of a name, as in node-db-migrate's `1-a-down.sql`, is not: `8_slow_down.sql` may be a migration. Such a file undoes
/// another one if that file has the same name otherwise; it is refused if it only seems to.
enum DirectedName {
  /// Reads a name with a part between periods; nil for other names.
  @Sendable static func read(_ stem: String) -> MigrationLayout.NameParts? {
    if SectionHeading.meansUndoing(stem.lowercased()), stem.lowercased() != "drop" { return (stem, nil, .down) }
    var parts = stem.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, !parts[0].isEmpty else { return nil }
    // The direction is the last part, or the one after the number.
    let isNumbered = parts[0].allSatisfy(\.isNumber)
    guard
      let index = [parts.count - 1, 1].first(where: { index in
        let word = parts[index].lowercased()
        let isLast = index == parts.count - 1
        return ["up", "down", "undo", "do"].contains(word) && (isLast || isNumbered)
          || isLast && ["rollback", "revert"].contains(word)
      })
    else { return nil }
    let word = parts.remove(at: index).lowercased()
    let identifier = parts.joined(separator: ".")
    guard !identifier.isEmpty else { return nil }
    return (identifier, MigrationVersion(prefixOf: identifier), SectionHeading.meansUndoing(word) ? .down : .forward)
  }

  /// Determines the role of files whose names end or begin with a word such as "down".
  @Sendable static func settle(_ listing: inout FolderListing) {
    let forward = listing.found.indices.filter { listing.found[$0].role == .forward }
    let names = forward.map { SeparatedName(listing.found[$0].identifier) }
    let undoing = zip(forward, names).filter { $0.1.undoingWord != nil }
    let applying = zip(forward, names).filter { $0.1.undoingWord == nil }
    let bases = Set(applying.map(\.1.base))
    let versions = Set(applying.compactMap { listing.found[$0.0].version })
    let undoesAll = applying.isEmpty && undoing.count > 1 && undoing.allSatisfy { $0.1.undoingWord != "drop" }
    for (index, name) in undoing {
      let isPaired = bases.contains(name.base)
      if isPaired, name.undoingWord != "drop" {
        listing.found[index].role = .down
      } else if isPaired || undoesAll || name.isOnlyDirection
        || listing.found[index].version.map(versions.contains) ?? false
      {
        listing.found[index].seemsToUndo = true
      }
    }
  }

  /// Whether a folder's name says that its files undo migrations.
  static func isFolderOfUndoing(_ path: String) -> Bool {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    return SectionHeading.meansUndoing(name) && name != "drop"
  }
}

extension MigrationName {
  /// Whether the name has no other word than one that says that the file undoes a migration, such as `8_rollback.sql`.
  package var isOnlyDirection: Bool { SeparatedName(identifier).isOnlyDirection }
}

/// A name divided at its separators, with the word at its end or beginning that says the direction.
private struct SeparatedName {
  /// The rest of the name in lower case; the same for a file and the one that undoes it.
  let base: String
  /// The word that says that the file undoes another one; nil if there is none.
  let undoingWord: String?
  /// Whether the name has no other word, such as `8_down` or `undo_3_users`.
  let isOnlyDirection: Bool

  init(_ identifier: String) {
    var words = Self.words(of: identifier)
    let isPrefix =
      words.count > 1 && words[1].allSatisfy(\.isNumber)
      && (SectionHeading.meansUndoing(words[0]) || SectionHeading.meansApplying(words[0]))
    let word = isPrefix ? words.removeFirst() : words.last ?? ""
    let undoes = SectionHeading.meansUndoing(word)
    if !isPrefix, words.count > 1, undoes || SectionHeading.meansApplying(word) || word == "create" {
      words.removeLast()
    }
    base = words.joined(separator: "_")
    undoingWord = undoes ? word : nil
    isOnlyDirection = undoes && word != "drop" && (isPrefix || words.allSatisfy { $0.allSatisfy(\.isNumber) })
  }

  /// Returns the words of a name in lower case; a capital letter after a small one begins a word.
  private static func words(of identifier: String) -> [String] {
    var words: [String] = [""]
    var previous: Character?
    for character in identifier {
      if !character.isLetter, !character.isNumber {
        words.append("")
      } else {
        if character.isUppercase, previous?.isLowercase ?? false { words.append("") }
        words[words.count - 1].append(contentsOf: character.lowercased())
      }
      previous = character
    }
    return words.filter { !$0.isEmpty }
  }
}
