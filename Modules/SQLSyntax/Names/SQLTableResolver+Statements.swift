extension SQLTableResolver {
  /// Looks up the names of a trigger, save that of the table which it belongs to.
  mutating func resolve(_ trigger: SQLCreateTrigger) throws(SQLUncertainName) {
    let frames = [["new", "old"].map { Source(name: $0, isTarget: false) }]
    if let condition = trigger.condition { try resolve(condition, frames) }
    for statement in trigger.body { try resolve(statement, frames) }
  }

  /// Looks up the names of a statement.
  mutating func resolve(_ statement: SQLDataStatement, _ frames: [[Source]]) throws(SQLUncertainName) {
    switch statement {
    case .select(let select): try resolve(select, frames)
    case .insert(let insert):
      try with(insert.commonTables, frames) { resolver throws(SQLUncertainName) in
        try resolver.resolve(insert, frames)
      }
    case .update(let update):
      try with(update.commonTables, frames) { resolver throws(SQLUncertainName) in
        let table = resolver.named(update.table, as: update.alias)
        let inner = frames + [[table] + (try resolver.sources(update.sources, frames))]
        try resolver.resolveJoins(update.sources, inner)
        for assignment in update.assignments { try resolver.resolve(assignment.value, inner) }
        for expression in update.expressions { try resolver.resolve(expression, inner) }
        try resolver.resolve(update.returning, inner)
      }
    case .delete(let delete):
      try with(delete.commonTables, frames) { resolver throws(SQLUncertainName) in
        let inner = frames + [[resolver.named(delete.table, as: delete.alias)]]
        for expression in delete.expressions { try resolver.resolve(expression, inner) }
        try resolver.resolve(delete.returning, inner)
      }
    }
  }

  private mutating func resolve(_ insert: SQLInsert, _ frames: [[Source]]) throws(SQLUncertainName) {
    let table = named(insert.table, as: insert.alias)
    if let select = insert.select { try resolve(select, frames) }
    let inner = frames + [[table, Source(name: "excluded", isTarget: false)]]
    for upsert in insert.upserts {
      for target in upsert.target { try resolve(target.expression, inner) }
      for condition in [upsert.targetCondition, upsert.condition] {
        if let condition { try resolve(condition, inner) }
      }
      for assignment in upsert.assignments { try resolve(assignment.value, inner) }
    }
    try resolve(insert.returning, inner)
  }

  /// Looks up the names of a query.
  mutating func resolve(_ select: SQLSelect, _ frames: [[Source]]) throws(SQLUncertainName) {
    try with(select.commonTables, frames) { resolver throws(SQLUncertainName) in
      var all: [Source] = []
      for core in select.cores {
        let sources = try resolver.sources(core.sources, frames)
        all += sources
        let inner = frames + [sources]
        try resolver.resolveJoins(core.sources, inner)
        try resolver.resolve(core.results, inner)
        for expression in core.expressions { try resolver.resolve(expression, inner) }
      }
      // A term of combined queries is one of their results: what it names stands in any of them.
      for term in select.orderBy { try resolver.resolve(term, frames + [all]) }
      for limit in select.limit { try resolver.resolve(limit, frames) }
    }
  }

  private mutating func resolve(_ results: [SQLResultColumn], _ frames: [[Source]]) throws(SQLUncertainName) {
    for result in results {
      switch result {
      case .all: break
      case .allOf(let table): try resolve(qualifier: table, frames)
      case .expression(let expression, let alias):
        let before = uses.count
        try resolve(expression, frames)
        // A column alone is called by its own name, whatever stands before the dot.
        guard alias == nil, uses.count > before, expression.soleReference == nil else { continue }
        fragileNames.insert(source.text(of: expression.tokens).asciiLowercased)
      }
    }
  }

  /// Makes common tables known for what follows, each to itself and to the others as well.
  private mutating func with(
    _ tables: [SQLCommonTable], _ frames: [[Source]],
    _ body: (inout SQLTableResolver) throws(SQLUncertainName) -> Void
  ) throws(SQLUncertainName) {
    guard !tables.isEmpty else { return try body(&self) }
    for table in tables { see(table.name) }
    commonTables.append(Set(tables.map(\.name.folded)))
    for table in tables { try resolve(table.select, frames) }
    try body(&self)
    commonTables.removeLast()
  }

  /// What stands behind FROM, with joins in parentheses taken apart.
  private mutating func sources(
    _ sources: [SQLTableSource], _ frames: [[Source]]
  ) throws(SQLUncertainName) -> [Source] {
    var result: [Source] = []
    for source in sources {
      if let alias = source.alias { see(alias) }
      switch source.kind {
      case .table(let name): result.append(named(name, as: source.alias))
      case .function(let name, _):
        result.append(Source(name: (source.alias ?? name.name).folded, isTarget: false))
      case .subquery(let select):
        try resolve(select, frames)
        result.append(Source(name: source.alias?.folded, isTarget: false))
      case .join(let inner):
        let parts = try self.sources(inner, frames)
        // Another name for a join in parentheses hides those of its parts.
        if let alias = source.alias {
          result.append(Source(name: alias.folded, isTarget: false))
        } else {
          result += parts
        }
      }
    }
    return result
  }

  private mutating func resolveJoins(
    _ sources: [SQLTableSource], _ frames: [[Source]]
  ) throws(SQLUncertainName) {
    for source in sources {
      if let condition = source.condition { try resolve(condition, frames) }
      if case .function(_, let arguments) = source.kind { for argument in arguments { try resolve(argument, frames) } }
      if case .join(let inner) = source.kind { try resolveJoins(inner, frames) }
    }
  }
}
