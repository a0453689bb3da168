package import Migrator
internal import SQLSyntax

/// The name of an SQL file: its identifier, its number, and its role.
package struct MigrationName: Sendable {
  /// The purpose of a file, according to its name.
  package enum Role: Hashable, Sendable {
    /// A forward migration.
    case forward
    /// A file that undoes a migration: `name.down.sql`, yoyo's `name.rollback.sql`, postgrator's `1.undo.name.sql`, or
    /// diesel's `down.sql`.
    case down
    /// `U1__name.sql`: an undo migration for Flyway, but a forward migration for refinery.
    case undo
    /// A kind of file that the migrator does not support.
    case refused(MigrationProblem.Kind)
  }

  /// The path of the file.
  package let path: String
  /// The name under which the ledger records the migration: the file name without `.sql`, and without a part such as
  /// `.up`, `.down` or `.do`.
  package let identifier: String
  /// The number at the start of the name; nil if there is none.
  package let version: MigrationVersion?
  /// The layout according to the name and the folder; comments in the file may show that the file has another layout.
  package internal(set) var layout: MigrationLayout
  /// The purpose of the file.
  package internal(set) var role: Role
  /// The position in the list that decides the order of files, such as Drizzle's journal; nil for a file that is not
  /// listed.
  ///
  /// Listed files come before all others.
  var place: Int?
  /// The setting that may turn off the migration's transaction; nil if there is no file with such a setting.
  var setting: TransactionSetting?
  /// The path of the file of which this one is a copy, according to its name; nil if it is none.
  var original: String?

  /// Parses a file name; nil unless it ends with `.sql`, in upper or lower case.
  package init?(path: String) {
    guard let fileName = path.utf8.split(separator: UInt8(ascii: "/")).last,
      let stem = String(Substring(fileName)).dropping(".sql"), !stem.isEmpty
    else { return nil }
    for layout in MigrationLayout.all {
      guard let (identifier, version, role) = layout.readName(stem) else { continue }
      self.init(path: path, identifier: identifier, version: version, layout: layout, role: role)
      return
    }
    return nil
  }

  /// Creates the name of a migration that is a folder.
  init(folder path: String, _ layout: MigrationLayout) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    self.init(path: path + layout.ending, identifier: name, version: MigrationVersion(prefixOf: name), layout: layout)
  }

  /// Creates a name from all of its parts.
  init(
    path: String, identifier: String, version: MigrationVersion? = nil, layout: MigrationLayout = .plain,
    role: Role = .forward
  ) {
    (self.path, self.identifier, self.version) = (path, identifier, version)
    (self.layout, self.role) = (layout, role)
  }

  /// Whether the name begins with a number that is no part of a word, as it is in `2fa_codes`.
  ///
  /// A letter may follow if the name of another file has the same number, as `2a_users` and `2b_posts` have.
  func isNumbered(beside others: [MigrationName]) -> Bool {
    let word = SectionHeading.words(of: identifier).first ?? ""
    guard version != nil, let match = word.wholeMatch(of: /v?([0-9]+([a-z])?|[0-9]{3}.*)/) else { return false }
    return match.output.2 == nil || others.contains { $0.path != path && sharesNumber(with: $0) }
  }

  /// Whether both names begin with the same number, so that the rest of the names determines their order.
  private func sharesNumber(with other: MigrationName) -> Bool { version != nil && version == other.version }

  /// Whether words determine that this name comes after one with the same number, and not further numbers, as in
  /// `2024_01_31_000001_users` and `2024_02_01_000001_posts`.
  package func followsByWords(_ other: MigrationName) -> Bool {
    guard sharesNumber(with: other) else { return false }
    let numbers = [other, self].compactMap { MigrationVersion(prefixOf: $0.identifier.replacing("_", with: ".")) }
    return numbers.count < 2 || numbers[0] >= numbers[1]
  }

  /// Whether the file is applied before another one.
  ///
  /// Files with a `place` come first, in that order, followed by files with a number, in numeric order. The names
  /// determine the order of all others.
  package func precedes(_ other: MigrationName) -> Bool {
    if place != other.place { return place ?? .max < other.place ?? .max }
    return switch (version, other.version) {
    case (let left?, let right?) where left != right: left < right
    case (_?, nil): true
    case (nil, _?): false
    default: (identifier, path) < (other.identifier, other.path)
    }
  }
}

