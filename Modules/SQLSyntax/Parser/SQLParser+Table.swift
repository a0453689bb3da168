extension SQLParser {
  mutating func createTable() throws(SQLSyntaxError) -> SQLCreateTable {
    var table = SQLCreateTable(name: try newName("a table's name"))
    if take(word: "as") {
      table.select = try select()
      table.body = index..<index
      return table
    }
    try expect(operator: "(")
    let start = index
    try elements(of: &table)
    table.body = start..<index
    try expect(operator: ")")
    try options(of: &table)
    return table
  }

  private mutating func elements(of table: inout SQLCreateTable) throws(SQLSyntaxError) {
    repeat {
      if !table.columns.isEmpty, beginsTableConstraint() {
        // The commas between constraints are optional.
        repeat {
          table.constraints.append(try tableConstraint())
          _ = isOperator(",") && beginsTableConstraint(ahead: 1) && take(operator: ",")
        } while beginsTableConstraint()
        return
      }
      table.columns.append(try columnDefinition())
    } while take(operator: ",")
  }

  private func beginsTableConstraint(ahead: Int = 0) -> Bool {
    // These keywords are reserved, so a column with such a name must be quoted.
    ["constraint", "primary", "unique", "check", "foreign"].contains { isWord($0, ahead: ahead) }
  }

  private mutating func options(of table: inout SQLCreateTable) throws(SQLSyntaxError) {
    // SQLite's grammar allows the list to begin with a comma.
    if isWord("without", ahead: 1) || isWord("strict", ahead: 1) { _ = take(operator: ",") }
    while isName() {
      if take(word: "without") {
        try expect(word: "rowid")
        table.isWithoutRowID = true
      } else if take(word: "strict") {
        table.isStrict = true
      } else {
        throw expected("WITHOUT ROWID or STRICT")
      }
      guard take(operator: ",") else { break }
      guard isName() else { throw expected("WITHOUT ROWID or STRICT") }
    }
  }

  mutating func tableConstraint() throws(SQLSyntaxError) -> SQLTableConstraint {
    let start = index
    let name = take(word: "constraint") ? try self.name("a constraint's name") : nil
    let kind = try tableConstraintKind(isNamed: name != nil)
    return SQLTableConstraint(tokens: start..<index, name: name, kind: kind)
  }

  private mutating func tableConstraintKind(isNamed: Bool) throws(SQLSyntaxError) -> SQLTableConstraint.Kind {
    if take(word: "primary") {
      try expect(words: "key")
      try expect(operator: "(")
      let columns = try list { parser throws(SQLSyntaxError) in try parser.indexedColumn(isExpressionAllowed: false) }
      let isAutoincrement = take(word: "autoincrement")
      try expect(operator: ")")
      return .primaryKey(columns, isAutoincrement: isAutoincrement, onConflict: try conflictClause())
    }
    if take(word: "unique") {
      let columns = try parenthesized { parser throws(SQLSyntaxError) in try parser.indexedColumn() }
      return .unique(columns, onConflict: try conflictClause())
    }
    if take(word: "check") {
      let condition = try parenthesizedExpression()
      return .check(condition, onConflict: try conflictClause())
    }
    if take(word: "foreign") {
      try expect(word: "key")
      guard isOperator("(") else { throw expected("\"(\"") }
      let columns = try columnNames()
      var clause = try foreignKeyClause()
      if isWords("not", "deferrable") || isWord("deferrable") {
        (clause.isDeferrable, clause.isInitiallyDeferred) = try deferral()
        clause.tokens = clause.tokens.lowerBound..<index
      }
      return .foreignKey(columns: columns, clause)
    }
    guard isNamed else { throw expected("a constraint") }
    return .nothing
  }

  mutating func parenthesizedExpression() throws(SQLSyntaxError) -> SQLExpression {
    try expect(operator: "(")
    let expression = try self.expression()
    try expect(operator: ")")
    return expression
  }

  mutating func conflictClause() throws(SQLSyntaxError) -> SQLConflictResolution? {
    take(words: "on", "conflict") ? try conflictResolution() : nil
  }

  mutating func conflictResolution() throws(SQLSyntaxError) -> SQLConflictResolution {
    guard let resolution = SQLConflictResolution.allCases.first(where: { take(word: $0.rawValue.asciiLowercased) })
    else { throw expected("ROLLBACK, ABORT, FAIL, IGNORE or REPLACE") }
    return resolution
  }

  /// Reads `REFERENCES` and its clauses, except `DEFERRABLE`.
  mutating func foreignKeyClause() throws(SQLSyntaxError) -> SQLForeignKeyClause {
    let start = index
    try expect(word: "references")
    var clause = SQLForeignKeyClause(tokens: start..<start, table: try name("a table's name"))
    clause.columns = try columnNames()
    while true {
      if take(word: "match") {
        _ = try name("a name")
      } else if isWord("on"), !isWord("conflict", ahead: 1) {
        index += 1
        guard takeAny(of: ["delete", "update", "insert"]) != nil else { throw expected("DELETE or UPDATE") }
        try referenceAction()
      } else {
        break
      }
    }
    clause.tokens = start..<index
    return clause
  }

  private mutating func referenceAction() throws(SQLSyntaxError) {
    let isRead =
      takeAny(of: ["cascade", "restrict"]) != nil || take(words: "no", "action") || take(words: "set", "null")
      || take(words: "set", "default")
    guard isRead else { throw expected("CASCADE, RESTRICT, SET NULL, SET DEFAULT or NO ACTION") }
  }

  /// Reads `[NOT] DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE]`.
  mutating func deferral() throws(SQLSyntaxError) -> (isDeferrable: Bool, isInitiallyDeferred: Bool?) {
    let isDeferrable = !take(word: "not")
    try expect(word: "deferrable")
    guard take(word: "initially") else { return (isDeferrable, nil) }
    if take(word: "deferred") { return (isDeferrable, true) }
    try expect(word: "immediate")
    return (isDeferrable, false)
  }
}
