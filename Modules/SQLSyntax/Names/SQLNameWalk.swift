/// A walk through the syntax tree of a statement that records each name with its role and scope.
struct SQLNameWalk {
  typealias Link = SQLScopeLink

  var names: SQLNames

  /// The current meanings of the CTE names of each enclosing WITH clause, innermost last.
  private var commonTables: [[String: SQLRows.Kind]] = []

  init(names: SQLNames) { self.names = names }

  mutating func visit(_ statement: SQLTree.Statement) {
    switch statement {
    case .createTable(let table): visit(table)
    case .createIndex(let index):
      let link = open([rows(of: SQLQualifiedName(schema: index.name.schema, name: index.table))])
      note(index.table, .owner, link)
      for column in index.columns { visit(column, link) }
      if let condition = index.condition { visit(condition, link) }
    case .createView(let view): visit(view.select, nil, .definition(listsColumns: !view.columns.isEmpty))
    case .createTrigger(let trigger): visit(trigger)
    case .alterTable(let alteration):
      let link = open([rows(of: alteration.table)])
      note(alteration.table, .owner, link)
      if case .addColumn(let column) = alteration.action { visit(column, link) }
    case .data(let statement): visit(statement, nil)
    case .createVirtualTable, .drop, .other: break
    }
  }

  private mutating func visit(_ trigger: SQLCreateTrigger) {
    let link = open(
      ["new", "old"].map {
        SQLRows(name: $0, kind: .stored(trigger.table), isRenamed: true, isQualifiedOnly: true)
      })
    if case .update(let columns) = trigger.event { note(columns, .listedColumn, link) }
    note(trigger.table, .owner, link)
    if let condition = trigger.condition { visit(condition, link) }
    for statement in trigger.body { visit(statement, link) }
  }

  private mutating func visit(_ statement: SQLDataStatement, _ outer: Link?) {
    switch statement {
    case .select(let select): visit(select, outer, .statement)
    case .insert(let insert): within(insert.commonTables, outer) { $0.visit(insert, outer) }
    case .update(let change), .delete(let change):
      within(change.commonTables, outer) { walk in
        let link = walk.open([walk.rows(of: change.table, as: change.alias)], outer)
        walk.note(change.table, as: change.alias, .target, link)
        walk.visit(change.assignments, link)
        for source in change.sources { walk.add(source, to: link.scope, outer) }
        if let condition = change.condition { walk.visit(condition, link) }
        for expression in change.limits { walk.visit(expression, link) }
        walk.visit(change.returning, link)
      }
    }
  }

  private mutating func visit(_ insert: SQLInsert, _ outer: Link?) {
    let table = rows(of: insert.table, as: insert.alias)
    let link = open([table], outer)
    names.inserts.append(insert)
    note(insert.table, as: insert.alias, .target, link)
    note(insert.columns, .listedColumn, link)
    if let select = insert.select { visit(select, outer, .insertion(names.inserts.count - 1)) }
    let excluded = SQLRows(name: "excluded", kind: table.kind, isRenamed: true, isQualifiedOnly: true)
    for upsert in insert.upserts {
      let inner = open([table, excluded], outer)
      for column in upsert.target { visit(column, link) }
      if let condition = upsert.targetCondition { visit(condition, inner) }
      visit(upsert.assignments, inner)
      if let condition = upsert.condition { visit(condition, inner) }
    }
    visit(insert.returning, link)
  }

  private mutating func visit(_ assignments: [SQLAssignment], _ link: Link) {
    for assignment in assignments {
      note(assignment.columns, .listedColumn, link)
      visit(assignment.value, link)
    }
  }

  // MARK: Queries and expressions

  @discardableResult
  mutating func visit(_ select: SQLSelect, _ outer: Link?, _ purpose: SQLQuery.Purpose) -> Int {
    let query = names.queries.count
    names.queries.append(SQLQuery(select: select, purpose: purpose))
    within(select.commonTables, outer, of: query) { walk in
      for core in select.cores { walk.visit(core, of: query, outer) }
      guard let first = walk.names.queries[query].scopes.first else { return }
      for term in select.orderBy {
        let isName = term.soleReference.map { $0.table == nil } ?? false
        walk.visit(term, Link(scope: first, seesResults: true), isName ? .orderTerm : .order)
      }
      for limit in select.limit { walk.visit(limit, outer) }
    }
    return query
  }

