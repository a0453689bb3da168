/// An `INSERT` or `REPLACE` statement (https://www.sqlite.org/lang_insert.html).
package struct SQLInsert: Sendable {
  /// An `ON CONFLICT` clause of an `INSERT` (https://www.sqlite.org/lang_upsert.html).
  struct Upsert: Sendable {
    /// The columns of the conflict target; empty if the clause names none, which means any unique key.
    var target: [SQLIndexedColumn] = []
    /// The `WHERE` condition of the conflict target, for a partial index.
    var targetCondition: SQLExpression?
    /// The assignments after `DO UPDATE SET`; empty for `DO NOTHING`.
    var assignments: [SQLAssignment] = []
    var condition: SQLExpression?
  }

  var commonTables: [SQLCommonTable] = []
  /// The table into which rows are inserted.
  package var table: SQLQualifiedName
  var alias: SQLName?
  /// The columns that receive values; empty if the statement lists none, which means all.
  package var columns: [SQLName] = []
  /// The query or `VALUES` clause that returns the rows; nil for `DEFAULT VALUES`.
  package var select: SQLSelect?
  var upserts: [Upsert] = []
  var returning: [SQLResultColumn] = []
}

/// An assignment in a `SET` list: the columns and the expression after `=`.
package struct SQLAssignment: Sendable {
  /// The assigned columns; more than one if they are in parentheses.
  package let columns: [SQLName]
  /// The expression.
  package let value: SQLExpression
}

/// An `UPDATE` (https://www.sqlite.org/lang_update.html) or a `DELETE` (https://www.sqlite.org/lang_delete.html).
package struct SQLRowChange: Sendable {
  var commonTables: [SQLCommonTable] = []
  /// The table whose rows are changed or deleted.
  package var table: SQLQualifiedName
  var alias: SQLName?
  /// The assignments of an `UPDATE`; empty for a `DELETE`.
  package var assignments: [SQLAssignment] = []
  /// The tables after the `FROM` of an `UPDATE`.
  package var sources: [SQLTableSource] = []
  /// The `WHERE` condition; nil if there is none.
  package var condition: SQLExpression?
  /// The expressions of ORDER BY and LIMIT.
  package var limits: [SQLExpression] = []
  var returning: [SQLResultColumn] = []
}

/// A statement that reads or writes rows, such as a statement in the body of a trigger.
package enum SQLDataStatement: Sendable {
  /// A `SELECT` or `VALUES` query.
  case select(SQLSelect)
  /// An `INSERT` or `REPLACE` statement.
  case insert(SQLInsert)
  /// An `UPDATE` statement.
  case update(SQLRowChange)
  /// A `DELETE` statement.
  case delete(SQLRowChange)
}

extension SQLStatementSummary {
  /// The table and the columns of which the statement can overwrite values that are there, empty for all columns; nil for
  /// statements that change no rows, and for texts of 100,000 bytes or more, which are data.
  package var overwrittenColumns: (table: SQLQualifiedName, columns: [String])? {
    guard sql.utf8.count < 100_000, ["update", "replace"].contains(where: sql.holdsWord),
      let syntax = try? SQLTree(parsing: sql)
    else { return nil }
    switch syntax.statement {
    case .data(.update(let update)):
      // Another column of the row may receive the value.
      let moved = update.assignments.compactMap { $0.value.soleReference?.column.folded }
      let columns = update.assignments.flatMap(\.columns).map(\.folded).filter { !moved.contains($0) }
      return columns.isEmpty ? nil : (update.table, columns)
    case .data(.insert(let insert)):
      let tokens = syntax.source.tokens
      let overwrites = zip(tokens, tokens.dropFirst()).contains { token, next in
        token.isWord("replace") && !next.isOperator("(") || token.isWord("do") && next.isWord("update")
      }
      return overwrites ? (insert.table, []) : nil
    default: return nil
    }
  }
}
