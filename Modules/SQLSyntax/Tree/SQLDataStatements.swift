/// An `INSERT` or `REPLACE` (https://www.sqlite.org/lang_insert.html).
package struct SQLInsert: Sendable, Hashable {
  /// What happens to a row that conflicts with another (https://www.sqlite.org/lang_upsert.html).
  package struct Upsert: Sendable, Hashable {
    /// The columns of the key; empty when any key is meant.
    package var target: [SQLIndexedColumn] = []
    /// The condition of a partial index.
    package var targetCondition: SQLExpression?
    /// The columns that get other values; empty for `DO NOTHING`.
    package var assignments: [SQLAssignment] = []
    /// The condition of the update.
    package var condition: SQLExpression?
  }

  /// The tokens of the whole statement.
  package var tokens: Range<Int>
  /// The common table expressions before it.
  package var commonTables: [SQLCommonTable] = []
  /// The table.
  package var table: SQLQualifiedName
  /// The other name of the table.
  package var alias: SQLName?
  /// The columns that are given values; empty when all are.
  package var columns: [SQLName] = []
  /// The rows; nil for `DEFAULT VALUES`.
  package var select: SQLSelect?
  /// What happens upon conflicts.
  package var upserts: [Upsert] = []
  /// What the statement gives.
  package var returning: [SQLResultColumn] = []
}

/// Columns and the expression behind them in a `SET` list.
package struct SQLAssignment: Sendable, Hashable {
  /// The columns, several when they stand in parentheses.
  package let columns: [SQLName]
  /// Their value.
  package let value: SQLExpression
}

/// An `UPDATE` (https://www.sqlite.org/lang_update.html).
package struct SQLUpdate: Sendable, Hashable {
  /// The tokens of the whole statement.
  package var tokens: Range<Int>
  /// The common table expressions before it.
  package var commonTables: [SQLCommonTable] = []
  /// The table.
  package var table: SQLQualifiedName
  /// The other name of the table.
  package var alias: SQLName?
  /// What is set.
  package var assignments: [SQLAssignment] = []
  /// The tables behind `FROM`.
  package var sources: [SQLTableSource] = []
  /// WHERE, ORDER BY and LIMIT.
  package var expressions: [SQLExpression] = []
  /// What the statement gives.
  package var returning: [SQLResultColumn] = []
}

/// A `DELETE` (https://www.sqlite.org/lang_delete.html).
package struct SQLDelete: Sendable, Hashable {
  /// The tokens of the whole statement.
  package var tokens: Range<Int>
  /// The common table expressions before it.
  package var commonTables: [SQLCommonTable] = []
  /// The table.
  package var table: SQLQualifiedName
  /// The other name of the table.
  package var alias: SQLName?
  /// WHERE, ORDER BY and LIMIT.
  package var expressions: [SQLExpression] = []
  /// What the statement gives.
  package var returning: [SQLResultColumn] = []
}

/// A statement that reads or writes rows, such as one of a trigger's body.
package enum SQLDataStatement: Sendable, Hashable {
  /// A query.
  case select(SQLSelect)
  /// An insertion.
  case insert(SQLInsert)
  /// An update.
  case update(SQLUpdate)
  /// A deletion.
  case delete(SQLDelete)
}
