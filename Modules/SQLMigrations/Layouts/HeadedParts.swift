internal import SQLSyntax

/// The parts into which the headings of a file divide it, for a file without the markers of a known tool.
///
/// An up heading before a down heading makes the text in between the forward part. A down heading without an up heading
/// is refused if statements follow it: to run them would undo the migration, and to skip them could lose a part of it.
struct HeadedParts {
  /// The offset of the up heading; nil if the file has no parts.
  private(set) var upOffset: Int?
  /// The offset at which the forward part ends; nil if the whole file is the forward part.
  private(set) var downOffset: Int?
  /// The heading at which the forward part ends; nil if the whole file is the forward part.
  private(set) var downHeading: ScriptComment?
  private(set) var problems: [MigrationProblem] = []
  private let path: String
  private let comments: [ScriptComment]
  private let text: Substring.UTF8View

  /// Reads the headings of a file.
  ///
  /// - Parameter isMarked: Whether the comments of a known tool divide the file; down headings are then refused, since
  ///   that tool does not know them.
  init(_ comments: [ScriptComment], of text: Substring.UTF8View, isMarked: Bool, path: String) {
    (self.path, self.comments, self.text) = (path, comments, text)
    let candidates = comments.filter(\.isFirstOnLine).compactMap(SectionHeading.init)
    guard !candidates.isEmpty else { return }
    let isLiquibase = comments.first.map { $0.content.lowercased().hasPrefix("liquibase formatted sql") } ?? false
    let headings = candidates.filter { heading in
      // Liquibase's `--rollback` is followed by its statement, in the comment itself.
      !(isLiquibase && heading.words == ["rollback"]) && isBetweenStatements(heading.comment)
    }
    if isMarked || !divide(headings) {
      for heading in headings where heading.direction != .up && !heading.isLoose { review(heading) }
    }
  }

  // MARK: Pairs

  /// Divides the file at an up heading and a down heading.
  /// - Returns: Whether the file is divided or refused; if not, its down headings are reviewed.
  private mutating func divide(_ headings: [SectionHeading]) -> Bool {
    let ups = headings.filter { $0.direction == .up }
    let numbers = Set(headings.compactMap { $0.direction == .up ? $0.number : nil })
    if numbers.count > 1, let second = ups.first(where: { $0.number != ups[0].number }) {
      refuse(second.comment, .severalMigrations(second.comment.shown))
      return true
    }
    if let divider = headings.first(where: { $0.direction == .divider }) {
      end(at: divider.comment)
      return true
    }
    guard let up = ups.first else { return false }
    let down = headings.first { $0.direction == .down && $0.follows(up) && (!$0.isLoose || $0.isLike(up)) }
    guard let down else { return reviewMisspelled(after: up) }
    if let early = headings.first(where: { $0.direction == .down && !$0.isLoose && !$0.follows(up) }) {
      refuse(early.comment, .invalidMarker(early.comment.content))
    }
    if let second = ups.first(where: { $0.follows(down) && !$0.isLoose }) {
      refuse(second.comment, .severalMigrations(second.comment.shown))
    }
    upOffset = up.comment.utf8Range.lowerBound
    end(at: down.comment)
    return true
  }

  private mutating func end(at heading: ScriptComment) {
    (downOffset, downHeading) = (heading.utf8Range.lowerBound, heading)
  }

  /// Refuses a heading after an up heading that is a misspelled "down".
  private mutating func reviewMisspelled(after up: SectionHeading) -> Bool {
    let misspelled = comments.first { comment in
      guard comment.isFirstOnLine, comment.position > up.comment.position else { return false }
      let words = SectionHeading.words(of: comment.content)
      guard let word = words.first, words.count == 1, !SectionHeading.meansApplying(word) else { return false }
      return ["down", "undo", "revert", "rollback"].contains { Suggestion.distance(from: word, to: $0) == 1 }
    }
    guard let misspelled, next(after: misspelled) != nil else { return false }
    refuse(misspelled, .undoHeading(misspelled.shown))
    return true
  }

  // MARK: Single headings

