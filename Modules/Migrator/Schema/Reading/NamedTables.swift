package import SQLSyntax

/// Collects the tables and views that parsed SQL names, in the order of their first mention.
package struct NamedTables {
  package init() {}

  /// The names as they were written first.
  package private(set) var names: [String] = []
  private var seen: Set<String> = []

  /// The names that `WITH` gives to queries, which are no tables while they hold.
  private var commonNames: Set<String> = []

  /// Collects from a trigger's condition and statements.
  package mutating func add(_ trigger: SQLCreateTrigger) {
    if let condition = trigger.condition { add(condition) }
    for statement in trigger.body { add(statement) }
  }

  /// Collects from a query.
  package mutating func add(_ select: SQLSelect) {
    within(select.commonTables) { tables in
      for core in select.cores {
        for result in core.results {
          if case .expression(let expression, _) = result { tables.add(expression) }
        }
        for source in core.sources { tables.add(source) }
        for expression in core.expressions { tables.add(expression) }
      }
      for expression in select.orderBy + select.limit { tables.add(expression) }
    }
  }

  private mutating func add(_ statement: SQLDataStatement) {
    switch statement {
    case .select(let select): add(select)
    case .insert(let insert):
      add(insert.table)
      within(insert.commonTables) { tables in
        if let select = insert.select { tables.add(select) }
        for upsert in insert.upserts {
          for expression in [upsert.targetCondition, upsert.condition].compactMap({ $0 }) { tables.add(expression) }
          for assignment in upsert.assignments { tables.add(assignment.value) }
        }
      }
    case .update(let update):
      add(update.table)
      within(update.commonTables) { tables in
        for assignment in update.assignments { tables.add(assignment.value) }
        for source in update.sources { tables.add(source) }
        for expression in update.expressions { tables.add(expression) }
      }
    case .delete(let delete):
      add(delete.table)
      within(delete.commonTables) { tables in
        for expression in delete.expressions { tables.add(expression) }
      }
    }
  }

  private mutating func add(_ source: SQLTableSource) {
    switch source.kind {
    case .table(let name): add(name)
    case .function(_, let arguments): for argument in arguments { add(argument) }
    case .subquery(let select): add(select)
    case .join(let sources): for source in sources { add(source) }
    }
    if let condition = source.condition { add(condition) }
  }

  private mutating func add(_ expression: SQLExpression) {
    for table in expression.tables { add(table) }
    for select in expression.subqueries { add(select) }
  }

  private mutating func add(_ name: SQLQualifiedName) {
    let folded = name.name.folded
    if name.schema == nil, commonNames.contains(folded) { return }
    if seen.insert(folded).inserted { names.append(name.name.value) }
  }

  /// Collects from queries that have names, and from what may use these.
  private mutating func within(_ commonTables: [SQLCommonTable], _ body: (inout NamedTables) -> Void) {
    let outer = commonNames
    // A query may use those before it, and itself; one of a later name would be a table or an error.
    for table in commonTables {
      commonNames.insert(table.name.folded)
      add(table.select)
    }
    body(&self)
    commonNames = outer
  }
}
