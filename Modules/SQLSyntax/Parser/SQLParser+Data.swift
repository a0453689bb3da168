extension SQLParser {
  mutating func dataStatement() throws(SQLSyntaxError) -> SQLDataStatement {
    let start = index
    let commonTables = try self.commonTables()
    // In a trigger, WITH can only begin a query (https://www.sqlite.org/lang_createtrigger.html).
    if isInTrigger, !commonTables.isEmpty { return .select(try select(from: start, commonTables)) }
    if isWord("insert") || isWord("replace") { return .insert(try insert(commonTables)) }
    if take(word: "update") {
      try resolution()
      return .update(try change(commonTables, isUpdate: true))
    }
    if take(word: "delete") {
      try expect(word: "from")
      return .delete(try change(commonTables, isUpdate: false))
    }
    guard isWord("select") || isWord("values") else { throw expected("SELECT, INSERT, UPDATE or DELETE") }
    return .select(try select(from: start, commonTables))
  }

  private mutating func resolution() throws(SQLSyntaxError) {
    if take(word: "or") { _ = try conflictResolution() }
  }

  private mutating func insert(_ commonTables: [SQLCommonTable]) throws(SQLSyntaxError) -> SQLInsert {
    if !take(word: "replace") {
      try expect(word: "insert")
      try resolution()
    }
    try expect(word: "into")
    var insert = SQLInsert(table: try qualifiedName("a table's name"))
    insert.commonTables = commonTables
    // SQLite 3.53 allows aliases in a trigger, too; older versions do not.
    if take(word: "as") { insert.alias = try name("a table's name") }
    insert.columns = try columnNames()
    if isInTrigger || !take(words: "default", "values") {
      insert.select = try select()
      while isWords("on", "conflict") { insert.upserts.append(try upsert()) }
    }
    insert.returning = try returning()
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
      // Both spellings of the operator are one token of SQLite's grammar.
      if !parser.take(operator: "==") { try parser.expect(operator: "=") }
      return SQLAssignment(columns: columns, value: try parser.expression())
    }
  }

  /// Reads an `UPDATE` or `DELETE` statement, starting at the table's name.
  private mutating func change(
    _ commonTables: [SQLCommonTable], isUpdate: Bool
  ) throws(SQLSyntaxError) -> SQLRowChange {
    var change = SQLRowChange(table: try qualifiedName("a table's name"))
    change.commonTables = commonTables
    if take(word: "as") { change.alias = try name("a table's name") }
    try indexHint()
    if isUpdate {
      try expect(word: "set")
      change.assignments = try assignments()
      if take(word: "from") {
        let start = index
        change.sources = try sources()
        change.sourceTokens = start..<index
      }
    }
    if take(word: "where") { change.condition = try expression() }
    change.returning = try returning()
    if isInTrigger { return change }
    // SQLite can be built to allow these clauses (https://www.sqlite.org/compile.html#enable_update_delete_limit).
    if take(words: "order", "by") { change.limits += try orderTerms() }
    if take(word: "limit") { change.limits += try limit() }
    return change
  }

  private mutating func returning() throws(SQLSyntaxError) -> [SQLResultColumn] {
    !isInTrigger && take(word: "returning") ? try resultColumns() : []
  }
}
