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

/// The columns of a table of the main schema in which a statement can overwrite values that are there.
package struct SQLOverwriting: Sendable {
  /// The table.
  package let table: SQLQualifiedName
  /// The columns in ASCII lower case; empty for all columns.
  package var columns: [String] = []
  /// Whether the statement may leave a column empty, apart from what triggers do.
  package var mayEmpty = true
  /// The `FROM` and `WHERE` clauses of queries for the rows in which an `UPDATE` leaves a column empty, by column; nil if a query
  /// may select other rows than the statement.
  package var emptiedRows: [String: String]?
}

extension SQLStatementSummary {
  /// The columns in which the statement can overwrite values; nil for statements that change no rows, and for texts of
  /// 100,000 bytes or more, which are data.
  package var overwriting: SQLOverwriting? {
    guard sql.utf8.count < 100_000, ["update", "replace"].contains(where: sql.holdsWord) else { return nil }
    return (try? SQLTree(parsing: sql))?.overwriting
  }
}

extension SQLTree {
  /// The columns in which the statement can overwrite values; nil for statements that change no rows.
  package var overwriting: SQLOverwriting? {
    switch statement {
    case .data(.update(let update)) where [nil, "main"].contains(update.table.schema?.folded):
      var found = SQLOverwriting(table: update.table)
      // Another column of the row may receive the value.
      let moved = update.assignments.compactMap { $0.value.soleReference?.column.folded }
      var emptied: [String] = []
      for assignment in update.assignments {
        let value = SQLRowExpression(assignment.value, in: source)
        let columns = assignment.columns.map(\.folded).filter { !moved.contains($0) }
        found.columns += columns
        emptied += columns.filter { !(value?.isNeverEmpty(for: $0) ?? false) }
      }
      found.mayEmpty = !emptied.isEmpty
      found.emptiedRows = found.mayEmpty ? emptiedRows(update, emptied) : nil
      return found.columns.isEmpty ? nil : found
    case .data(.insert(let insert)) where [nil, "main"].contains(insert.table.schema?.folded):
      let overwrites = zip(source.tokens, source.tokens.dropFirst()).contains { token, next in
        token.isWord("replace") && !next.isOperator("(") || token.isWord("do") && next.isWord("update")
      }
      return overwrites ? SQLOverwriting(table: insert.table) : nil
    default: return nil
    }
  }

  /// A query for the rowids of the rows that a DELETE or UPDATE with a condition changes, and perhaps of some others, as one
  /// list; nil for other statements, and if the query may leave out rows that the statement changes.
  package var changedRowIDs: String? {
    let change: SQLRowChange
    switch statement {
    case .data(.delete(let found)), .data(.update(let found)): change = found
    default: return nil
    }
    guard isRepeatable, let condition = change.condition else { return nil }
    let first = (change.table.schema ?? change.table.name).token
    let last = (change.alias ?? change.table.name).token
    let verb = source.tokens[..<first].lastIndex { $0.isWord("delete") || $0.isWord("update") } ?? 0
    return "\(source.text(of: 0..<verb)) SELECT group_concat(rowid) FROM \(source.text(of: first..<last + 1)) "
      + "WHERE \(source.text(of: condition.tokens))"
  }

  private var isRepeatable: Bool {
    !source.tokens.contains { $0.kind == .variable || Self.unrepeatable.contains($0.folded) }
  }

  /// Returns the clauses of queries for the rows in which an UPDATE leaves each of some columns empty.
  private func emptiedRows(_ update: SQLRowChange, _ columns: [String]) -> [String: String]? {
    guard isRepeatable, update.sources.isEmpty, update.commonTables.isEmpty, update.limits.isEmpty else { return nil }
    let name = update.alias?.folded ?? update.table.name.folded
    let condition = update.condition.map { "(\(source.text(of: $0.tokens))) AND " } ?? ""
    var found: [String: String] = [:]
    for assignment in update.assignments {
      guard let column = assignment.columns.first?.folded, columns.contains(column) else { continue }
      guard assignment.columns.count == 1, let value = SQLRowExpression(assignment.value, in: source) else {
        return nil
      }
      let old = SQLRowExpression(column: column).text(of: name)
      // Few rows satisfy the first part, so that the second one is rarely tested.
      found[column] =
        "FROM main.\(update.table.name.folded.quotedIdentifier) AS \(name.quotedIdentifier) WHERE \(condition)"
        + "((\(value.text(of: name))) COLLATE BINARY <> '') IS NOT 1 AND \(old) COLLATE BINARY <> ''"
    }
    return found
  }

  /// The functions whose results are others when they are called again.
  private static let unrepeatable: Set = ["random", "randomblob", "changes", "total_changes", "last_insert_rowid"]
}