extension MigrationVersion {
  /// Parses the number at the start of a name: parts of digits separated by `.` or `-`, optionally after a `v`.
  ///
  /// A regular expression would be compiled at each use, which took half the time of `status` with 200 files.
  package init?(prefixOf name: String) {
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    var parts: [String] = []
    let number = name.utf8.first.map { $0 | 0x20 } == UInt8(ascii: "v") ? name.utf8.dropFirst() : name.utf8[...]
    for part in number.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 0x2E || $0 == 0x2D }) {
      let digits = part.prefix(while: isDigit)
      let next = part[digits.endIndex...].first
      // In "1-2fa" the 2 is part of a word. A name that begins with "2fa" still has the number 2.
      guard !digits.isEmpty, parts.isEmpty || next.map(isLetter) != true else { break }
      parts.append(String(decoding: digits, as: UTF8.self))
      if next != nil { break }
    }
    guard !parts.isEmpty else { return nil }
    self.init(parts)
  }
}

/// A setting, in a file beside a migration, that may turn off the migration's transaction: in diesel's `metadata.toml`
/// or Flyway's `.sql.conf`.
struct TransactionSetting: Sendable {
  let path: String
  /// The name of the setting; its value `false` turns off the transaction.
  let key: String

  /// The setting beside a file of Flyway (https://documentation.red-gate.com/fd/script-configuration-files-275218566.html).
  static func flyway(_ path: String) -> TransactionSetting {
    TransactionSetting(path: path + ".conf", key: "executeInTransaction")
  }

  func isOff() throws(MigrationProblem) -> Bool { try lines().contains([key, "false"]) }

  /// The problem of a file that Flyway runs only under a condition; nil if there is no condition.
  func condition() throws(MigrationProblem) -> MigrationProblem? {
    try lines().first { $0.first == "shouldExecute" && $0.last?.lowercased() != "true" }.map {
      MigrationProblem(.unreadRule($0.joined(separator: "=")), path: path)
    }
  }

  /// Returns the names and values of all settings.
  private func lines() throws(MigrationProblem) -> [[String]] {
    try ScriptFile.text(at: path).split(whereSeparator: \.isNewline).map { line in
      line.prefix { $0 != "#" }.split(separator: "=", maxSplits: 1).map(\.trimmingWhitespace)
    }
  }
}

extension String {
  /// Returns the string without an ending, which may be in upper or lower case; nil if the string does not have this
  /// ending.
  ///
  /// - Parameter ending: The ending in lower case.
  func dropping(_ ending: String) -> String? {
    let count = ending.utf8.count
    let hasEnding = utf8.suffix(count).elementsEqual(ending.utf8) { byte, expected in
      byte == expected || ((0x41...0x5A).contains(byte) && byte | 0x20 == expected)
    }
    guard hasEnding else { return nil }
    return String(decoding: utf8.dropLast(count), as: UTF8.self)
  }
}

/// The rules for names that say whether a file makes a change or undoes it.
///
/// A part between periods is unmistakable: `1_a.up.sql`, `1_a.down.sql`, `001.do.a.sql`, `001.undo.a.sql`. A word at the
/// end of a name, as in node-db-migrate's `1-a-down.sql`, is not: `8_slow_down.sql` may be a migration. Such a file undoes
/// another one if that file has the same name otherwise; it is refused if it only seems to.
enum DirectedName {
  /// Reads a name with a part between periods; nil for other names.
  @Sendable static func read(_ stem: String) -> MigrationLayout.NameParts? {
    if SectionHeading.meansUndoing(stem.lowercased()) { return (stem, nil, .down) }
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

  /// Determines the role of files whose names end or begin with a word such as "down", beside the file that they undo.
  @Sendable static func settle(_ listing: inout FolderListing) {
    let names = listing.found.map { $0.role == .forward ? SeparatedName($0.identifier) : nil }
    let bases = Set(names.compactMap { $0?.undoes == false ? $0?.base : nil })
    for (index, name) in names.enumerated() where name.map({ $0.undoes && bases.contains($0.base) }) ?? false {
      listing.found[index].role = .down
    }
  }

  /// Whether a folder's name says that its files undo migrations.
  static func isFolderOfUndoing(_ path: String) -> Bool {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    return SectionHeading.meansUndoing(name)
  }
}

extension MigrationName {
  /// Whether the name has no other word than one that says that the file undoes a migration, such as `8_rollback.sql`.
  package var isOnlyDirection: Bool { SeparatedName(identifier).isOnlyDirection }
}

/// A name divided at its separators, with the word at its end or beginning that says the direction.
struct SeparatedName {
  /// All words in lower case.
  let words: [String]
  /// The rest of the name in lower case; the same for a file and the one that undoes it.
  let base: [String]
  /// Whether the word says that the file undoes another one.
  let undoes: Bool
  /// Whether the name has no other word, such as `8_down` or `undo_3_users`.
  let isOnlyDirection: Bool

