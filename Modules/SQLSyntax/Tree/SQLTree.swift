/// A parsed SQL statement.
///
///     let syntax = try SQLTree(parsing: "CREATE TABLE t(a INTEGER /* key */ PRIMARY KEY)")
///     guard case .createTable(let table) = syntax.statement else { return }
///     table.columns[0].name.value  // "a"
///     syntax.source.text(of: table.columns[0].tokens)  // "a INTEGER /* key */ PRIMARY KEY"
///
/// The grammar is that of the newest SQLite (https://www.sqlite.org/lang.html). It accepts clauses that older versions
/// do not support; the engine then rejects them.
package struct SQLTree: Sendable {
  /// A kind of statement, with its parts.
  package indirect enum Statement: Sendable {
    /// Creates a table.
    case createTable(SQLCreateTable)
    /// Creates an index.
    case createIndex(SQLCreateIndex)
    /// Creates a view.
    case createView(SQLCreateView)
    /// Creates a trigger.
    case createTrigger(SQLCreateTrigger)
    /// Creates a virtual table.
    case createVirtualTable(SQLCreateVirtualTable)
    /// Alters a table.
    case alterTable(SQLAlterTable)
    /// Drops an object.
    case drop(SQLDrop)
    /// Reads or writes rows.
    case data(SQLDataStatement)
    /// Any other statement, which is not parsed.
    case other
  }

  /// The text of the statement, with its tokens.
  package let source: SQLSource
  /// The kind of statement, with its parts.
  package let statement: Statement

  /// The name of the temporary table that the statement creates, in ASCII lower case; nil if it creates none.
  package var temporaryTable: String? {
    guard case .createTable(let table) = statement else { return nil }
    let isTemporary = table.name.schema?.folded == "temp" || ["temp", "temporary"].contains(source.tokens[1].folded)
    return isTemporary ? table.name.name.folded : nil
  }
}

/// The reason why a statement could not be parsed, with the position of the error.
package struct SQLSyntaxError: Error, Sendable {
  /// A kind of syntax error.
  package enum Kind: Sendable, Equatable {
    /// The parser expected another token; the text describes it, such as `a column's name`.
    case expected(String)
    /// Parentheses or queries are nested too deeply (https://www.sqlite.org/limits.html#max_expr_depth).
    case tooDeep
  }

  /// The kind of error.
  package let kind: Kind
  /// The unexpected token; nil at the end of the text.
  package let found: String?
  /// The offset of the unexpected token, in UTF-8 bytes; the length of the text if the text ended too early.
  package let utf8Offset: Int
}