  private mutating func visit(_ core: SQLSelect.Core, of query: Int, _ outer: Link?) {
    let link = open([], outer, of: query)
    names.queries[query].scopes.append(link.scope)
    for case .expression(_, let alias?) in core.results { names.scopes[link.scope].aliases.insert(alias.folded) }
    visit(core.results, link)
    for source in core.sources { add(source, to: link.scope, outer) }
    for expression in core.expressions { visit(expression, Link(scope: link.scope, seesResults: true)) }
  }

  private mutating func visit(_ results: [SQLResultColumn], _ link: Link) {
    for result in results {
      switch result {
      case .all: break
      case .allOf(let table): note(table, .star, link)
      case .expression(let expression, _): visit(expression, link, .result)
      }
    }
  }

  /// Adds an item of a `FROM` clause (a table, a subquery or a join) to a scope.
  ///
  /// - Parameter outer: The enclosing scope. A subquery after `FROM` can use the columns of this scope, but not the
  ///   columns of the tables next to the subquery.
  private mutating func add(_ source: SQLTableSource, to scope: Int, _ outer: Link?) {
    let added = rows(of: source, in: scope, outer)
    names.scopes[scope].rows += added
  }

  private mutating func rows(of source: SQLTableSource, in scope: Int, _ outer: Link?) -> [SQLRows] {
    let link = Link(scope: scope, seesResults: false)
    var rows: [SQLRows]
    switch source.kind {
    case .table(let name):
      note(name, .source, link)
      rows = [
        SQLRows(name: (source.alias ?? name.name).folded, kind: kind(of: name), isRenamed: source.alias != nil)
      ]
    case .function(let name, let arguments):
      for argument in arguments { visit(argument, link) }
      rows = [SQLRows(name: (source.alias ?? name.name).folded, kind: .function(name.name.folded))]
    case .subquery(let select):
      rows = [SQLRows(name: source.alias?.folded, kind: .query(visit(select, outer, .source(scope: scope))))]
    case .join(let inner):
      rows = []
      for source in inner { rows += self.rows(of: source, in: scope, outer) }
      // The alias of a join in parentheses hides the aliases of its parts.
      if let alias = source.alias { rows = [SQLRows(name: alias.folded, kind: .join(rows), isRenamed: true)] }
    }
    if let alias = source.alias { note(alias, .alias, link) }
    if source.isNatural { names.scopes[scope].naturalJoins.append(source.tokens.lowerBound) }
    if let condition = source.condition { visit(condition, link) }
    note(source.using, .joinColumn, link)
    return rows
  }

  private mutating func visit(_ expression: SQLExpression, _ link: Link?, _ place: SQLNameUse.Place = .other) {
    for reference in expression.references {
      note(reference.column, .column, link, qualifier: reference.table, in: place)
    }
    for table in expression.tables { note(table, .list, link) }
    for subquery in expression.subqueries {
      let isExists = names.source.token(subquery.tokens.lowerBound - 2)?.isWord("exists") == true
      visit(subquery, link, .expression(isExists: isExists))
    }
  }

  /// Visits the CTEs of a WITH clause, then runs `body` to visit the code that uses the CTEs.
  ///
  /// A CTE may refer to itself and to the other CTEs of the clause.
  private mutating func within(
    _ tables: [SQLCommonTable], _ outer: Link?, of query: Int? = nil, _ body: (inout SQLNameWalk) -> Void
  ) {
    guard !tables.isEmpty else { return body(&self) }
    let first = names.commonTables.count
    names.commonTables += tables.map { SQLQuery.Named(table: $0) }
    var kinds: [String: SQLRows.Kind] = [:]
    for table in tables where kinds[table.name.folded] == nil { kinds[table.name.folded] = .laterCommonTable }
    commonTables.append(kinds)
    let level = commonTables.count - 1
    for (index, table) in tables.enumerated() {
      note(table.name, .commonTable, outer)
      commonTables[level][table.name.folded] = .recursion(first + index)
      names.commonTables[first + index].query = names.queries.count
      visit(table.select, outer, .commonTable(query: query, listsColumns: !table.columns.isEmpty))
      commonTables[level][table.name.folded] = .commonTable(first + index)
    }
    body(&self)
    commonTables.removeLast()
  }

