internal import SQLSyntax

/// The parts into which the headings of a file divide it, for a file without the markers of a known tool.
///
/// Only an up heading and a down heading of one known tool divide a file: the part below is then not run. Everything else
/// that seems to undo the migration is refused: to run it would undo the migration, and to skip it could lose a part of it.
struct HeadedParts {
  /// The offset of the up heading; nil if the file has no parts.
  private(set) var upOffset: Int?
  /// The offset at which the forward part ends; nil if the whole file is the forward part.
  private(set) var downOffset: Int?
  /// The heading at which the forward part ends; nil if the whole file is the forward part.
  private(set) var downHeading: ScriptComment?
  private(set) var problems: [MigrationProblem] = []
  /// The offset of the statement below the comment that was refused last; nil for none.
  private var lastRefused: Int?
  private let path: String
  /// The comments of the forward part that begin a line.
  private var comments: [ScriptComment]
  /// The forward part.
  private var text: Substring.UTF8View

  /// Reads the headings of a file.
  ///
  /// - Parameters:
  ///   - isMarked: Whether the comments of a known tool divide the file; down headings are then refused, since that tool
  ///     does not know them.
  ///   - hasDown: Whether one of these comments begins the part that undoes the migration; no other one is then expected.
  init(_ comments: [ScriptComment], of text: Substring.UTF8View, isMarked: Bool, hasDown: Bool, path: String) {
    // Liquibase's `--rollback` is followed by its statement, in the comment itself.
    let isLiquibase = comments.first.map { $0.content.lowercased().hasPrefix("liquibase formatted sql") } ?? false
    self.comments = comments.filter { comment in
      let word = comment.words.first?.lowercased() ?? ""
      return comment.isFirstOnLine && !(isLiquibase && word == "rollback") && !word.hasPrefix("migrator:")
    }
    (self.path, self.text) = (path, text)
    if !isMarked { divide(self.comments.compactMap { SectionHeading($0) }.filter { isBetweenStatements($0.comment) }) }
    review(hasUp: isMarked || upOffset != nil, hasDown: hasDown || downOffset != nil)
  }

  // MARK: Pairs

  /// Divides the file at an up heading and a down heading of one tool.
  private mutating func divide(_ headings: [SectionHeading]) {
    let ups = headings.filter { $0.direction == .up }
    let numbers = Set(ups.compactMap(\.number))
    if numbers.count > 1, let second = ups.first(where: { $0.number != ups[0].number }) {
      return refuse(second.comment, .severalMigrations(second.comment.shown))
    }
    if let divider = headings.first(where: { $0.direction == .divider }) { return end(at: divider.comment) }
    guard let up = ups.first else { return }
    let down = headings.first { $0.direction == .down && $0.follows(up) && $0.tool == up.tool }
    guard let down else { return reviewMisspelled(after: up) }
    let forward = statements(from: up.comment.utf8Range.upperBound, to: down.comment.utf8Range.lowerBound)
    guard !forward.isEmpty else { return }
    if up.isLoose || down.isLoose,
      !MadeObject.isUndone(forward, by: statements(from: down.comment.utf8Range.upperBound))
    {
      return refuse(down.comment, .undoHeading(down.comment.shown))
    }
    if let second = ups.first(where: { $0.follows(down) && !$0.isLoose }) {
      refuse(second.comment, .severalMigrations(second.comment.shown))
    }
    upOffset = up.comment.utf8Range.lowerBound
    end(at: down.comment)
  }

  private mutating func end(at heading: ScriptComment) {
    let offset = heading.utf8Range.lowerBound
    (downOffset, downHeading, text) = (offset, heading, text.prefix(offset))
    comments.removeAll { $0.utf8Range.lowerBound >= offset }
  }

