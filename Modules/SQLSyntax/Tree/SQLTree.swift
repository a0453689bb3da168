/// A statement of SQL, read into its parts.
///
///     let syntax = try SQLTree(parsing: "CREATE TABLE t(a INTEGER /* key */ PRIMARY KEY)")
///     guard case .createTable(let table) = syntax.statement else { return }
///     table.columns[0].name.value  // "a"
///     syntax.source.text(of: table.columns[0].tokens)  // "a INTEGER /* key */ PRIMARY KEY"
///
/// The grammar is that of the newest SQLite (https://www.sqlite.org/lang.html). What older versions lack is read all
/// the same, and the engine is left to refuse it.
package struct SQLTree: Sendable, Hashable {
  /// What a statement does, with its parts.
  package indirect enum Statement: Sendable, Hashable {
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
    /// Any other statement, whose parts are not read.
    case other
  }

  /// The text with its tokens.
  package let source: SQLSource
  /// The parts.
  package let statement: Statement
}

/// Why a statement could not be read, and where.
package struct SQLSyntaxError: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Kind: Hashable, Sendable {
    /// Something else had to come; in words, such as `a column's name`.
    case expected(String)
    /// Parentheses or queries are nested too deeply to be read (https://www.sqlite.org/limits.html#max_expr_depth).
    case tooDeep
  }

  /// What is wrong.
  package let kind: Kind
  /// The token that could not be read; nil at the end of the text.
  package let found: String?
  /// Where that token begins, in UTF-8 bytes of the text; its length at its end.
  package let utf8Offset: Int
}

extension SQLSyntaxError: CustomStringConvertible {
  /// One sentence with the place.
  package var description: String {
    let place = found.map { "near \"\($0)\"" } ?? "at the end"
    return switch kind {
    case .expected(let what): "expected \(what) \(place) (byte \(utf8Offset))"
    case .tooDeep: "nested too deeply \(place) (byte \(utf8Offset))"
    }
  }
}
