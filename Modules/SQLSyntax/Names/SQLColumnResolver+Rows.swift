/// The part of the resolver that determines the columns of the tables, views and queries after FROM.
extension SQLColumnResolver {
  /// Creates a resolver that determines the columns of tables and queries, but does not look for a particular column.
  package init(_ names: SQLNames, relations: SQLRelations) { self.init(names, relations: relations, target: nil) }

  /// Returns the columns of a table, view or query after FROM; nil if they are unknown.
  package mutating func columns(of rows: SQLRows) throws(SQLUncertainName) -> [Column]? {
    switch rows.kind {
    case .stored(let name): return try columns(of: name)
    case .defined(let columns): return columns.map { Column(name: $0, isTarget: false) }
    case .query(let query): return derived(try columns(ofQuery: query))
    case .commonTable(let index):
      if let listed = listed(index) { return listed }
      guard let query = names.commonTables[index].query else { return nil }
      return derived(try columns(ofQuery: query))
    case .recursion(let index):
      if let listed = listed(index) { return listed }
      // The first SELECT of a recursive CTE does not refer to the CTE.
      guard let query = names.commonTables[index].query, names.queries[query].scopes.count > 1 else { return nil }
      return derived(try columns(ofQuery: query))
    case .laterCommonTable: return nil
    case .function(let name): return Self.functions[name]?.map { Column(name: $0, isTarget: false) }
    case .join(let parts):
      var columns: [Column] = []
      for part in parts {
        guard let all = try self.columns(of: part) else { return nil }
        columns += all
      }
      return columns
    }
  }

  mutating func columns(of name: SQLQualifiedName) throws(SQLUncertainName) -> [Column]? {
    let folded = name.name.folded
    if let schema = name.schema?.folded, schema != "main", schema != "temp" { return nil }
    switch relations.named[folded] {
    case nil: return nil
    case .table(let columns):
      return columns?.map { Column(name: $0, isTarget: folded == target?.table && $0 == target?.column) }
    case .view(let view, let source):
      guard view.columns.isEmpty else { return view.columns.map { Column(name: $0.folded, isTarget: false) } }
      guard !openViews.contains(folded) else { return nil }
      if let known = viewColumns[folded] { return known }
      let names = SQLNames(in: .createView(view), of: source)
      var resolver = SQLColumnResolver(names, relations: relations, target: target)
      resolver.openViews = openViews.union([folded])
      _ = try resolver.uses()
      let columns = derived(try resolver.columns(ofQuery: 0))
      fragileNames.formUnion(resolver.fragileNames)
      viewColumns[folded] = .some(columns)
      return columns
    }
  }

  /// Returns the result columns of a query; for a compound query, the result columns of its first SELECT.
  package mutating func columns(ofQuery query: Int) throws(SQLUncertainName) -> [Column]? {
    if let known = queryColumns[query] { return known }
    // The columns of a query that contains itself are unknown.
    queryColumns[query] = .some(nil)
    guard let scope = names.queries[query].scopes.first, let core = names.queries[query].select.cores.first else {
      return nil
    }
    let columns = try columns(of: core, names.scopes[scope])
    queryColumns[query] = .some(columns)
    return columns
  }

  private mutating func columns(of core: SQLSelect.Core, _ scope: SQLScope) throws(SQLUncertainName) -> [Column]? {
    var columns: [Column] = []
    for (number, result) in core.results.enumerated() {
      switch result {
      case .all:
        for rows in scope.rows {
          guard let all = try self.columns(of: rows) else { return nil }
          columns += all
        }
      case .allOf(let table):
        guard let rows = scope.rows.first(where: { $0.name == table.folded }), let all = try self.columns(of: rows)
        else { return nil }
        columns += all
      case .expression(_, let alias?): columns.append(Column(name: alias.folded, isTarget: false))
      case .expression where core.isValues: columns.append(Column(name: "column\(number + 1)", isTarget: false))
      case .expression(let expression, nil):
        let reference = expression.soleReference
        let name = reference?.column.folded ?? names.source.text(of: expression.tokens).asciiLowercased
        var isTarget = false
        if let reference, reference.column.folded == target?.column,
          let use = names.uses.first(where: { $0.role == .column && $0.name.token == reference.column.token })
        {
          isTarget = try meaning(of: use) != nil
        }
        columns.append(Column(name: name, isTarget: isTarget))
      }
    }
    return columns
  }

  /// Returns the columns that the `WITH` clause lists for a CTE; nil if the clause lists none, in which case the CTE's
  /// query determines the names.
  private func listed(_ commonTable: Int) -> [Column]? {
    let columns = names.commonTables[commonTable].table.columns
    return columns.isEmpty ? nil : columns.map { Column(name: $0.folded, isTarget: false) }
  }

  /// Returns the same columns, marked as coming from a query.
  private func derived(_ columns: [Column]?) -> [Column]? {
    columns?.map { Column(name: $0.name, isTarget: $0.isTarget, isDerived: true) }
  }

  /// The columns of table-valued functions that SQLite can include, by function name
  /// (https://www.sqlite.org/json1.html#jeach, https://www.sqlite.org/series.html).
  private static let functions: [String: [String]] = {
    let json = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"]
    return ["json_each": json, "json_tree": json, "generate_series": ["value", "start", "stop", "step"]]
  }()
}