  /// Refuses a heading after an up heading that is a misspelled "down".
  private mutating func reviewMisspelled(after up: SectionHeading) {
    let misspelled = comments.first { comment in
      guard comment.position > up.comment.position else { return false }
      let words = SectionHeading.words(of: comment.content)
      guard let word = words.first, words.count == 1, !SectionHeading.meansApplying(word) else { return false }
      return ["down", "undo", "revert", "rollback"].contains { Suggestion.distance(from: word, to: $0) == 1 }
    }
    guard let misspelled, next(after: misspelled) != nil else { return }
    refuse(misspelled, .undoHeading(misspelled.shown))
  }

  // MARK: Single comments

  /// Refuses each comment of the forward part above statements that seem to undo the migration.
  ///
  /// A heading without other words is refused for its words. Of other comments, the statements decide: they remove what the
  /// file has made, or, in a file with an up heading and no other down heading, they only remove.
  private mutating func review(hasUp: Bool, hasDown: Bool) {
    var hasUp = hasUp
    var ups: Set<[String]> = []
    var found: [SQLStatement]?
    for comment in comments {
      let words = SectionHeading.words(of: comment.content)
      if SectionHeading.isUp(words, comment.content) { hasUp = true }
      if words.contains("up") {
        ups.insert(words)
        if SectionHeading(comment)?.direction == .up { hasUp = true }
      }
      let undoing = words.filter(SectionHeading.meansUndoing)
      if !undoing.isEmpty, SectionHeading.headsUndoing(words, comment.content) {
        if isBetweenStatements(comment) { review(heading: comment, words) }
        continue
      }
      let isTitled = !undoing.isEmpty || SectionHeading.saysOnlyDrop(words)
      guard hasUp || isTitled else { continue }
      let statements = found ?? (try? SQLStatementSplitter.split(text(upTo: text.count))) ?? []
      found = statements
      let offset = comment.utf8Range.lowerBound
      // A comment inside a statement, such as one in the body of a trigger, heads no part.
      guard let start = statements.firstIndex(where: { $0.utf8Range.lowerBound > offset }), start > 0,
        statements[start - 1].utf8Range.upperBound <= offset,
        isTitled || SQLStatementStartWords(statements[start].text).drops
      else { continue }
      let (above, below) = (statements[..<start].map(\.text), statements[start...].map(\.text))
      let saysUndoing = !hasDown && !undoing.isEmpty && SectionHeading.negations.isDisjoint(with: words)
      let isPaired = saysUndoing && (hasUp || ups.contains(words.map { $0 == "down" ? "up" : $0 }))
      if MadeObject.isRemoved(above, by: below, says: undoing)
        || isPaired && (below.allSatisfy { SQLStatementStartWords($0).drops } || MadeObject.isUndone(above, by: below))
      {
        refuse(comment, .undoHeading(comment.shown))
      }
    }
  }

  /// Refuses a down heading above statements, unless it clearly describes something else than the part below it.
  private mutating func review(heading: ScriptComment, _ words: [String]) {
    guard let next = next(after: heading) else { return }
    let statement = SQLStatementStartWords(next.text)
    // A comment that names its statement: `-- rollback` above ROLLBACK TO.
    if words.contains("rollback"), statement.first == "rollback" { return }
    let between = comments.filter { comment in
      comment.utf8Range.lowerBound > heading.utf8Range.lowerBound && comment.utf8Range.lowerBound < next.offset
        && !SectionHeading.words(of: comment.content).isEmpty
    }
    let isFirst = statements(to: heading.utf8Range.lowerBound).isEmpty
    let headsDisabledStatements = between.contains {
      SQLStatementStartWords($0.content).isStatement && $0.content.hasSuffix(";")
    }
    if headsDisabledStatements, isFirst || !statement.drops { return }
    // A note about the rollback at the beginning of a file.
    if isFirst, !between.isEmpty, !statement.drops { return }
    refuse(heading, .undoHeading(heading.shown))
  }

