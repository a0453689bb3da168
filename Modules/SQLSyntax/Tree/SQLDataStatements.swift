/// An `INSERT` or `REPLACE` (https://www.sqlite.org/lang_insert.html).
package struct SQLInsert: Sendable, Hashable {
  /// The treatment of a row that conflicts with another (https://www.sqlite.org/lang_upsert.html).
  struct Upsert: Sendable, Hashable {
    /// The columns of the key; empty for any key.
    var target: [SQLIndexedColumn] = []
    /// The condition of a partial index.
    var targetCondition: SQLExpression?
    /// The columns to set; empty for `DO NOTHING`.
    var assignments: [SQLAssignment] = []
    var condition: SQLExpression?
  }

  var commonTables: [SQLCommonTable] = []
  /// The table.
  package var table: SQLQualifiedName
  var alias: SQLName?
  /// The columns that get values; empty for all.
  package var columns: [SQLName] = []
  /// The rows; nil for `DEFAULT VALUES`.
  var select: SQLSelect?
  var upserts: [Upsert] = []
  var returning: [SQLResultColumn] = []
}

/// Columns and the expression after them in a `SET` list.
package struct SQLAssignment: Sendable, Hashable {
  /// The columns; several if they are in parentheses.
  package let columns: [SQLName]
  /// The expression.
  package let value: SQLExpression
}

/// An `UPDATE` (https://www.sqlite.org/lang_update.html) or `DELETE` (https://www.sqlite.org/lang_delete.html).
package struct SQLRowChange: Sendable, Hashable {
  var commonTables: [SQLCommonTable] = []
  /// The table.
  package var table: SQLQualifiedName
  var alias: SQLName?
  /// The assignments of an update; empty for a deletion.
  package var assignments: [SQLAssignment] = []
  /// The tables after an update's `FROM`.
  var sources: [SQLTableSource] = []
  /// WHERE, ORDER BY and LIMIT.
  var expressions: [SQLExpression] = []
  var returning: [SQLResultColumn] = []
}

/// A statement that reads or writes rows, such as one of a trigger's body.
package enum SQLDataStatement: Sendable, Hashable {
  /// A query.
  case select(SQLSelect)
  /// An insertion.
  case insert(SQLInsert)
  /// An update.
  case update(SQLRowChange)
  /// A deletion.
  case delete(SQLRowChange)
}
