/// A name in a statement: one token, unquoted or in any of the four styles of quotes.
package struct SQLName: Sendable {
  /// The index of the token in ``SQLSource/tokens``.
  package let token: Int
  /// The name itself, without quotes.
  package let value: String
  /// The name with its ASCII letters in lower case; two names are equal in SQLite if these texts are equal.
  package var folded: String { value.asciiLowercased }
}

/// The name of a table, view, index or trigger, with the schema that precedes it, if any.
package struct SQLQualifiedName: Sendable {
  /// The schema, such as `main`; nil if none is given.
  package let schema: SQLName?
  /// The object's name without its schema.
  package let name: SQLName
}

/// A reference to a column in an expression: `column`, `table.column` or `schema.table.column`.
///
/// A name in double quotes is a string literal if no such column exists
/// (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
package struct SQLColumnReference: Sendable {
  /// The schema; nil if none is given.
  package let schema: SQLName?
  /// The table, its alias, `NEW` or `OLD`; nil if none is given.
  package let table: SQLName?
  /// The column.
  package let column: SQLName

  /// The tokens of the whole reference, including the dots.
  package var tokens: Range<Int> { (schema ?? table ?? column).token..<(column.token + 1) }
}