  private mutating func refuse(_ comment: ScriptComment, _ kind: MigrationProblem.Kind) {
    // Several comments above one statement are one part.
    let next = next(after: comment)?.offset
    guard next == nil || next != lastRefused else { return }
    lastRefused = next
    problems.append(MigrationProblem(kind, path: path, position: comment.position))
  }

  // MARK: Positions

  private func text(upTo offset: Int) -> String { String(decoding: text.prefix(offset), as: UTF8.self) }

  /// Returns the statements between two offsets; none if the text cannot be split.
  private func statements(from start: Int = 0, to end: Int? = nil) -> [String] {
    let part = String(decoding: text.prefix(end ?? text.count).dropFirst(start), as: UTF8.self)
    return (try? SQLStatementSplitter.split(part))?.map(\.text) ?? []
  }

  /// Returns the first statement after a comment, and its offset; nil if there is none.
  private func next(after comment: ScriptComment) -> (text: String, offset: Int)? {
    let rest = Array(text.dropFirst(comment.utf8Range.upperBound))
    guard
      let start = SQLTokenizer(bytes: rest).first(where: {
        !$0.isTrivia && rest[$0.range.lowerBound] != UInt8(ascii: ";")
      })
    else { return nil }
    let script = String(decoding: rest[start.range.lowerBound...], as: UTF8.self)
    // Text that cannot be split is not run; its beginning suffices here.
    let statement = (try? SQLStatementSplitter.split(script))?.first?.text ?? script
    return (statement, comment.utf8Range.upperBound + start.range.lowerBound)
  }

  /// Whether a comment is neither in a statement nor in the body of a trigger; a missing semicolon before the comment
  /// does not count.
  private func isBetweenStatements(_ comment: ScriptComment) -> Bool {
    let above = text(upTo: comment.utf8Range.lowerBound)
    guard let statements = try? SQLStatementSplitter.split(above) else { return false }
    guard let last = statements.last else { return true }
    let rest = above.utf8.dropFirst(last.utf8Range.upperBound)
    if SQLTokenizer(bytes: Array(rest)).contains(where: { !$0.isTrivia }) { return true }
    var depth = 0
    for token in SQLTokenizer(last.text) where token.kind == .operator {
      let byte = last.text.utf8[last.text.utf8.index(last.text.startIndex, offsetBy: token.range.lowerBound)]
      depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
    }
    return depth == 0 && next(after: comment).map { SQLStatementStartWords($0.text).isStatement } ?? true
  }
}

extension SectionHeading {
  fileprivate func follows(_ other: SectionHeading) -> Bool { comment.position > other.comment.position }
}

/// A heading of a known tool: of the part of a file that makes a change, or of the part that undoes it.
///
/// Several tools divide a file in this way, each with its own punctuation: `-- Up`, `-- ==== UP ====`, `-- @up`, `-- !Ups`,
/// `-- Up Migration`, `-- 1 up`, `-- rambler up`. A heading is therefore recognized by its words.
struct SectionHeading {
  enum Direction {
    case up
    case down
    /// The forward part is above, the part that undoes it is below, and no heading is needed above.
    case divider
  }

  let comment: ScriptComment
  let direction: Direction
  /// The words beside the direction, which both headings of a pair have; Mojo writes the number of the migration.
  let tool: String
  /// The number of the migration; nil if there is none.
  var number: String? { Self.isNumber(tool) ? tool : nil }
  /// Whether other words follow the direction, as some tools allow; the statements then decide whether it is a heading.
  let isLoose: Bool

