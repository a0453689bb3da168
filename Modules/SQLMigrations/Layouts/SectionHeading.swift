internal import SQLSyntax

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

  private static let up: Set = ["up", "ups", "do", "apply", "forward", "forwards", "upgrade", "deploy"]
  private static let down: Set = [
    "down", "downs", "undo", "undos", "revert", "reverts", "rollback", "rollbacks", "reverse", "downgrade", "backward",
    "backwards", "backout", "unapply", "undeploy", "teardown", "drop",
  ]
  private static let others: Set = [
    "migration", "migrations", "migrate", "section", "part", "script", "scripts", "step", "steps", "sql", "code",
    "block",
    "statement", "statements", "query", "queries", "change", "changes", "changeset", "begin", "start", "below", "here",
    "goose", "dbmate", "rambler", "version", "database", "db", "schema",
  ]

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
    let isPure = words.allSatisfy { directions.contains($0) || Self.others.contains($0) || Self.isNumber($0) }
    number = words.count > 1 && Self.isNumber(first) && ["up", "down"].contains(words[1]) ? first : nil
    (self.comment, self.words) = (comment, directions)
    if Self.isDivider(words) || Self.isMyBatisUndo(comment.content) {
      (direction, isLoose) = (.divider, false)
    } else if isPure, isUp != isDown {
      (direction, isLoose) = (isUp ? .up : .down, false)
    } else if Self.isSqitchRevert(words, comment.content) {
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
      if let last = joined.last, ["roll back", "tear down"].contains("\(last) \(word)") {
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
