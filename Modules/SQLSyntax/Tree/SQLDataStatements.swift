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
  /// The tokens of these tables and their joins.
  var sourceTokens = 0..<0
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

/// A query for the rows of a table that an UPDATE or DELETE changes, and perhaps for others.
package struct SQLRowQuery: Sendable {
  /// The name of the table in the query.
  package let name: String
  private let start: String
  private let clauses: String

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - start: The common table expressions.
  ///   - name: The name of the table in the query.
  ///   - clauses: The clauses after the results.
  package init(start: String = "", _ name: String, _ clauses: String) {
    (self.start, self.name, self.clauses) = (start, name, clauses)
  }

  /// Returns the text of the query with some results.
  package func text(_ results: String) -> String { "\(start) SELECT \(results) \(clauses)" }

  /// Returns a query for those of the rows whose column satisfies a condition, such as `= 1`.
  package func rows(where column: String, _ condition: String) -> SQLRowQuery {
    SQLRowQuery(start: start, name, "\(clauses) AND \(name.quotedIdentifier).\(column.quotedIdentifier) \(condition)")
  }
}

/// The columns of a table of the main schema in which a statement can overwrite values that are there.
package struct SQLOverwriting: Sendable {
  /// The table.
  package let table: SQLQualifiedName
  /// The columns in ASCII lower case; empty for all columns.
  package var columns: [String] = []
  /// The columns that an INSERT lists; nil for an UPDATE.
  package var inserted: [String]?
  /// Queries for the rows in which an UPDATE may leave a column empty, by column, apart from what triggers do.
  package var emptied: [String: SQLRowQuery] = [:]
  /// Queries for the rows in which an UPDATE replaces a value of a column by another one, by column, as far as they are known.
  package var changed: [String: SQLRowQuery] = [:]
  /// The columns that get NULL or an empty text in each row that is changed.
  package var cleared: Set<String> = []
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
      let name = update.sources.isEmpty ? nil : (update.alias ?? update.table.name).folded
      let isOfRow = { (column: SQLColumnReference) in name == nil || column.table?.folded == name }
      // Another column of the row may receive the value.
      let moved = update.assignments.compactMap(\.value.soleReference).filter(isOfRow).map(\.column.folded)
      for assignment in update.assignments {
        let value =
          assignment.value.references.allSatisfy(isOfRow) ? SQLRowExpression(assignment.value, in: source) : nil
        for column in assignment.columns.map(\.folded) where !moved.contains(column) {
          found.columns.append(column)
          if source.isEmptyValue(assignment.value) { found.cleared.insert(column) }
          let isKnown = isKnown(assignment, update)
          if isKnown {
            found.changed[column] = rows(of: update, changing: column, assignment) { "\($0) IS NOT \($1)" }
          }
          if value?.isNeverEmpty(for: column) ?? false { continue }
          found.emptied[column] = rows(
            of: update, changing: column, assignment, where: isKnown ? { new, _ in "(\(new) <> '') IS NOT 1" } : nil)
        }
      }
      return found.columns.isEmpty ? nil : found
    case .data(.insert(let insert)) where [nil, "main"].contains(insert.table.schema?.folded):
      let overwrites = zip(source.tokens, source.tokens.dropFirst()).contains { token, next in
        token.isWord("replace") && !next.isOperator("(") || token.isWord("do") && next.isWord("update")
      }
      guard overwrites else { return nil }
      return SQLOverwriting(table: insert.table, inserted: insert.columns.map(\.folded))
    default: return nil
    }
  }

  /// A query for the rows that a DELETE or UPDATE changes; nil for other statements.
  package var changedRows: SQLRowQuery? {
    switch statement {
    case .data(.delete(let change)), .data(.update(let change)): rows(of: change, [])
    default: nil
    }
  }

  /// Whether a query can compute the new value of a column before the UPDATE.
  ///
  /// A query in the value that reads the same table finds rows that the statement has changed before, unless these come from a
  /// FROM clause.
  private func isKnown(_ assignment: SQLAssignment, _ update: SQLRowChange) -> Bool {
    guard assignment.columns.count == 1, isRepeatable else { return false }
    return !update.sources.isEmpty
      || !assignment.value.tokens.contains { index in
        source.token(index)?.folded == update.table.name.folded && source.token(index + 1)?.isOperator(".") != true
          && source.token(index - 1).map { $0.isWord("from") || $0.isWord("join") || $0.isOperator(",") } ?? false
      }
  }

  /// Returns a query for the rows in which an UPDATE may replace a value of a column.
  ///
  /// - Parameters:
  ///   - condition: Returns a condition on the new and the old value; nil if the new one is not known.
  private func rows(
    of update: SQLRowChange, changing column: String, _ assignment: SQLAssignment,
    where condition: ((_ new: String, _ old: String) -> String)?
  ) -> SQLRowQuery {
    let old = "\((update.alias ?? update.table.name).value.quotedIdentifier).\(column.quotedIdentifier)"
    let new = "(\(source.text(of: assignment.value.tokens))) COLLATE BINARY"
    // Few rows satisfy the first condition, so that the other one is rarely tested.
    return rows(of: update, (condition.map { [$0(new, old)] } ?? []) + ["\(old) COLLATE BINARY <> ''"])
  }

  /// Returns a query for the rows that a statement changes and that satisfy some conditions; for all such rows if the
  /// statement may change others than a query finds.
  private func rows(of change: SQLRowChange, _ conditions: [String]) -> SQLRowQuery {
    let first = (change.table.schema ?? change.table.name).token
    let name = change.alias ?? change.table.name
    let table = "FROM \(source.text(of: first..<name.token + 1))"
    guard isRepeatable else {
      return SQLRowQuery(name.value, "\(table) WHERE \((["1"] + conditions).joined(separator: " AND "))")
    }
    let verb = source.tokens[..<first].lastIndex { $0.isWord("delete") || $0.isWord("update") } ?? 0
    let sources = change.sources.isEmpty ? "" : ", \(source.text(of: change.sourceTokens))"
    let all = [change.condition.map { "(\(source.text(of: $0.tokens)))" } ?? "1"] + conditions
    return SQLRowQuery(
      start: source.text(of: 0..<verb), name.value, "\(table)\(sources) WHERE \(all.joined(separator: " AND "))")
  }

  private var isRepeatable: Bool {
    !source.tokens.contains { $0.kind == .variable || Self.unrepeatable.contains($0.folded) }
  }

  /// The functions whose results are others when they are called again.
  private static let unrepeatable: Set = ["random", "randomblob", "changes", "total_changes", "last_insert_rowid"]
}

extension SQLSource {
  /// Returns whether an expression is NULL or an empty text.
  package func isEmptyValue(_ expression: SQLExpression) -> Bool {
    let tokens = tokens[expression.tokens]
    return tokens.count == 1 && tokens.first.map { $0.isWord("null") || $0.text == "''" } ?? false
  }
}
