internal import Migrator
internal import SQLSyntax

/// The parts of a statement at all depths, in the order of their first tokens as far as possible.
struct StatementParts {
  /// The queries.
  private(set) var selects: [SQLSelect] = []
  /// The insertions.
  private(set) var inserts: [SQLInsert] = []
  /// The updates.
  private(set) var updates: [SQLUpdate] = []
  /// The deletions.
  private(set) var deletes: [SQLDelete] = []
  /// The expressions; those inside others are in them.
  private(set) var expressions: [SQLExpression] = []

  init(_ syntax: SQLTree?) {
    switch syntax?.statement {
    case .createTable(let table): add(table)
    case .createIndex(let index): add(index.columns.map(\.expression) + [index.condition].compactMap(\.self))
    case .createView(let view): add(view.select)
    case .createTrigger(let trigger):
      add([trigger.condition].compactMap(\.self))
      trigger.body.forEach { add($0) }
    case .alterTable(let alteration): if case .addColumn(let column) = alteration.action { add(column) }
    case .data(let statement): add(statement)
    case .createVirtualTable, .drop, .other, nil: break
    }
  }

  private mutating func add(_ table: SQLCreateTable) {
    table.columns.forEach { add($0) }
    for constraint in table.constraints {
      if case .check(let expression, _) = constraint.kind { add([expression]) }
    }
    if let select = table.select { add(select) }
  }

  private mutating func add(_ column: SQLColumnSyntax) {
    for constraint in column.constraints {
      switch constraint.kind {
      case .check(let expression, _), .generated(let expression, _), .defaultValue(let expression): add([expression])
      default: break
      }
    }
  }

  private mutating func add(_ statement: SQLDataStatement) {
    switch statement {
    case .select(let select): add(select)
    case .insert(let insert): add(insert)
    case .update(let update):
      updates.append(update)
      add(update.commonTables)
      add(update.sources)
      add(update.assignments.map(\.value) + update.expressions)
      add(update.returning)
    case .delete(let delete):
      deletes.append(delete)
      add(delete.commonTables)
      add(delete.expressions)
      add(delete.returning)
    }
  }

  private mutating func add(_ insert: SQLInsert) {
    inserts.append(insert)
    add(insert.commonTables)
    if let select = insert.select { add(select) }
    for upsert in insert.upserts {
      add(upsert.target.map(\.expression) + upsert.assignments.map(\.value))
      add([upsert.targetCondition, upsert.condition].compactMap(\.self))
    }
    add(insert.returning)
  }

  private mutating func add(_ tables: [SQLCommonTable]) { tables.forEach { add($0.select) } }

  private mutating func add(_ results: [SQLResultColumn]) {
    for case .expression(let expression, _) in results { add([expression]) }
  }

  private mutating func add(_ sources: [SQLTableSource]) {
    for source in sources {
      switch source.kind {
      case .table: break
      case .function(_, let arguments): add(arguments)
      case .subquery(let select): add(select)
      case .join(let sources): add(sources)
      }
      if let condition = source.condition { add([condition]) }
    }
  }

  private mutating func add(_ select: SQLSelect) {
    selects.append(select)
    add(select.commonTables)
    for core in select.cores {
      add(core.results)
      add(core.sources)
      add(core.expressions)
    }
    add(select.orderBy + select.limit)
  }

  private mutating func add(_ list: [SQLExpression]) {
    for expression in list {
      expressions.append(expression)
      expression.subqueries.forEach { add($0) }
    }
  }
}
