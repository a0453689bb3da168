extension SQLParser {
  var beginsSelect: Bool { isWord("select") || isWord("values") || (isWord("with") && isName(ahead: 1)) }

  mutating func select() throws(SQLSyntaxError) -> SQLSelect {
    try enter(weight: 10)
    defer { leave(weight: 10) }
    let start = index
    let commonTables = try self.commonTables()
    return try select(from: start, commonTables)
  }

  mutating func select(from start: Int, _ commonTables: [SQLCommonTable]) throws(SQLSyntaxError) -> SQLSelect {
    var select = SQLSelect(tokens: start..<start)
    select.commonTables = commonTables
    repeat { select.cores.append(try core()) } while takeCompoundOperator()
    // The grammar allows neither ORDER BY nor LIMIT after VALUES.
    let hasOrder = select.cores.last?.isValues == false
    if hasOrder, take(words: "order", "by") { select.orderBy = try orderTerms() }
    if hasOrder, take(word: "limit") { select.limit = try limit() }
    select.tokens = start..<index
    return select
  }

  private mutating func takeCompoundOperator() -> Bool {
    if take(word: "union") {
      _ = take(word: "all")
      return true
    }
    return take(word: "intersect") || take(word: "except")
  }

  mutating func limit() throws(SQLSyntaxError) -> [SQLExpression] {
    var limit = [try expression()]
    if take(word: "offset") || take(operator: ",") { limit.append(try expression()) }
    return limit
  }

  /// Reads the `WITH` clause, if there is one, and returns its CTEs.
  mutating func commonTables() throws(SQLSyntaxError) -> [SQLCommonTable] {
    guard take(word: "with") else { return [] }
    // SQLite allows recursive CTEs without the keyword `RECURSIVE`.
    _ = take(word: "recursive")
    return try list { parser throws(SQLSyntaxError) in
      let name = try parser.name("a table's name")
      let columns = try parser.columnNames()
      try parser.expect(word: "as")
      if parser.take(word: "not") {
        try parser.expect(word: "materialized")
      } else {
        _ = parser.take(word: "materialized")
      }
      try parser.expect(operator: "(")
      let select = try parser.select()
      try parser.expect(operator: ")")
      return SQLCommonTable(name: name, columns: columns, select: select)
    }
  }

  private mutating func core() throws(SQLSyntaxError) -> SQLSelect.Core {
    var core = SQLSelect.Core()
    if take(word: "values") {
      try values(into: &core)
    } else {
      try expect(word: "select")
      _ = takeAny(of: ["distinct", "all"])
      core.results = try resultColumns()
      if take(word: "from") { core.sources = try sources() }
      if take(word: "where") { core.expressions.append(try expression()) }
      if take(words: "group", "by") {
        core.expressions += try list { parser throws(SQLSyntaxError) in try parser.expression() }
      }
      if take(word: "having") { core.expressions.append(try expression()) }
      // `WINDOW` is a name elsewhere.
      if isWord("window"), isName(ahead: 1), isWord("as", ahead: 2) { try windows(into: &core) }
    }
    return core
  }

  private mutating func values(into core: inout SQLSelect.Core) throws(SQLSyntaxError) {
    core.isValues = true
    repeat {
      let row = try parenthesized { parser throws(SQLSyntaxError) in try parser.expression() }
      if core.results.isEmpty {
        core.results = row.map { .expression($0, alias: nil) }
      } else {
        core.expressions += row
      }
    } while take(operator: ",")
  }

  private mutating func windows(into core: inout SQLSelect.Core) throws(SQLSyntaxError) {
    index += 1
    repeat {
      _ = try name("a window's name")
      try expect(word: "as")
      try expect(operator: "(")
      var expression = SQLExpression(tokens: index..<index)
      let start = index
      try window(into: &expression)
      expression.tokens = start..<(index - 1)
      core.expressions.append(expression)
    } while take(operator: ",")
  }

  mutating func resultColumns() throws(SQLSyntaxError) -> [SQLResultColumn] {
    try list { parser throws(SQLSyntaxError) in
      if parser.take(operator: "*") { return .all(token: parser.index - 1) }
      // The keyword begins an expression here, whatever follows.
      if parser.isName(), !parser.isWord("cast"), parser.isOperator(".", ahead: 1), parser.isOperator("*", ahead: 2) {
        let table = try parser.name("a table's name")
        parser.index += 2
        return .allOf(table: table)
      }
      let expression = try parser.expression()
      return .expression(expression, alias: try parser.alias("a column's name"))
    }
  }

  /// Reads an alias, with or without `AS`, if there is one.
  private mutating func alias(_ what: String) throws(SQLSyntaxError) -> SQLName? {
    if take(word: "as") { return try name(what) }
    guard isPlainName else { return nil }
    return try name(what)
  }

  mutating func sources() throws(SQLSyntaxError) -> [SQLTableSource] {
    var sources = [try source(isNatural: false)]
    while true {
      if take(operator: ",") {
        sources.append(try source(isNatural: false))
        continue
      }
      let start = index
      var isNatural = false
      while let token = self.source.token(index), token.kind == .word, SQLKeyword.isJoin(token.folded) {
        isNatural = isNatural || token.folded == "natural"
        index += 1
      }
      guard take(word: "join") else {
        guard index == start else { throw expected("JOIN") }
        return sources
      }
      sources.append(try source(isNatural: isNatural))
    }
  }

  private mutating func source(isNatural: Bool) throws(SQLSyntaxError) -> SQLTableSource {
    let start = index
    var source = SQLTableSource(tokens: start..<start, kind: try sourceKind())
    source.isNatural = isNatural
    source.alias = try alias("a table's name")
    source.tokens = start..<index
    try indexHint()
    if take(word: "on") {
      source.condition = try expression()
    }
    // The grammar of SQLite 3.15 allows both clauses in a definition; SQLite reports an error when it uses the join.
    if take(word: "using") {
      source.using = try parenthesized { parser throws(SQLSyntaxError) in try parser.name("a column's name") }
    }
    return source
  }

  private mutating func sourceKind() throws(SQLSyntaxError) -> SQLTableSource.Kind {
    guard take(operator: "(") else {
      let table = try qualifiedName("a table's name")
      guard take(operator: "(") else { return .table(table) }
      if take(operator: ")") { return .function(table, arguments: []) }
      let arguments = try list { parser throws(SQLSyntaxError) in try parser.expression() }
      try expect(operator: ")")
      return .function(table, arguments: arguments)
    }
    let kind: SQLTableSource.Kind
    if beginsSelect {
      kind = .subquery(try select())
    } else {
      try enter(weight: 10)
      defer { leave(weight: 10) }
      kind = .join(try sources())
    }
    try expect(operator: ")")
    return kind
  }

  /// Reads `INDEXED BY` and `NOT INDEXED` (https://www.sqlite.org/lang_indexedby.html).
  mutating func indexHint() throws(SQLSyntaxError) {
    if take(words: "not", "indexed") { return }
    guard take(word: "indexed") else { return }
    try expect(word: "by")
    _ = try name("the name of an index")
  }
}
