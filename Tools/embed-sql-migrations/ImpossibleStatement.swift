internal import SQLSyntax

/// A statement that no version of SQLite can run, as its first words or its parentheses show.
///
/// A build has no database: whether the tables, columns and functions exist, tests of the migrations show.
struct ImpossibleStatement {
  /// The error, as the beginning of a sentence.
  let what: String
  let position: SQLTextPosition

  /// The words with which statements begin (https://www.sqlite.org/lang.html), and those that may come next; any may come
  /// next after a word with an empty list.
  private static let beginnings: [String: Set<String>] = [
    "alter": ["table"], "analyze": [], "attach": [], "begin": [], "commit": [],
    "create": ["index", "table", "temp", "temporary", "trigger", "unique", "view", "virtual"], "delete": ["from"],
    "detach": [], "drop": ["index", "table", "trigger", "view"], "end": [], "explain": [], "insert": ["into", "or"],
    "pragma": [], "reindex": [], "release": [], "replace": ["into"], "rollback": [], "savepoint": [], "select": [],
    "update": [], "vacuum": [], "values": [], "with": [],
  ]

  /// Returns what is wrong with a statement; nil if it may run.
  static func find(_ statement: SQLStatement) -> ImpossibleStatement? {
    let tokenizer = SQLTokenizer(statement.text)
    let tokens = tokenizer.filter { !$0.isTrivia }
    func impossible(_ what: String, at offset: Int) -> ImpossibleStatement {
      ImpossibleStatement(what: what, position: statement.position(ofUTF8Offset: offset))
    }
    let first = tokens.prefix(2).map(tokenizer.text(of:))
    guard let word = first.first else { return nil }
    guard let next = beginnings[word.lowercased()] else {
      return impossible("`\(word)` begins no statement of SQLite", at: 0)
    }
    guard next.isEmpty || first.count > 1 && next.contains(first[1].lowercased()) else {
      return impossible("`\(first.joined(separator: " "))` begins no statement of SQLite", at: 0)
    }
    var open: [Int] = []
    for token in tokens {
      switch tokenizer.text(of: token) {
      case "(": open.append(token.range.lowerBound)
      case ")" where open.popLast() == nil:
        return impossible("a parenthesis is closed that was not opened", at: token.range.lowerBound)
      default: break
      }
    }
    return open.last.map { impossible("a parenthesis is never closed", at: $0) }
  }
}
