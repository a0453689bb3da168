internal import Migrator
internal import SQLSyntax

/// Spells names, values and fragments as SQL.
enum SQLSpelling {
  /// A name in double quotes, those inside doubled (https://www.sqlite.org/lang_keywords.html).
  static func identifier(_ name: String) -> String { name.quotedIdentifier }

  /// A name in quotes, qualified with that of its schema if one is given.
  static func identifier(_ name: String, in schema: String?) -> String {
    (schema.map { identifier($0) + "." } ?? "") + identifier(name)
  }

  /// The beginning of a statement that creates an object, up to the object's name.
  static func create(_ kind: String, _ name: String, isTemporary: Bool = false, ifNotExists: Bool) -> String {
    "CREATE \(isTemporary ? "TEMPORARY " : "")\(kind) \(ifNotExists ? "IF NOT EXISTS " : "")\(name)"
  }

  /// The keyword and name of a constraint, followed by a space; empty when it has no name.
  static func constraintName(_ name: String?) -> String { name.map { "CONSTRAINT \(identifier($0)) " } ?? "" }

  /// The columns of a key with their collation and order, in parentheses.
  static func keyColumns(_ columns: [KeyColumn]) -> String {
    "(\(columns.map(keyColumn).joined(separator: ", ")))"
  }

  /// A column of a key with its collation and order.
  static func keyColumn(_ column: KeyColumn) -> String {
    identifier(column.name) + (column.collation.map { " COLLATE \(identifier($0))" } ?? "")
      + (column.isDescending ? " DESC" : "")
  }

  /// Names in quotes, separated by commas, in parentheses.
  static func identifiers(_ names: [String]) -> String {
    "(\(names.map(identifier).joined(separator: ", ")))"
  }

  /// A text literal.
  static func text(_ text: String) -> String { DatabaseValue.text(text).sqlLiteral }

  /// A default's expression, in parentheses unless it is a literal or a bare word already
  /// (https://www.sqlite.org/lang_createtable.html#the_default_clause).
  static func defaultExpression(_ sql: String) -> String {
    let source = SQLSource(sql)
    let tokens = source.tokens
    if let first = tokens.first, first.isOperator("("), source.closing(of: 0) == tokens.count - 1 { return closed(sql) }
    let isSigned = tokens.count == 2 && (tokens[0].isOperator("-") || tokens[0].isOperator("+"))
    if tokens.count == 1 || isSigned && tokens[1].kind == .number { return closed(sql) }
    return "(\(closed(sql)))"
  }

  /// A fragment that more SQL may follow: a line comment at its end would hide that.
  static func closed(_ sql: String) -> String {
    let tokenizer = SQLTokenizer(sql)
    var last: SQLToken?
    for token in tokenizer { last = token }
    guard let last, last.kind == .comment else { return sql }
    return tokenizer.text(of: last).hasPrefix("--") ? sql + "\n" : sql
  }

  /// A fragment without the whitespace and comments at its end.
  ///
  /// `ADD COLUMN` keeps the text up to its end: a line comment there would hide what follows in the stored definition,
  /// and SQLite 3.15 does not notice that the file can no longer be read.
  static func trimmed(_ sql: String) -> String {
    let source = SQLSource(sql)
    guard let last = source.tokens.last else { return sql }
    return String(decoding: source.bytes[..<last.range.upperBound], as: UTF8.self)
  }
}