  /// Reads a comment; nil if it is not a heading of a known tool.
  init?(_ comment: ScriptComment) {
    let words = Self.words(of: comment.content)
    self.comment = comment
    guard words.contains(where: Self.headingWords.contains) else { return nil }
    // tern (https://github.com/jackc/tern#migrations) and MyBatis (https://mybatis.org/migrations/new.html).
    if words == ["create", "above", "drop", "below"]
      || ["//@undo", "@undo"].contains(comment.content.lowercased().filter { !$0.isWhitespace })
    {
      (direction, tool, isLoose) = (.divider, "", false)
      return
    }
    // aerich (https://github.com/tortoise/aerich).
    if let aerich = ["upgrade --": Direction.up, "downgrade --": .down][comment.content.lowercased()] {
      (direction, tool, isLoose) = (aerich, "aerich", false)
      return
    }
    let hasPrefix = words.first.map { $0 == "rambler" || Self.isNumber($0) } ?? false
    let prefix = hasPrefix ? words[0] : ""
    let rest = words.dropFirst(hasPrefix ? 1 : 0)
    guard let word = rest.first, ["up", "down", "ups", "downs"].contains(word) else { return nil }
    direction = word.hasPrefix("up") ? .up : .down
    let follower = rest.dropFirst().first
    let sign = comment.content.lowercased().drop { !$0.isLetter }.dropFirst(word.count).first
    switch (prefix, follower) {
    case (_, nil): (tool, isLoose) = (word.hasSuffix("s") ? "\(prefix)s" : prefix, false)
    case ("", "migration"): (tool, isLoose) = ("migration", false)
    case ("", _) where sign == ":": (tool, isLoose) = ("", true)
    case _ where Self.isNumber(prefix): (tool, isLoose) = (prefix, true)
    default: return nil
    }
  }
}

// The words that say that something is applied or undone.
extension SectionHeading {
  /// The words of which each heading of a known tool has one.
  private static let headingWords: Set = ["above", "down", "downgrade", "downs", "undo", "up", "upgrade", "ups"]
  private static let up: Set = ["up", "ups", "do", "apply", "forward", "forwards", "upgrade", "deploy", "install"]
  /// The words of undoing in all inflections, and arrows.
  private static let undoing: Set = {
    let stems = [
      "backout", "backward", "down", "downgrad", "invers", "revers", "revert", "rollback", "teardown", "unappl",
      "undeploy",
      "undid", "undo", "uninstall", "unmigrat",
    ]
    let endings = ["", "e", "ed", "es", "ing", "ne", "s", "ted", "y"]
    return Set(stems.flatMap { stem in endings.map { stem + $0 } } + ["\u{2193}", "\u{2B07}", "\u{25BC}"])
  }()
  private static let others: Set = [
    "migration", "migrations", "migrate", "section", "part", "script", "scripts", "step", "steps", "sql", "code",
    "block",
    "statement", "statements", "query", "queries", "change", "changes", "changeset", "begin", "start", "starts",
    "below",
    "here", "above", "goose", "dbmate", "rambler", "atlas", "tern", "shmig", "mig", "micrate", "bytebase", "version",
    "database", "db", "schema", "exports", "self", "def",
  ]
  /// Words that deny a direction, as in `-- this cannot be undone`.
  fileprivate static let negations: Set = ["cannot", "never", "no", "not", "t", "without"]
  /// Words that may surround an unmistakable direction, as in `-- SQL to run on downgrade` or `-- direction: down`.
  private static let fillers: Set = ["name", "direction", "phase", "region", "to", "run", "this", "on"]
  private static let unmistakable: Set = ["down", "undo", "rollback", "downgrade"]

  /// Whether a word of a file name or a comment means that something is undone, in any inflection.
  static func meansUndoing(_ word: String) -> Bool { undoing.contains(word) }

  /// Whether a word of a file name means that something is applied.
  static func meansApplying(_ word: String) -> Bool { up.contains(word) }

  /// Whether a comment is the heading of a part that makes a change, whatever the tool.
  fileprivate static func isUp(_ words: [String], _ content: String) -> Bool {
    let isPure = words.allSatisfy { up.contains($0) || others.contains($0) || isNumber($0) }
    return words.contains(where: up.contains) && (isPure || isAnnotation(words, content))
  }

