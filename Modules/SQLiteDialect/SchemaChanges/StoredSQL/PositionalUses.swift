internal import Migrator
internal import SQLSyntax

/// Tells whether a view or trigger depends on how many columns some tables have, and in which order.
///
/// A `*` does, where the columns that it stands for are taken by their places: in combined queries, behind `IN`, in
/// what is inserted, and under names that are listed. So does an insertion without a list of columns.
struct PositionalUses {
  /// The tables and the views on them, by their names in lower case.
  let tables: Set<String>

  private let source: SQLSource

  /// Whether a definition depends on it; one that cannot be read may.
  static func exist(in source: SQLSource, of tables: Set<String>) -> Bool {
    guard let syntax = try? SQLTree(source) else { return true }
    let uses = PositionalUses(tables: tables, source: source)
    return switch syntax.statement {
    case .createView(let view): uses.exist(in: view.select, isPositional: !view.columns.isEmpty)
    case .createTrigger(let trigger):
      trigger.condition.map { uses.exist(in: $0) } == true || trigger.body.contains { uses.exist(in: $0) }
    default: true
    }
  }

  private func exist(in statement: SQLDataStatement) -> Bool {
    switch statement {
    case .select(let select): exist(in: select, isPositional: false)
    case .insert(let insert):
      insert.columns.isEmpty && tables.contains(insert.table.name.folded)
        || insert.select.map { exist(in: $0, isPositional: true) } == true
        || insert.upserts.contains { upsert in
          upsert.assignments.contains { exist(in: $0.value) } || upsert.condition.map { exist(in: $0) } == true
        }
    case .update(let update):
      update.assignments.contains { exist(in: $0.value) } || update.expressions.contains { exist(in: $0) }
        || update.sources.contains { exist(in: $0, isPositional: false) }
    case .delete(let delete): delete.expressions.contains { exist(in: $0) }
    }
  }

  /// - Parameter isPositional: Whether what the query gives is taken by its place.
  private func exist(in select: SQLSelect, isPositional: Bool) -> Bool {
    let isPositional = isPositional || select.cores.count > 1
    return select.commonTables.contains { exist(in: $0.select, isPositional: isPositional || !$0.columns.isEmpty) }
      || select.cores.contains { exist(in: $0, isPositional: isPositional) }
      || (select.orderBy + select.limit).contains { exist(in: $0) }
  }

  private func exist(in core: SQLSelect.Core, isPositional: Bool) -> Bool {
    let hasStar = core.results.contains { if case .expression = $0 { false } else { true } }
    return core.sources.contains { exist(in: $0, isPositional: isPositional && hasStar) }
      || core.expressions.contains { exist(in: $0) }
      || core.results.contains { if case .expression(let expression, _) = $0 { exist(in: expression) } else { false } }
  }

  private func exist(in source: SQLTableSource, isPositional: Bool) -> Bool {
    if let condition = source.condition, exist(in: condition) { return true }
    return switch source.kind {
    case .table(let name): isPositional && tables.contains(name.name.folded)
    case .function(_, let arguments): arguments.contains { exist(in: $0) }
    case .subquery(let select): exist(in: select, isPositional: isPositional)
    case .join(let inner): inner.contains { exist(in: $0, isPositional: isPositional) }
    }
  }

  private func exist(in expression: SQLExpression) -> Bool {
    // `IN table` asks for a table of one column.
    expression.tables.contains { tables.contains($0.name.folded) }
      || expression.subqueries.contains { subquery in
        // EXISTS asks for rows and not for columns.
        let asksForRows = source.token(subquery.tokens.lowerBound - 2)?.isWord("exists") == true
        return exist(in: subquery, isPositional: !asksForRows)
      }
  }
}
