internal import SQLSyntax

/// What a statement does to a whole table, told from its tokens.
///
/// Names are unquoted and in their own case. Only tables of the main schema count; what concerns others has no effect
/// here.
package enum StatementEffect: Hashable {
  /// Makes a table, a virtual one too.
  case createTable(String)
  /// Removes a table with its rows.
  case dropTable(String)
  /// Removes a column with its values.
  case dropColumn(table: String, column: String)
  /// Gives a table another name.
  case renameTable(String, newName: String)
  /// Removes all rows of a table.
  case deleteAllRows(table: String)
  /// Changes all rows of a table.
  case updateAllRows(table: String)
  /// Allows the schema's own text to be changed (https://www.sqlite.org/pragma.html#pragma_writable_schema).
  case allowSchemaEditing
  /// None of these.
  case none

  /// Tells the effect of one statement.
  package init(of sql: String) {
    // Most statements are told by their first word, whatever their length.
    switch SQLStatement.leadingKeywords(of: sql, 1).first {
    case "CREATE": self = StatementWords(sql).created
    case "DROP": self = StatementWords(sql).dropped
    case "ALTER": self = StatementWords(sql).altered
    case "DELETE", "UPDATE": self = StatementWords(sql).changed(from: 0)
    case "WITH":
      let words = StatementWords(sql)
      self = words.endOfCommonTables.map { words.changed(from: $0) } ?? .none
    case "PRAGMA": self = Self.pragma(sql)
    default: self = .none
    }
  }

  /// The table whose presence matters for what the effect destroys.
  package var table: String? {
    switch self {
    case .dropTable(let table), .dropColumn(let table, _), .deleteAllRows(let table), .updateAllRows(let table): table
    case .createTable, .renameTable, .allowSchemaEditing, .none: nil
    }
  }

  private static func pragma(_ sql: String) -> StatementEffect {
    guard case .pragma("writable_schema", hasArgument: true, let value) = SQLStatementKind(of: sql) else {
      return .none
    }
    return ["1", "on", "true", "yes"].contains(value?.asciiLowercased ?? "") ? .allowSchemaEditing : .none
  }
}