  /// Whether a comment consists of "drop", beside words such as "statements".
  fileprivate static func saysOnlyDrop(_ words: [String]) -> Bool {
    words.contains("drop") && words.allSatisfy { $0 == "drop" || others.contains($0) || isNumber($0) }
  }

  /// Whether a comment with words of undoing has no other words than a heading has.
  fileprivate static func headsUndoing(_ words: [String], _ content: String) -> Bool {
    // A longer comment is prose, and an arrow alone may point to the next line.
    guard content.utf8.count <= 200, let first = words.first, first.first?.isASCII ?? false else { return false }
    let isClear = words.allSatisfy { !meansUndoing($0) || unmistakable.contains($0) }
    let isPure = words.allSatisfy { word in
      meansUndoing(word) || others.contains(word) || isNumber(word) || isClear && fillers.contains(word)
    }
    // The first line of a script in Sqitch's folder `revert`, `-- Revert flipr:users from sqlite`
    // (https://sqitch.org/docs/manual/sqitchtutorial-sqlite/).
    let parts = content.split(whereSeparator: \.isWhitespace)
    let isSqitch = first == "revert" && parts.count == 4 && parts[2] == "from"
    return isPure || isSqitch || isAnnotation(words, content) || isTitle(words, content)
  }

  /// Whether a comment is like one of goose: `-- +micrate Down`.
  private static func isAnnotation(_ words: [String], _ content: String) -> Bool {
    content.hasPrefix("+") && words.count == 2 && (up.contains(words[1]) || meansUndoing(words[1]))
  }

  /// Whether a comment is the title of a part that undoes a migration, which it names: `-- Rollback script for 2_users`,
  /// `-- 2_users.down.sql`, `-- 2_users (down)`.
  private static func isTitle(_ words: [String], _ content: String) -> Bool {
    if words.count > 3, meansUndoing(words[0]), ["migration", "script"].contains(words[1]),
      ["for", "of"].contains(words[2])
    {
      return true
    }
    let text = content.lowercased()
    return isNumber(words[0])
      && ["down", "undo", "rollback", "revert"].contains { word in
        [".\(word).sql", "(\(word))"].contains(where: text.hasSuffix)
      }
  }

  static func isNumber(_ word: String) -> Bool {
    let digits = word.first == "v" ? word.dropFirst() : word[...]
    return !digits.isEmpty && digits.allSatisfy(\.isNumber)
  }

  /// Returns the words of a comment or a file name in lower case.
  ///
  /// Punctuation separates them, and a capital letter after a small one begins a word. "Roll back" is one word, and so is
  /// an arrow.
  static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    var followsSmall = false
    // Characters would take three times as long, and all comments are read.
    for scalar in text.unicodeScalars {
      let (value, isASCII) = (scalar.value, scalar.isASCII)
      let isCapital = isASCII ? (0x41...0x5A).contains(value) : scalar.properties.isUppercase
      let isSmall = isASCII ? (0x61...0x7A).contains(value) : scalar.properties.isLowercase
      let isPart = isCapital || isSmall || (isASCII ? (0x30...0x39).contains(value) : scalar.properties.isIDContinue)
      if !word.isEmpty, !isPart || isCapital && followsSmall {
        words.append(String(word).lowercased())
        word.removeAll(keepingCapacity: true)
      }
      if isPart {
        word.append(scalar)
      } else if !isASCII, undoing.contains(String(scalar)) {
        words.append(String(scalar))
      }
      followsSmall = isSmall
    }
    if !word.isEmpty { words.append(String(word).lowercased()) }
    return words.reduce(into: []) { joined, word in
      let verb = joined.last ?? ""
      if word == "back", ["roll", "rolls", "rolled", "rolling"].contains(verb) {
        joined[joined.count - 1] = "rollback"
      } else if word == "out", ["back", "backs", "backed", "backing"].contains(verb) {
        joined[joined.count - 1] = "backout"
      } else {
        joined.append(word)
      }
    }
  }
}
