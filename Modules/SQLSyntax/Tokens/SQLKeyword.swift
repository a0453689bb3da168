/// Words that mean one thing bare and another in quotes (https://sqlite.org/lang_keywords.html).
enum SQLKeyword {
  /// Whether the bare word and the quoted identifier of the same letters may both stand in one place of valid SQL and
  /// differ in meaning, so that `a unique` (a constraint) is never taken for `a "unique"` (a type name).
  ///
  /// The word is given in lower case. Keywords that SQLite accepts as names (`%fallback ID` in its grammar: `key`,
  /// `action`, `desc` ...) are not among them, but for those that are values.
  static func differsFromIdentifier(_ word: String) -> Bool {
    reserved.contains(word) || joins.contains(word) || values.contains(word) || windows.contains(word)
  }

  /// Whether a bare word, given in lower case, can be no name where a name has to come (`nm` in SQLite's grammar).
  ///
  /// `nothing` and `returning` were names before they became keywords, and no statement has them where a name has to
  /// come.
  static func isReserved(_ word: String) -> Bool { reserved.contains(word) && !namesInPlace.contains(word) }

  /// Whether a bare word, given in lower case, may be a type's or another name without `AS` (`ids` in SQLite's
  /// grammar).
  static func isPlainName(_ word: String) -> Bool { !reserved.contains(word) && !joins.contains(word) }

  static func isJoin(_ word: String) -> Bool { joins.contains(word) }

  private static let namesInPlace: Set<String> = ["indexed", "nothing", "returning"]

  /// Keywords that SQLite never accepts as a bare name.
  private static let reserved: Set<String> = [
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit", "constraint",
    "create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape", "except", "exists", "foreign",
    "from", "group", "having", "in", "index", "indexed", "insert", "intersect", "into", "is", "isnull", "join", "limit",
    "not", "nothing", "notnull", "null", "on", "or", "order", "primary", "references", "returning", "select", "set",
    "table", "then", "to", "transaction", "union", "unique", "update", "using", "values", "when", "where",
  ]

  /// Words of a join: `a "left" join b` gives `a` another name, `a left join b` does not.
  private static let joins: Set<String> = ["cross", "full", "inner", "left", "natural", "outer", "right"]
  /// Names that are values when bare, and columns or texts in quotes.
  private static let values: Set<String> = ["current_date", "current_time", "current_timestamp", "false", "true"]
  /// Words that may follow a function's result, where a quoted one would rename it.
  private static let windows: Set<String> = ["filter", "over", "window"]
}
