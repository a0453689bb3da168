/// A feature of SQL that some versions of SQLite do not have.
package struct SQLFeature: Sendable {
  /// The feature's name, for messages.
  package let name: String
  /// The minor version of SQLite 3 that introduced it (https://www.sqlite.org/changes.html).
  package let minorVersion: Int

  /// Returns the features that a statement uses, the newest first; only those that versions from 3.8 lack are known.
  package static func used(by sql: String) -> [SQLFeature] {
    let tokens = SQLSource(sql).tokens
    var found: [SQLFeature] = []
    for index in tokens.indices {
      for (words, feature) in sequences where matches(words, tokens[index...]) { found.append(feature) }
      // A name before a parenthesis is a function.
      if tokens[index].kind == .word, index + 1 < tokens.count, tokens[index + 1].isOperator("("),
        let minor = functions[tokens[index].folded]
      {
        found.append(SQLFeature(name: "the function \(tokens[index].folded)", minorVersion: minor))
      }
    }
    if ordersArguments(tokens) {
      found.append(SQLFeature(name: "ORDER BY in an aggregate function", minorVersion: 44))
    }
    if updatesFrom(tokens) { found.append(SQLFeature(name: "UPDATE ... FROM", minorVersion: 33)) }
    if computesColumn(tokens) { found.append(SQLFeature(name: "generated columns", minorVersion: 31)) }
    if tokens.contains(where: { $0.folded.hasPrefix("trigram") && $0.folded.contains("remove_diacritics") }) {
      found.append(SQLFeature(name: "the trigram tokenizer's remove_diacritics", minorVersion: 45))
    }
    if isStrict(tokens) { found.append(SQLFeature(name: "STRICT", minorVersion: 37)) }
    return found.sorted { $0.minorVersion > $1.minorVersion }
  }

  /// Returns the feature that a message means which is not about syntax; nil if it means none.
  package static func named(inMessage message: String) -> SQLFeature? {
    let known: [(text: String, isWhole: Bool, feature: SQLFeature)] = [
      ("no such column: true", true, SQLFeature(name: "TRUE", minorVersion: 23)),
      ("no such column: false", true, SQLFeature(name: "FALSE", minorVersion: 23)),
      ("right and full outer joins are not", false, SQLFeature(name: "RIGHT JOIN or FULL JOIN", minorVersion: 39)),
      (
        "non-deterministic functions prohibited", false,
        SQLFeature(name: "a date function in an index", minorVersion: 20)
      ),
      ("no such table: sqlite_schema", true, SQLFeature(name: "the name sqlite_schema", minorVersion: 33)),
      ("no such table: main.sqlite_schema", true, SQLFeature(name: "the name sqlite_schema", minorVersion: 33)),
      ("no such table: sqlite_temp_schema", true, SQLFeature(name: "the name sqlite_temp_schema", minorVersion: 33)),
      ("no such table: json_each", true, SQLFeature(name: "the table json_each", minorVersion: 38)),
      ("no such table: json_tree", true, SQLFeature(name: "the table json_tree", minorVersion: 38)),
      ("no such tokenizer: trigram", true, SQLFeature(name: "the tokenizer trigram", minorVersion: 34)),
      ("no such table: pragma_", false, SQLFeature(name: "a PRAGMA in a query", minorVersion: 16)),
    ]
    let folded = message.asciiLowercased
    // A name may only begin with the keyword.
    if let known = known.first(where: { folded == $0.text || !$0.isWhole && folded.hasPrefix($0.text) }) {
      return known.feature
    }
    let quoted = folded.split(separator: "\"").dropFirst().first ?? ""
    if folded.hasPrefix("unrecognized option: "), let minor = fullTextOptions[String(quoted)] {
      return SQLFeature(name: "the FTS5 option \(quoted)", minorVersion: minor)
    }
    guard folded.hasPrefix("unrecognized token"), quoted.contains("_"), quoted.first?.isNumber ?? false else {
      return nil
    }
    return SQLFeature(name: "_ between digits", minorVersion: 46)
  }

  /// Whether the arguments of an aggregate function, which only a query can have, end with ORDER BY.
  private static func ordersArguments(_ tokens: [SQLSource.Token]) -> Bool {
    var isFunction: [Bool] = []
    for (index, token) in tokens.enumerated() {
      if token.isOperator("(") {
        let before = index > 0 ? tokens[index - 1] : token
        let isWord =
          before.kind == .word && !["over", "as", "in", "exists", "from", "not", "and", "or"].contains(before.folded)
        isFunction.append(isWord && index + 1 < tokens.count && !tokens[index + 1].isWord("order"))
      } else if token.isOperator(")") {
        _ = isFunction.popLast()
      } else if token.isWord("order"), index + 1 < tokens.count, tokens[index + 1].isWord("by"),
        isFunction.last ?? false, tokens[..<index].contains(where: { $0.isWord("select") })
      {
        return true
      }
    }
    return false
  }

  private static func updatesFrom(_ tokens: [SQLSource.Token]) -> Bool {
    guard tokens.first?.isWord("update") ?? false else { return false }
    var depth = 0
    return tokens.contains { token in
      depth += token.isOperator("(") ? 1 : token.isOperator(")") ? -1 : 0
      return depth == 0 && token.isWord("from")
    }
  }

  private static func matches(_ words: [String], _ tokens: ArraySlice<SQLSource.Token>) -> Bool {
    tokens.count >= words.count
      && zip(words, tokens).allSatisfy { word, token in token.isWord(word) || token.isOperator(word) || word == "*" }
  }

  /// Whether a definition of a table, or a column that is added to it, has `column AS (expression)`.
  private static func computesColumn(_ tokens: [SQLSource.Token]) -> Bool {
    guard let first = tokens.first, tokens.prefix(3).contains(where: { $0.isWord("table") }),
      first.isWord("alter") || !tokens.prefix(while: { !$0.isOperator("(") }).contains(where: { $0.isWord("as") })
    else { return false }
    let pairs = zip(tokens, tokens.dropFirst()).drop {
      first.isWord("create") ? !$0.0.isOperator("(") : !(first.isWord("alter") && $0.0.isWord("add"))
    }
    return pairs.contains { $0.isWord("as") && $1.isOperator("(") }
  }

  /// Whether the tokens end with the table option STRICT.
  private static func isStrict(_ tokens: [SQLSource.Token]) -> Bool {
    guard let last = tokens.lastIndex(where: { $0.isOperator(")") }), tokens.first?.isWord("create") ?? false,
      tokens.prefix(3).contains(where: { $0.isWord("table") })
    else { return false }
    return tokens[last...].contains { $0.isWord("strict") }
  }

  private static let sequences: [(words: [String], feature: SQLFeature)] = [
    (["rename", "column"], SQLFeature(name: "RENAME COLUMN", minorVersion: 25)),
    (["drop", "column"], SQLFeature(name: "DROP COLUMN", minorVersion: 35)),
    (["returning"], SQLFeature(name: "RETURNING", minorVersion: 35)),
    (["on", "conflict", "("], SQLFeature(name: "ON CONFLICT DO (upsert)", minorVersion: 24)),
    (["on", "conflict", "do"], SQLFeature(name: "ON CONFLICT DO (upsert)", minorVersion: 24)),
    (["window", "*", "as", "("], SQLFeature(name: "WINDOW (window functions)", minorVersion: 25)),
    (["rtree", "(", "*", ",", "*", ",", "*", ",", "+"], SQLFeature(name: "a + column of an R-tree", minorVersion: 24)),
    (["over", "("], SQLFeature(name: "OVER (window functions)", minorVersion: 25)),
    (["generated", "always", "as"], SQLFeature(name: "generated columns", minorVersion: 31)),
    ([")", "stored"], SQLFeature(name: "generated columns", minorVersion: 31)),
    (["groups", "between"], SQLFeature(name: "GROUPS in a window", minorVersion: 28)),
    (["groups", "unbounded"], SQLFeature(name: "GROUPS in a window", minorVersion: 28)),
    (["groups", "current"], SQLFeature(name: "GROUPS in a window", minorVersion: 28)),
    (["vacuum", "into"], SQLFeature(name: "VACUUM INTO", minorVersion: 27)),
    (["vacuum", "*", "into"], SQLFeature(name: "VACUUM INTO", minorVersion: 27)),
    (["nulls", "first"], SQLFeature(name: "NULLS FIRST", minorVersion: 30)),
    (["nulls", "last"], SQLFeature(name: "NULLS LAST", minorVersion: 30)),
    (["filter", "("], SQLFeature(name: "FILTER", minorVersion: 30)),
    (["as", "materialized"], SQLFeature(name: "AS MATERIALIZED", minorVersion: 35)),
    (["as", "not", "materialized"], SQLFeature(name: "AS NOT MATERIALIZED", minorVersion: 35)),
    (["is", "distinct", "from"], SQLFeature(name: "IS DISTINCT FROM", minorVersion: 39)),
    (["is", "not", "distinct", "from"], SQLFeature(name: "IS NOT DISTINCT FROM", minorVersion: 39)),
    (["right", "join"], SQLFeature(name: "RIGHT JOIN", minorVersion: 39)),
    (["full", "join"], SQLFeature(name: "FULL JOIN", minorVersion: 39)),
    (["full", "outer", "join"], SQLFeature(name: "FULL JOIN", minorVersion: 39)),
    (["->"], SQLFeature(name: "the operator ->", minorVersion: 38)),
    (["->>"], SQLFeature(name: "the operator ->>", minorVersion: 38)),
    (["alter", "column", "*", "set", "not"], SQLFeature(name: "ALTER COLUMN", minorVersion: 53)),
    (["alter", "column", "*", "drop", "not"], SQLFeature(name: "ALTER COLUMN", minorVersion: 53)),
    (["drop", "constraint"], SQLFeature(name: "DROP CONSTRAINT (of CHECK and NOT NULL only)", minorVersion: 53)),
  ]

  /// The options of full-text tables that versions with FTS5 lack (https://www.sqlite.org/fts5.html).
  private static let fullTextOptions = [
    "contentless_delete": 43, "tokendata": 45, "locale": 47, "contentless_unindexed": 47,
  ]

  private static let functions: [String: Int] = [
    "iif": 32, "format": 38, "unixepoch": 38, "json": 38, "json_extract": 38, "json_object": 38, "json_array": 38,
    "json_group_array": 38, "json_each": 38, "json_valid": 38, "json_set": 38, "json_type": 38, "octet_length": 43,
    "timediff": 43, "concat": 44, "concat_ws": 44, "string_agg": 44, "jsonb": 45, "unhex": 41, "row_number": 25,
    "if": 48, "unistr": 50, "unistr_quote": 50, "ceil": 35, "ceiling": 35, "floor": 35, "trunc": 35, "pow": 35,
    "sign": 35, "acos": 35, "asin": 35, "atan": 35, "atan2": 35, "cos": 35, "sin": 35, "tan": 35, "degrees": 35,
    "radians": 35, "substring": 34, "json_tree": 38, "json_group_object": 38, "json_insert": 38, "json_replace": 38,
    "json_remove": 38, "json_patch": 38, "json_quote": 38, "json_array_length": 38, "json_error_position": 42,
    "json_pretty": 46, "rank": 25, "dense_rank": 25, "ntile": 25, "lag": 25, "lead": 25, "first_value": 25,
    "last_value": 25, "nth_value": 25, "percent_rank": 25, "cume_dist": 25, "power": 35,
    "sqrt": 35, "exp": 35, "ln": 35, "log": 35, "log10": 35, "log2": 35, "mod": 35, "pi": 35,
  ]
}
