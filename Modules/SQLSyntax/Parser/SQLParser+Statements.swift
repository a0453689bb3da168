extension SQLParser {
  mutating func wholeStatement() throws(SQLSyntaxError) -> SQLTree.Statement {
    while take(operator: ";") {}
    let statement = try self.statement()
    if case .other = statement { return statement }
    while take(operator: ";") {}
    guard index == source.tokens.count else { throw expected("the end of the statement") }
    return statement
  }

  private mutating func statement() throws(SQLSyntaxError) -> SQLTree.Statement {
    guard let first = source.token(index), first.kind == .word else { throw expected("a statement") }
    switch first.folded {
    case "create": return try create()
    case "alter": return .alterTable(try alterTable())
    case "drop": return .drop(try drop())
    case "select", "values", "with", "insert", "replace", "update", "delete": return .data(try dataStatement())
    case "analyze", "attach", "begin", "commit", "detach", "end", "explain", "pragma", "reindex", "release", "rollback",
      "savepoint", "vacuum":
      return .other
    default: throw expected("a statement")
    }
  }

  private mutating func create() throws(SQLSyntaxError) -> SQLTree.Statement {
    try expect(word: "create")
    let isTemporary = takeAny(of: ["temp", "temporary"]) != nil
    if take(word: "table") { return .createTable(try createTable()) }
    if take(word: "view") { return .createView(try createView()) }
    if take(word: "trigger") { return .createTrigger(try createTrigger()) }
    guard !isTemporary else { throw expected("TABLE, VIEW or TRIGGER") }
    if take(words: "virtual", "table") { return .createVirtualTable(try createVirtualTable()) }
    let isUnique = take(word: "unique")
    guard take(word: "index") else { throw expected("TABLE, INDEX, VIEW, TRIGGER or VIRTUAL TABLE") }
    return .createIndex(try createIndex(isUnique: isUnique))
  }

  /// Reads the name of a new object, after an optional `IF NOT EXISTS`.
  mutating func newName(_ what: String) throws(SQLSyntaxError) -> SQLQualifiedName {
    // A table may be named `if`, but not here: the engine reads it as the start of `IF NOT EXISTS`.
    if take(word: "if") { try expect(words: "not", "exists") }
    return try qualifiedName(what)
  }

  private mutating func createIndex(isUnique: Bool) throws(SQLSyntaxError) -> SQLCreateIndex {
    let name = try newName("the name of an index")
    try expect(word: "on")
    var index = SQLCreateIndex(name: name, table: try self.name("a table's name"))
    index.isUnique = isUnique
    index.columns = try parenthesized { parser throws(SQLSyntaxError) in try parser.indexedColumn() }
    if take(word: "where") { index.condition = try expression() }
    return index
  }

  private mutating func createView() throws(SQLSyntaxError) -> SQLCreateView {
    let name = try newName("a view's name")
    let columns = try columnNames()
    try expect(word: "as")
    return SQLCreateView(name: name, columns: columns, select: try select())
  }

  private mutating func createVirtualTable() throws(SQLSyntaxError) -> SQLCreateVirtualTable {
    let name = try newName("a table's name")
    try expect(word: "using")
    var table = SQLCreateVirtualTable(name: name, module: try self.name("a module's name"))
    guard take(operator: "(") else { return table }
    var start = index
    var open = 0
    while let token = source.token(index), token.kind != .illegal, token.kind != .unterminated {
      if token.isOperator("(") { open += 1 }
      if token.isOperator(",") || token.isOperator(")"), open == 0 {
        table.arguments.append(start..<index)
        start = index + 1
      }
      index += 1
      guard token.isOperator(")") else { continue }
      if open == 0 { return table }
      open -= 1
    }
    throw expected("\")\"")
  }

  private mutating func drop() throws(SQLSyntaxError) -> SQLDrop {
    try expect(word: "drop")
    guard let word = takeAny(of: ["table", "index", "view", "trigger"]), let kind = SQLDrop.Kind(rawValue: word)
    else { throw expected("TABLE, INDEX, VIEW or TRIGGER") }
    _ = take(words: "if", "exists")
    return SQLDrop(kind: kind, name: try qualifiedName("a name"))
  }

  private mutating func alterTable() throws(SQLSyntaxError) -> SQLAlterTable {
    try expect(words: "alter", "table")
    let table = try qualifiedName("a table's name")
    return SQLAlterTable(table: table, action: try alteration())
  }

  private mutating func alteration() throws(SQLSyntaxError) -> SQLAlterTable.Action {
    if take(word: "rename") {
      if take(word: "to") { return .rename(to: try name("a table's name")) }
      _ = take(word: "column")
      let column = try name("a column's name")
      try expect(word: "to")
      return .renameColumn(column, to: try name("a column's name"))
    }
    if take(word: "add") {
      if isWord("constraint") || isWord("check") {
        let constraint = try tableConstraint()
        guard case .check = constraint.kind else { throw expected("CHECK") }
        return .other
      }
      _ = take(word: "column")
      return .addColumn(try columnDefinition())
    }
    if take(word: "drop") {
      let isConstraint = take(word: "constraint")
      if !isConstraint { _ = take(word: "column") }
      _ = try name(isConstraint ? "a constraint's name" : "a column's name")
      return .other
    }
    guard take(word: "alter") else { throw expected("RENAME, ADD, DROP or ALTER") }
    _ = take(word: "column")
    _ = try name("a column's name")
    let sets = take(word: "set")
    if !sets { try expect(word: "drop") }
    try expect(words: "not", "null")
    if sets { _ = try conflictClause() }
    return .other
  }
}
