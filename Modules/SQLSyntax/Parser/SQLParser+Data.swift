extension SQLParser {
  /// Reads a statement that reads or writes rows.
  mutating func dataStatement() throws(SQLSyntaxError) -> SQLDataStatement {
    let start = index
    let commonTables = try self.commonTables()
    if isWord("insert") || isWord("replace") { return .insert(try insert(from: start, commonTables)) }
    if take(word: "update") { return .update(try update(from: start, commonTables)) }
    if take(word: "delete") { return .delete(try delete(from: start, commonTables)) }
    guard isWord("select") || isWord("values") else { throw expected("SELECT, INSERT, UPDATE or DELETE") }
    return .select(try select(from: start, commonTables))
  }

  private mutating func resolution() throws(SQLSyntaxError) {
    guard take(word: "or") else { return }
    guard takeAny(of: ["rollback", "abort", "fail", "ignore", "replace"]) != nil else {
      throw expected("ROLLBACK, ABORT, FAIL, IGNORE or REPLACE")
    }
  }

  private mutating func insert(from start: Int, _ commonTables: [SQLCommonTable]) throws(SQLSyntaxError) -> SQLInsert {
    if !take(word: "replace") {
      try expect(word: "insert")
      try resolution()
    }
    try expect(word: "into")
    var insert = SQLInsert(tokens: start..<start, table: try qualifiedName("a table's name"))
    insert.commonTables = commonTables
    if !isInTrigger, take(word: "as") { insert.alias = try name("a table's name") }
    insert.columns = try columnNames()
    if isInTrigger || !take(words: "default", "values") {
      insert.select = try select()
      while isWords("on", "conflict") { insert.upserts.append(try upsert()) }
    }
    insert.returning = try returning()
    insert.tokens = start..<index
    return insert
  }

  private mutating func upsert() throws(SQLSyntaxError) -> SQLInsert.Upsert {
    try expect(words: "on", "conflict")
    var upsert = SQLInsert.Upsert()
    if isOperator("(") {
      upsert.target = try parenthesized { parser throws(SQLSyntaxError) in try parser.indexedColumn() }
      if take(word: "where") { upsert.targetCondition = try expression() }
    }
    try expect(word: "do")
    if take(word: "nothing") { return upsert }
    try expect(words: "update", "set")
    upsert.assignments = try assignments()
    if take(word: "where") { upsert.condition = try expression() }
    return upsert
  }

  private mutating func assignments() throws(SQLSyntaxError) -> [SQLAssignment] {
    try list { parser throws(SQLSyntaxError) in
      let columns =
        parser.isOperator("(") ? try parser.columnNames() : [try parser.name("a column's name")]
      try parser.expect(operator: "=")
      return SQLAssignment(columns: columns, value: try parser.expression())
    }
  }

  private mutating func update(from start: Int, _ commonTables: [SQLCommonTable]) throws(SQLSyntaxError) -> SQLUpdate {
    try resolution()
    var update = SQLUpdate(tokens: start..<start, table: try qualifiedName("a table's name"))
    update.commonTables = commonTables
    if !isInTrigger, take(word: "as") { update.alias = try name("a table's name") }
    try indexHint()
    try expect(word: "set")
    update.assignments = try assignments()
    if take(word: "from") { update.sources = try sources() }
    update.expressions = try condition()
    update.returning = try returning()
    update.expressions += try orderAndLimit()
    update.tokens = start..<index
    return update
  }

  private mutating func delete(from start: Int, _ commonTables: [SQLCommonTable]) throws(SQLSyntaxError) -> SQLDelete {
    try expect(word: "from")
    var delete = SQLDelete(tokens: start..<start, table: try qualifiedName("a table's name"))
    delete.commonTables = commonTables
    if !isInTrigger, take(word: "as") { delete.alias = try name("a table's name") }
    try indexHint()
    delete.expressions = try condition()
    delete.returning = try returning()
    delete.expressions += try orderAndLimit()
    delete.tokens = start..<index
    return delete
  }

  private mutating func condition() throws(SQLSyntaxError) -> [SQLExpression] {
    take(word: "where") ? [try expression()] : []
  }

  private mutating func returning() throws(SQLSyntaxError) -> [SQLResultColumn] {
    !isInTrigger && take(word: "returning") ? try resultColumns() : []
  }

  /// Reads ORDER BY and LIMIT, which some engines are built with (https://www.sqlite.org/compile.html#enable_update_delete_limit).
  private mutating func orderAndLimit() throws(SQLSyntaxError) -> [SQLExpression] {
    var expressions: [SQLExpression] = []
    if isInTrigger { return expressions }
    if take(words: "order", "by") {
      expressions += try list { parser throws(SQLSyntaxError) in try parser.indexedColumn().expression }
    }
    if take(word: "limit") { expressions += try limit() }
    return expressions
  }
}
