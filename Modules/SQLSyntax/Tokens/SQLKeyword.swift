/// Keywords whose meaning depends on whether they are quoted (https://sqlite.org/lang_keywords.html).
enum SQLKeyword {
  /// Returns whether quoting a keyword changes its meaning in valid SQL: in `a unique`, the keyword is a constraint; in
  /// `a "unique"`, it is the name of a type.
  ///
  /// The keyword must be in lower case. Returns false for keywords that SQLite accepts as names (`%fallback ID` in its
  /// grammar), such as `key`, `action` and `desc`, except keywords that are values, such as `true`.
  static func differsFromIdentifier(_ word: String) -> Bool {
    reserved.contains(word) || joins.contains(word) || values.contains(word) || windows.contains(word)
  }

  /// Returns whether an unquoted keyword, in lower case, is not allowed where the grammar requires a name (rule `nm` in
  /// SQLite's grammar).
  ///
  /// `indexed`, `nothing` and `returning` can be names: where the grammar requires a name, no statement allows them as
  /// keywords.
  static func isReserved(_ word: String) -> Bool { reserved.contains(word) && !namesInPlace.contains(word) }

  /// Returns whether an unquoted token, in lower case, may be a type name or an alias without `AS` (`ids` in SQLite's
  /// grammar).
  static func isPlainName(_ word: String) -> Bool { !reserved.contains(word) && !joins.contains(word) }

  static func isJoin(_ word: String) -> Bool { joins.contains(word) }

  private static let namesInPlace: Set<String> = ["indexed", "nothing", "returning"]

  /// Keywords that SQLite never accepts as an unquoted name.
  private static let reserved: Set<String> = [
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate", "commit", "constraint",
    "create", "default", "deferrable", "delete", "distinct", "drop", "else", "escape", "except", "exists", "foreign",
    "from", "group", "having", "in", "index", "indexed", "insert", "intersect", "into", "is", "isnull", "join", "limit",
    "not", "nothing", "notnull", "null", "on", "or", "order", "primary", "references", "returning", "select", "set",
    "table", "then", "to", "transaction", "union", "unique", "update", "using", "values", "when", "where",
  ]

  /// Keywords that begin a join: in `a "left" join b`, the table `a` has an alias; in `a left join b`, it has none.
  private static let joins: Set<String> = ["cross", "full", "inner", "left", "natural", "outer", "right"]
  /// Keywords that are values when unquoted; when quoted, they are column names or strings.
  private static let values: Set<String> = ["current_date", "current_time", "current_timestamp", "false", "true"]
  /// Keywords that may follow a function call, where a quoted identifier would be an alias.
  private static let windows: Set<String> = ["filter", "over", "window"]
}
