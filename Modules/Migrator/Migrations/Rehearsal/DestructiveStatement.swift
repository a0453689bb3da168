/// A statement of a migration that removes or changes more than single rows of what the database held before.
///
/// Tables that the migrations make themselves do not count.
public struct DestructiveStatement: Sendable, Hashable {
  /// What a statement does.
  public enum Effect: Sendable, Hashable {
    /// Removes a table with its rows, for good.
    case dropsTable(String)
    /// Removes a table in whose place another one of the same name is or was put: what was not copied is lost.
    case rebuildsTable(String)
    /// Removes a column with its values.
    case dropsColumn(table: String, column: String)
    /// Deletes all rows of a table.
    case deletesAllRows(table: String)
    /// Changes all rows of a table.
    case updatesAllRows(table: String)
    /// Allows the text of the schema to be edited, which can destroy everything.
    case allowsSchemaEditing
  }

  /// The migration that ran the statement.
  public let migration: String

  /// The statement, without the values that were bound to it.
  public let sql: String

  /// What it does.
  public internal(set) var effect: Effect
}

extension DestructiveStatement.Effect: CustomStringConvertible {
  /// The effect as a sentence without a subject.
  public var description: String {
    switch self {
    case .dropsTable(let table): "drops table \"\(table)\""
    case .rebuildsTable(let table): "rebuilds table \"\(table)\""
    case .dropsColumn(let table, let column): "drops column \"\(column)\" of table \"\(table)\""
    case .deletesAllRows(let table): "deletes all rows of table \"\(table)\""
    case .updatesAllRows(let table): "changes all rows of table \"\(table)\""
    case .allowsSchemaEditing: "allows the text of the schema to be edited"
    }
  }
}
