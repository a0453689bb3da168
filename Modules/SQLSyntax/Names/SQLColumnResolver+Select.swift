extension SQLColumnResolver {
  /// Looks up the names of a query, and gives its columns; nil where they are not known.
  mutating func resolve(_ select: SQLSelect, _ frames: [Frame]) throws(SQLUncertainName) -> [Column]? {
    try open(select.commonTables, frames)
    defer { if !select.commonTables.isEmpty { commonTables.removeLast() } }
    var result: [Column]?
    var scopes: [Frame] = []
    for (number, core) in select.cores.enumerated() {
      let (columns, frame) = try resolve(core, frames)
      scopes.append(frame)
      if number == 0 { result = columns }
    }
    for term in select.orderBy { try resolve(term: term, scopes, frames) }
    for limit in select.limit { try resolve(limit, frames) }
    return result
  }

  /// Makes common tables known, one after the other, each to itself as well.
  mutating func open(_ tables: [SQLCommonTable], _ frames: [Frame]) throws(SQLUncertainName) {
    guard !tables.isEmpty else { return }
    // Each may refer to those behind it, too; their columns are found out when they are needed there, so that such
    // a one is not known.
    commonTables.append(Dictionary(tables.map { ($0.name.folded, nil) }) { first, _ in first })
    for table in tables {
      let names = table.columns.map { Column(name: $0.folded, isTarget: false) }
      if names.isEmpty, var first = Optional(table.select), first.cores.count > 1 {
        // The first query of a recursive table does not refer to it.
        first.cores = [first.cores[0]]
        first.orderBy = []
        let kept = uses
        commonTables[commonTables.count - 1][table.name.folded] = .some(derived(try resolve(first, frames)))
        uses = kept
      } else if !names.isEmpty {
        commonTables[commonTables.count - 1][table.name.folded] = .some(names)
      }
      let columns = try resolve(table.select, frames)
      commonTables[commonTables.count - 1][table.name.folded] = .some(names.isEmpty ? derived(columns) : names)
    }
  }

  private mutating func resolve(
    _ core: SQLSelect.Core, _ frames: [Frame]
  ) throws(SQLUncertainName) -> ([Column]?, Frame) {
    let aliases = core.results.compactMap { result -> String? in
      if case .expression(_, let alias) = result { alias?.folded } else { nil }
    }
    var frame = Frame(sources: try sources(core.sources, frames))
    let inner = frames + [frame]
    try resolveJoins(core.sources, inner)
    for case .expression(let expression, _) in core.results { try resolve(expression, inner) }
    frame.aliases = Set(aliases)
    for expression in core.expressions { try resolve(expression, frames + [frame]) }
    return (try columns(of: core, frame, frames), frame)
  }

  /// Looks up a term of ORDER BY: a name that a result was given, else a column.
  private mutating func resolve(
    term: SQLExpression, _ scopes: [Frame], _ frames: [Frame]
  ) throws(SQLUncertainName) {
    guard let reference = term.soleReference, reference.table == nil else {
      // A term of combined queries is one of their results, and named as there.
      for scope in scopes.prefix(1) { try resolve(term, frames + [scope]) }
      return
    }
    for scope in scopes {
      if scope.aliases.contains(reference.column.folded) { return }
      guard scopes.count == 1 || scope.sources.contains(where: { $0.has(reference.column.folded) }) else { continue }
      return try resolve(term, frames + [scope])
    }
    if let last = scopes.last { try resolve(term, frames + [last]) }
  }

  /// The columns that a query gives.
  private mutating func columns(
    of core: SQLSelect.Core, _ frame: Frame, _ frames: [Frame]
  ) throws(SQLUncertainName) -> [Column]? {
    var columns: [Column] = []
    for result in core.results {
      switch result {
      case .all:
        for source in frame.sources {
          guard let all = source.columns else { return nil }
          columns += all
        }
      case .allOf(let table):
        guard let all = frame.sources.first(where: { $0.name == table.folded })?.columns else { return nil }
        columns += all
      case .expression(_, let alias?): columns.append(Column(name: alias.folded, isTarget: false))
      case .expression(let expression, nil):
        if let reference = expression.soleReference {
          let isTarget = uses.contains(reference.column.token) && reference.column.folded == column
          columns.append(Column(name: reference.column.folded, isTarget: isTarget))
        } else {
          let name = text(of: expression).asciiLowercased
          if expression.references.contains(where: { uses.contains($0.column.token) }) { fragileNames.insert(name) }
          columns.append(Column(name: name, isTarget: false))
        }
      }
    }
    return columns
  }

  /// What stands behind FROM, with joins in parentheses taken apart.
  mutating func sources(_ sources: [SQLTableSource], _ frames: [Frame]) throws(SQLUncertainName) -> [Source] {
    var result: [Source] = []
    for source in sources {
      switch source.kind {
      case .table(let name):
        result.append(Source(name: (source.alias ?? name.name).folded, columns: try columns(of: name)))
      case .function(let name, _):
        let columns = Self.functions[name.name.folded]?.map { Column(name: $0, isTarget: false) }
        result.append(Source(name: (source.alias ?? name.name).folded, columns: columns))
      case .subquery(let select):
        result.append(Source(name: source.alias?.folded, columns: derived(try resolve(select, frames))))
      case .join(let inner):
        let parts = try self.sources(inner, frames)
        // Another name for a join in parentheses hides those of its parts.
        let all = parts.flatMap { $0.columns ?? [] }
        guard let alias = source.alias else {
          result += parts
          continue
        }
        result.append(Source(name: alias.folded, columns: parts.contains { $0.columns == nil } ? nil : all))
      }
    }
    return result
  }

  /// Looks up the conditions of joins; joins by equal names must not depend on the column.
  mutating func resolveJoins(_ sources: [SQLTableSource], _ frames: [Frame]) throws(SQLUncertainName) {
    let all = frames.last?.sources ?? []
    for source in sources {
      if let condition = source.condition { try resolve(condition, frames) }
      if case .function(_, let arguments) = source.kind { for argument in arguments { try resolve(argument, frames) } }
      if case .join(let inner) = source.kind { try resolveJoins(inner, frames) }
      guard all.contains(where: \.hasTarget) else { continue }
      for name in source.using where [column, newColumn].contains(name.folded) {
        throw SQLUncertainName(token: name.token)
      }
      guard source.isNatural else { continue }
      let isShared = all.contains { $0.columns == nil || $0.has(newColumn) && newColumn != column }
      if isShared || all.filter({ $0.has(column) }).count > 1 {
        throw SQLUncertainName(token: source.tokens.lowerBound)
      }
    }
  }

  /// The functions that give tables in every build (https://www.sqlite.org/json1.html#jeach).
  private static let functions: [String: [String]] = {
    let json = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"]
    return ["json_each": json, "json_tree": json, "generate_series": ["value", "start", "stop", "step"]]
  }()
}
