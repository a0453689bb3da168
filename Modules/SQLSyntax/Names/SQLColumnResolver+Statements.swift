extension SQLColumnResolver {
  /// Looks up the names of a trigger.
  mutating func resolve(_ trigger: SQLCreateTrigger) throws(SQLUncertainName) {
    let columns = try columns(of: trigger.table)
    if case .update(let names) = trigger.event { try resolve(names, columns) }
    let rows = ["new", "old"].map { Source(name: $0, columns: columns, isQualifiedOnly: true) }
    let frames = [Frame(sources: rows)]
    if let condition = trigger.condition { try resolve(condition, frames) }
    for statement in trigger.body { try resolve(statement, frames) }
  }

  /// Looks up the names of a statement.
  mutating func resolve(_ statement: SQLDataStatement, _ frames: [Frame]) throws(SQLUncertainName) {
    switch statement {
    case .select(let select): _ = try resolve(select, frames)
    case .insert(let insert): try resolve(insert, frames)
    case .update(let update):
      try open(update.commonTables, frames)
      defer { if !update.commonTables.isEmpty { commonTables.removeLast() } }
      let columns = try columns(of: update.table)
      let table = Source(name: (update.alias ?? update.table.name).folded, columns: columns)
      let inner = frames + [Frame(sources: [table] + (try sources(update.sources, frames)))]
      try resolveJoins(update.sources, inner)
      try resolve(update.assignments, columns, inner)
      for expression in update.expressions { try resolve(expression, inner) }
      for case .expression(let expression, _) in update.returning { try resolve(expression, inner) }
    case .delete(let delete):
      try open(delete.commonTables, frames)
      defer { if !delete.commonTables.isEmpty { commonTables.removeLast() } }
      let table = Source(
        name: (delete.alias ?? delete.table.name).folded, columns: try columns(of: delete.table))
      let inner = frames + [Frame(sources: [table])]
      for expression in delete.expressions { try resolve(expression, inner) }
      for case .expression(let expression, _) in delete.returning { try resolve(expression, inner) }
    }
  }

  private mutating func resolve(_ insert: SQLInsert, _ frames: [Frame]) throws(SQLUncertainName) {
    try open(insert.commonTables, frames)
    defer { if !insert.commonTables.isEmpty { commonTables.removeLast() } }
    let columns = try columns(of: insert.table)
    try resolve(insert.columns, columns)
    if let select = insert.select { _ = try resolve(select, frames) }
    let table = Source(name: (insert.alias ?? insert.table.name).folded, columns: columns)
    let excluded = Source(name: "excluded", columns: columns, isQualifiedOnly: true)
    let inner = frames + [Frame(sources: [table, excluded])]
    for upsert in insert.upserts {
      for target in upsert.target { try resolve(target.expression, inner) }
      for condition in [upsert.targetCondition, upsert.condition] {
        if let condition { try resolve(condition, inner) }
      }
      try resolve(upsert.assignments, columns, inner)
    }
    for case .expression(let expression, _) in insert.returning { try resolve(expression, inner) }
  }

  private mutating func resolve(
    _ assignments: [SQLAssignment], _ columns: [Column]?, _ frames: [Frame]
  ) throws(SQLUncertainName) {
    for assignment in assignments {
      try resolve(assignment.columns, columns)
      try resolve(assignment.value, frames)
    }
  }

  /// Looks up names in a list of one table's columns.
  private mutating func resolve(_ names: [SQLName], _ columns: [Column]?) throws(SQLUncertainName) {
    for name in names where name.folded == column || name.folded == newColumn {
      guard let columns else { throw SQLUncertainName(token: name.token) }
      let matches = Set(columns.filter { $0.name == name.folded })
      let wouldMean = name.folded == newColumn && newColumn != column && columns.contains(where: \.isTarget)
      if matches.count > 1 || wouldMean { throw SQLUncertainName(token: name.token) }
      guard let match = matches.first, match.isTarget else { continue }
      noteUse(of: match)
      uses.insert(name.token)
    }
  }

  /// The text of an expression, of which the engine makes a column's name.
  func text(of expression: SQLExpression) -> String { source.text(of: expression.tokens) }
}
