/// A name as a statement has it: one token, a bare word or in any of the four styles of quotes.
package struct SQLName: Sendable, Hashable {
  /// The index of the token in ``SQLSource/tokens``.
  package let token: Int
  /// The name itself, without quotes.
  package let value: String
  /// The name with its ASCII letters in lower case, the form in which SQLite compares names.
  package var folded: String { value.asciiLowercased }
}

/// The name of a table, view, index or trigger, with that of its schema where the statement gives one.
package struct SQLQualifiedName: Sendable, Hashable {
  /// The schema, such as `main`; nil when none is given.
  package let schema: SQLName?
  /// The object's own name.
  package let name: SQLName

  /// The tokens of all parts, the dot included.
  package var tokens: Range<Int> { (schema?.token ?? name.token)..<(name.token + 1) }
}

/// A use of a column in an expression: `column`, `table.column` or `schema.table.column`.
///
/// A bare name in double quotes is a text where no such column exists
/// (https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted).
package struct SQLColumnReference: Sendable, Hashable {
  /// The schema; nil when none is given.
  package let schema: SQLName?
  /// The table, its other name, `NEW` or `OLD`; nil when none is given.
  package let table: SQLName?
  /// The column.
  package let column: SQLName

  /// The tokens of all parts, the dots included.
  package var tokens: Range<Int> { (schema ?? table ?? column).token..<(column.token + 1) }
}