  // MARK: Definitions of tables

  private mutating func visit(_ table: SQLCreateTable) {
    if let select = table.select { visit(select, nil, .definition(listsColumns: false)) }
    let columns = table.columns.map(\.name.folded)
    let link = open([SQLRows(name: table.name.name.folded, kind: .defined(columns: columns))])
    note(table.name, .owner, link)
    for column in table.columns { visit(column, link) }
    for constraint in table.constraints {
      switch constraint.kind {
      case .primaryKey(let columns, _, _):
        for column in columns { visit(column, link, .constraint(.primaryKey, column: nil)) }
      case .unique(let columns, _): for column in columns { visit(column, link, .constraint(.unique, column: nil)) }
      case .check(let expression, _): visit(expression, link, .constraint(.check, column: nil))
      case .foreignKey(let columns, let clause):
        note(columns, .listedColumn, link, in: .constraint(.foreignKey, column: nil))
        visit(clause, link)
      case .nothing: break
      }
    }
  }

  private mutating func visit(_ column: SQLColumnSyntax, _ link: Link) {
    note(column.name, .newColumn, link)
    let name = column.name.folded
    for constraint in column.constraints {
      switch constraint.kind {
      case .check(let expression, _): visit(expression, link, .constraint(.check, column: name))
      case .generated(let expression, _): visit(expression, link, .constraint(.generated, column: name))
      case .references(let clause): visit(clause, link)
      default: break
      }
    }
  }

  private mutating func visit(_ column: SQLIndexedColumn, _ link: Link, _ place: SQLNameUse.Place = .other) {
    visit(column.expression, link, place)
    // A string in single quotes is a column name here, not one of the expression's names.
    if let name = column.column, column.expression.references.isEmpty { note(name, .listedColumn, link, in: place) }
  }

  private mutating func visit(_ clause: SQLForeignKeyClause, _ link: Link) {
    note(clause.table, .parent, link)
    for column in clause.columns { note(column, .parentColumn, link, qualifier: clause.table) }
  }

  // MARK: Recording

  private mutating func open(_ rows: [SQLRows], _ outer: Link? = nil, of query: Int? = nil) -> Link {
    names.scopes.append(SQLScope(parent: outer, query: query, rows: rows))
    return Link(scope: names.scopes.count - 1, seesResults: false)
  }

  private func rows(of name: SQLQualifiedName, as alias: SQLName? = nil) -> SQLRows {
    SQLRows(name: (alias ?? name.name).folded, kind: .stored(name), isRenamed: alias != nil)
  }

  /// Returns the meaning of a table name after `FROM` or `IN`: a CTE hides a table of the same name.
  private func kind(of name: SQLQualifiedName) -> SQLRows.Kind { commonTable(named: name) ?? .stored(name) }

  private func commonTable(named name: SQLQualifiedName) -> SQLRows.Kind? {
    guard name.schema == nil else { return nil }
    return commonTables.lazy.reversed().compactMap { $0[name.name.folded] }.first
  }

  private mutating func note(
    _ name: SQLName, _ role: SQLNameUse.Role, _ link: Link?, qualifier: SQLName? = nil,
    in place: SQLNameUse.Place = .other, isCommonTable: Bool = false
  ) {
    names.uses.append(
      SQLNameUse(
        name: name, qualifier: qualifier, role: role, place: place, scope: link, isCommonTable: isCommonTable))
  }

  private mutating func note(
    _ table: SQLQualifiedName, as alias: SQLName? = nil, _ role: SQLNameUse.Role, _ link: Link?
  ) {
    let isCommonTable = role != .target && role != .owner && commonTable(named: table) != nil
    note(table.name, role, link, qualifier: table.schema, isCommonTable: isCommonTable)
    if let alias { note(alias, .alias, link) }
  }

  private mutating func note(
    _ list: [SQLName], _ role: SQLNameUse.Role, _ link: Link?, in place: SQLNameUse.Place = .other
  ) {
    for name in list { note(name, role, link, in: place) }
  }
}
