/// The comments with which other tools skip statements, run them under a condition, or decide the order of files.
enum OtherTools {
  /// Returns the comments with rules of a tool that are not followed here.
  static func rules(in comments: [ScriptComment]) -> [ScriptComment] {
    let known = comments.filter(\.isFirstOnLine).map { (comment: $0, first: $0.firstWord) }
    let isLiquibase = known.contains { $0.first == "liquibase" || isChangeset($0.comment) }
    return known.filter { comment, first in
      // https://atlasgo.io/versioned/checks, https://atlasgo.io/versioned/checkpoint
      if first.hasPrefix("atlas:") { return !["atlas:nolint", "atlas:sum", "atlas:txmode"].contains(first) }
      // https://www.npmjs.com/package/marv
      if first == "@marv" { return comment.content.contains(/skip(?!.*false)/.ignoresCase()) }
      guard isLiquibase else { return false }
      return ["precondition", "ignorelines"].contains(where: first.hasPrefix)
        || first == "property" && comment.content.contains("name:")
        || isChangeset(comment)
          && comment.content.matches(of: /(\w+)\s*:\s*("[^"]*"|'[^']*'|[^\s"']+)/).contains {
            isCondition($0.output.1.lowercased(), $0.output.2.filter { !"\"'".contains($0) }.lowercased())
          }
    }.map(\.comment)
  }

  /// Whether a comment is the heading of a changeset of Liquibase, such as `-- changeset author:id`.
  private static func isChangeset(_ comment: ScriptComment) -> Bool {
    comment.content.prefixMatch(of: /changeset\s+("[^"]*"|'[^']*'|[^\s:"']+):\S/.ignoresCase()) != nil
  }

  /// Whether an attribute of a changeset limits where, when or how its statements run
  /// (https://docs.liquibase.com/concepts/changelogs/sql-format.html).
  private static func isCondition(_ name: String, _ value: String) -> Bool {
    switch name {
    case "dbms":
      let systems = value.split(separator: ",").map(\.trimmingWhitespace)
      let isMeant = systems.contains { ["sqlite", "all"].contains($0) } || systems.allSatisfy { $0.hasPrefix("!") }
      return !isMeant || systems.contains("!sqlite")
    case "context", "contexts", "contextfilter", "labels", "runorder": return !value.isEmpty
    case "ignore": return value == "true"
    case "enddelimiter": return value != ";"
    default: return false
    }
  }

  /// Returns the identifiers of the migrations that a comment names, such as yoyo's `-- depends: 1_a 2_b` or Sqitch's
  /// `-- requires: a`; empty for other comments.
  static func requirements(of comment: ScriptComment) -> [String] {
    let first = comment.firstWord.drop { !$0.isLetter }.prefix { $0.isLetter }
    guard ["depends", "requires"].contains(first) else { return [] }
    let words = comment.content.split { $0.isWhitespace || ",:[]\"".contains($0) }.map(String.init)
    return words.dropFirst().filter { !["on", "and"].contains($0) }.map { $0.dropping(".sql") ?? $0 }
  }
}