  /// Refuses a down heading above statements, unless it clearly describes something else than the part below it.
  private mutating func review(_ heading: SectionHeading) {
    guard let next = next(after: heading.comment) else { return }
    let statement = SQLStatementStartWords(next.text)
    // A comment that names its statement: `-- rollback` above ROLLBACK TO, `-- drop` above the drop of an old table.
    if heading.words.contains("rollback"), statement.first == "rollback" { return }
    if heading.words == ["drop"], statement.drops, !dropsOwn(next.text, before: heading.comment) { return }
    let between = comments.filter { comment in
      comment.utf8Range.lowerBound > heading.comment.utf8Range.lowerBound && comment.utf8Range.lowerBound < next.offset
        && !SectionHeading.words(of: comment.content).isEmpty
    }
    let isFirst = SQLTokenizer(bytes: Array(text.prefix(heading.comment.utf8Range.lowerBound))).allSatisfy(\.isTrivia)
    let headsDisabledStatements = between.contains {
      SQLStatementStartWords($0.content).isStatement && $0.content.hasSuffix(";")
    }
    if headsDisabledStatements, isFirst || !statement.drops { return }
    // A note about the rollback at the beginning of a file.
    if isFirst, !between.isEmpty, !statement.drops { return }
    refuse(heading.comment, .undoHeading(heading.comment.shown))
  }

  /// Whether a statement drops an object or a column that statements above a comment have made.
  private func dropsOwn(_ statement: String, before comment: ScriptComment) -> Bool {
    guard let dropped = MadeObject(droppedBy: statement),
      let above = try? SQLStatementSplitter.split(text(upTo: comment.utf8Range.lowerBound))
    else { return true }
    return above.contains { MadeObject(madeBy: $0.text) == dropped }
  }

  private mutating func refuse(_ comment: ScriptComment, _ kind: MigrationProblem.Kind) {
    problems.append(MigrationProblem(kind, path: path, position: comment.position))
  }

  // MARK: Positions

  private func text(upTo offset: Int) -> String { String(decoding: text.prefix(offset), as: UTF8.self) }

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

  /// Whether both headings are of the tool that allows other words after the direction.
  fileprivate func isLike(_ other: SectionHeading) -> Bool {
    (number != nil) == (other.number != nil) && isOfMigration == other.isOfMigration
  }

  private var isOfMigration: Bool { Self.words(of: comment.content).dropFirst().first == "migration" }
}

/// The first words of a statement, in lower case.
private struct SQLStatementStartWords {
  let first: String
  private let others: Set<String>

  init(_ sql: String) {
    let tokenizer = SQLTokenizer(String(sql.prefix(400)))
    let words = tokenizer.lazy.filter { $0.kind == .word }.map { tokenizer.text(of: $0).asciiLowercased }
    first = words.first { _ in true } ?? ""
    others = Set(words)
  }

  var isStatement: Bool {
    [
      "alter", "analyze", "begin", "commit", "create", "delete", "drop", "end", "insert", "pragma", "reindex",
      "release",
      "replace", "rollback", "savepoint", "select", "update", "vacuum", "with",
    ].contains(first)
  }

  /// Whether the statement removes an object, a column or rows.
  var drops: Bool { first == "drop" || first == "delete" || first == "alter" && others.contains("drop") }
}

/// A comment that is the heading of a part of a file: of the part that makes a change, or of the part that undoes it.
///
/// Dozens of tools divide a file in this way, each with its own punctuation: `-- Up`, `-- ==== UP ====`, `-- @up`,
/// `-- !Ups`, `-- Up Migration`, `-- 1 up`, `-- rambler up`. A heading is therefore recognized by its words. It consists
/// only of words for the direction, and of words such as "migration" and "section"; any other word makes it prose, such
/// as `-- drop the old table` or `-- look up the author`.
struct SectionHeading {
  enum Direction {
    case up
    case down
    /// The forward part is above, the part that undoes it is below, and no heading is needed above.
    case divider
  }

  let comment: ScriptComment
  let direction: Direction
  /// The words for the direction, in lower case.
  let words: Set<String>
  /// The number of the migration, which Mojo writes before the direction; nil if there is none.
  let number: String?
  /// Whether other words follow the direction, as some tools allow; such a heading counts only after an up heading.
  let isLoose: Bool

  private static let up: Set = [
    "up", "ups", "do", "apply", "forward", "forwards", "upgrade", "deploy", "install", "upsql", "migrateup", "gooseup",
    "onupgrade",
  ]
  private static let down: Set = [
    "down", "downs", "undo", "undos", "revert", "reverts", "rollback", "rollbacks", "reverse", "downgrade", "backward",
    "backwards", "backout", "unapply", "undeploy", "teardown", "drop", "uninstall", "unmigrate", "inverse", "reverting",
    "downsql", "migratedown", "goosedown", "ondowngrade",
  ]
  private static let others: Set = [
    "migration", "migrations", "migrate", "section", "part", "script", "scripts", "step", "steps", "sql", "code",
    "block",
    "statement", "statements", "query", "queries", "change", "changes", "changeset", "begin", "start", "below", "here",
    "goose", "dbmate", "rambler", "atlas", "tern", "shmig", "mig", "bytebase", "version", "database", "db", "schema",
    "exports", "self", "def",
  ]
  /// Words that may surround an unmistakable direction, as in `-- SQL to run on downgrade` or `-- direction: down`.
  private static let fillers: Set = ["name", "direction", "phase", "region", "to", "run", "this", "on"]
  private static let unmistakable: Set = ["up", "down", "undo", "rollback", "downgrade", "upgrade"]