  init(_ identifier: String) {
    words = SectionHeading.words(of: identifier)
    let isNumber = words.map { $0.allSatisfy(\.isNumber) }
    let says = words.map { SectionHeading.meansUndoing($0) || SectionHeading.meansApplying($0) }
    let isPrefix = words.count > 1 && isNumber[1] && says[0]
    // As in `2_undo_users`, beside `2_users`.
    let isSecond = words.count > 2 && isNumber[0] && SectionHeading.meansUndoing(words[1])
    let place = isPrefix ? 0 : isSecond ? 1 : max(0, words.count - 1)
    undoes = !words.isEmpty && SectionHeading.meansUndoing(words[place])
    let isRemoved = words.count > 1 && (says[place] || words[place] == "create")
    base = isRemoved ? Array(words[..<place] + words[(place + 1)...]) : words
    isOnlyDirection = undoes && (isPrefix || base.allSatisfy { $0.allSatisfy(\.isNumber) })
  }
}

/// The marks that file managers, cloud folders and merge tools add to the name of a copy.
enum CopyMark {
  /// The word for a copy in the languages of file managers.
  private static let copy: Set = Set(
    """
    copy kopie copie copia cópia còpia kopia kopi kopio kopya kopija koopia kópia másolat αντίγραφο копия копія копие копија \
    副本 的副本 复件 複本 複製 拷貝 拷贝 コピー のコピー 사본 복사본 bản sao สำเนา نسخة نسخ עותק
    """.split(separator: " ").map(String.init))
  /// The words that people and merge tools add to the name of a file with the same number.
  private static let old: Set = ["bak", "backup", "old", "orig", "original", "local", "remote"]
  private static let of: Set = ["of", "von", "van", "de", "di", "av", "af"]

  /// Notes which files are copies of others, according to their names.
  static func settle(_ found: inout [MigrationName]) {
    let paths = Dictionary(found.flatMap { file in stems(of: file).map { ($0, file.path) } }) { first, _ in first }
    for index in found.indices {
      let original = stems(of: found[index]).lazy.compactMap { Self.original(of: $0, in: paths) }.first
      if original != found[index].path { found[index].original = original }
    }
  }

  private static func stems(of file: MigrationName) -> [String] {
    let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
    return [file.identifier, name.dropping(".sql") ?? name]
  }

  private static func original(of stem: String, in paths: [String: String]) -> String? {
    let isNumbered = MigrationVersion(prefixOf: stem) != nil
    for index in stem.indices where " (.[~_-の的".contains(stem[index]) {
      if let path = paths[String(stem[..<index])], isMark(stem[index...], isNumbered: isNumbered) { return path }
      guard stem[index] == " ", let path = paths[String(stem[index...].dropFirst())] else { continue }
      let words = SectionHeading.words(of: String(stem[..<index]))
      if let first = words.first, copy.contains(first), words.count == 1 || of.contains(words[words.count - 1]) {
        return path
      }
    }
    return nil
  }

  /// - Parameter isNumbered: Whether the name has a number: a file beside `users` may well be named `users_backup`.
  private static func isMark(_ end: Substring, isNumbered: Bool) -> Bool {
    // `_LOCAL_1234`, of `git mergetool`, and `-DESKTOP-A1B2C3`, of OneDrive.
    if end.wholeMatch(of: /~|.(BASE|BACKUP|LOCAL|REMOTE)[^A-Za-z0-9]+[0-9]+|-(DESKTOP|LAPTOP)-.*/) != nil {
      return true
    }
    let words = SectionHeading.words(of: String(end))
    if words.contains(where: { $0.contains("conflict") }) {
      return !(end.hasPrefix("_") || end.hasPrefix("-")) || end.contains(/[0-9]{4}/)
    }
    if end.hasPrefix(".") { return end.wholeMatch(of: /\.(bak|mine|old|orig|rej)/.ignoresCase()) != nil }
    let isJoined = end.hasPrefix("_") || end.hasPrefix("-")
    guard !words.isEmpty, isNumbered || !isJoined else { return false }
    // `name 2`, `name (1)`, `name copy`, `name - Copy (2)`, `name (another copy)`, `1_name_copy2`.
    let names = words.map { $0.filter { !$0.isNumber } }.filter { !$0.isEmpty }
    return names.allSatisfy { copy.contains($0) || isNumbered && old.contains($0) } && !(isJoined && names.isEmpty)
      || end.trimmingWhitespace.hasPrefix("(") && !copy.isDisjoint(with: words)
  }
}
