/// The marks that file managers, cloud folders and merge tools add to the name of a copy.
enum CopyMark {
  private static let copy: Set = ["copy", "kopie", "copie", "copia", "c\u{F3}pia", "kopia", "kopi", "\u{526F}\u{672C}"]
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
    for index in stem.indices where " (.[~_-".contains(stem[index]) {
      if let path = paths[String(stem[..<index])], isMark(stem[index...]) { return path }
      guard stem[index] == " ", let path = paths[String(stem[index...].dropFirst())] else { continue }
      let words = SectionHeading.words(of: String(stem[..<index]))
      if words.count > 1, copy.contains(words[0]), of.contains(words[words.count - 1]) { return path }
    }
    return nil
  }

  private static func isMark(_ end: Substring) -> Bool {
    let words = SectionHeading.words(of: String(end))
    guard let first = words.first else { return end == "~" }
    let isNumber = { (word: String) in word.allSatisfy(\.isNumber) }
    let saysConflict = words.contains { $0.contains("conflict") }
    // `_LOCAL_1234`, of `git mergetool`.
    if words.count == 2, isNumber(words[1]), ["BASE", "BACKUP", "LOCAL", "REMOTE"].contains(first.uppercased()),
      end == end.uppercased()
    {
      return true
    }
    if end.hasPrefix("_") || end.hasPrefix("-") {
      return end.hasPrefix("-DESKTOP-") || end.hasPrefix("-LAPTOP-")
        || saysConflict && words.contains { $0.count > 3 && isNumber($0) }
    }
    if saysConflict { return true }
    if end.hasPrefix(".") { return words.count == 1 && ["bak", "mine", "old", "orig", "rej"].contains(first) }
    // `name 2`, `name (1)`, `name copy`, `name - Copy (2)`, `name (another copy)`.
    return words.allSatisfy { isNumber($0) || copy.contains($0) }
      || end.trimmingWhitespace.hasPrefix("(") && !copy.isDisjoint(with: words)
  }
}