  /// Whether a word of a file name or a heading means that something is undone.
  static func meansUndoing(_ word: String) -> Bool { down.contains(word) }

  /// Whether a word of a file name means that something is applied.
  static func meansApplying(_ word: String) -> Bool { up.contains(word) }

  /// Reads a comment; nil if it is not a heading.
  init?(_ comment: ScriptComment) {
    // A longer comment is prose.
    guard comment.content.utf8.count <= 200 else { return nil }
    let words = Self.words(of: comment.content)
    let directions = Set(words.filter { Self.up.contains($0) || Self.down.contains($0) })
    guard let first = words.first, !directions.isEmpty || Self.isDivider(words) else { return nil }
    let isUp = !directions.isDisjoint(with: Self.up)
    let isDown = !directions.isDisjoint(with: Self.down)
    let others = directions.isSubset(of: Self.unmistakable) ? Self.others.union(Self.fillers) : Self.others
    let isPure = words.allSatisfy { directions.contains($0) || others.contains($0) || Self.isNumber($0) }
    number = words.count > 1 && Self.isNumber(first) && ["up", "down"].contains(words[1]) ? first : nil
    (self.comment, self.words) = (comment, directions)
    if Self.isDivider(words) || Self.isMyBatisUndo(comment.content) {
      (direction, isLoose) = (.divider, false)
    } else if isPure, isUp != isDown {
      (direction, isLoose) = (isUp ? .up : .down, false)
    } else if Self.isSqitchRevert(words, comment.content) || Self.isTitle(words, comment.content) {
      (direction, isLoose) = (.down, false)
    } else if let direction = Self.looseDirection(words, comment.content) {
      (self.direction, isLoose) = (direction, true)
    } else {
      return nil
    }
  }

  /// Returns the words of a comment in lower case; punctuation separates them, and "roll back" is one word.
  static func words(of text: String) -> [String] {
    let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return words.reduce(into: []) { joined, word in
      if let last = joined.last, ["roll back", "tear down", "back out"].contains("\(last) \(word)") {
        joined[joined.count - 1] += word
      } else {
        joined.append(word)
      }
    }
  }

  private static func isNumber(_ word: String) -> Bool {
    let digits = word.first == "v" ? word.dropFirst() : word[...]
    return !digits.isEmpty && digits.allSatisfy(\.isNumber)
  }

  /// Whether the words are those of tern's `---- create above / drop below ----`, or like them
  /// (https://github.com/jackc/tern#migrations).
  private static func isDivider(_ words: [String]) -> Bool {
    words.count == 4 && words[1] == "above" && words[3] == "below" && (up.contains(words[0]) || words[0] == "create")
      && down.contains(words[2])
  }

  /// Whether a comment is MyBatis's `-- //@UNDO` (https://mybatis.org/migrations/new.html).
  private static func isMyBatisUndo(_ content: String) -> Bool {
    ["//@undo", "@undo"].contains(content.lowercased().filter { !$0.isWhitespace })
  }

  /// Whether a comment is the first line of a script in Sqitch's folder `revert`, `-- Revert flipr:users from sqlite`
  /// (https://sqitch.org/docs/manual/sqitchtutorial-sqlite/).
  private static func isSqitchRevert(_ words: [String], _ content: String) -> Bool {
    guard words.first == "revert" else { return false }
    let parts = content.split(whereSeparator: \.isWhitespace)
    return parts.count == 4 && parts[2] == "from"
  }

  /// Whether a comment is the title of a part that undoes a migration, which it names: `-- Rollback script for 2_users`,
  /// `-- 2_users.down.sql`, `-- 2_users (down)`.
  private static func isTitle(_ words: [String], _ content: String) -> Bool {
    if words.count > 3, down.contains(words[0]), ["migration", "script"].contains(words[1]),
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

  /// Returns the direction of a comment that begins like a heading of Mojo, node-sqlite or node-pg-migrate and goes on
  /// with other words; nil for other comments.
  private static func looseDirection(_ words: [String], _ content: String) -> Direction? {
    let rest = isNumber(words[0]) ? Array(words.dropFirst()) : words
    guard let first = rest.first, ["up", "down"].contains(first) else { return nil }
    let follower = content.lowercased().drop { !$0.isLetter }.dropFirst(first.count).first
    guard rest.count < words.count || rest.dropFirst().first == "migration" || follower == ":" else { return nil }
    return first == "up" ? .up : .down
  }
}
