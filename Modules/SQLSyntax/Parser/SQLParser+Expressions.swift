extension SQLParser {
  mutating func expression() throws(SQLSyntaxError) -> SQLExpression {
    var expression = SQLExpression(tokens: index..<index)
    let start = index
    try read(into: &expression)
    expression.tokens = start..<index
    return expression
  }

  /// Reads a column or an expression of a key, an index or ORDER BY, with `ASC` or `DESC`.
  ///
  /// - Parameter isExpressionAllowed: Whether an expression may stand in the place. A primary key has only columns, so
  ///   that a string with any number of collations names one.
  mutating func indexedColumn(isExpressionAllowed: Bool = true) throws(SQLSyntaxError) -> SQLIndexedColumn {
    let expression = try self.expression()
    let order = takeAny(of: ["asc", "desc"])
    if take(word: "nulls"), takeAny(of: ["first", "last"]) == nil { throw expected("FIRST or LAST") }
    let column = column(of: expression, mostCollationsOfString: isExpressionAllowed ? 1 : .max)
    return SQLIndexedColumn(
      tokens: expression.tokens.lowerBound..<index, expression: expression, column: column?.name,
      collation: column?.collation, isDescending: order == "desc")
  }

  /// Returns the column that is a whole expression, perhaps in parentheses and with collations, of which the outermost
  /// applies; nil for other expressions.
  private func column(
    of expression: SQLExpression, mostCollationsOfString: Int
  ) -> (name: SQLName, collation: SQLName?)? {
    var rest = source.unwrapped(expression.tokens)
    var collations: [Int] = []
    while rest.count > 2, source.tokens[rest.upperBound - 2].isWord("collate") {
      collations.append(rest.upperBound - 1)
      rest = source.unwrapped(rest.dropLast(2))
    }
    let token = rest.lowerBound
    let isNameInString = source.tokens[token].kind == .string && collations.count <= mostCollationsOfString
    guard rest.count == 1, isNameInString || expression.references.first?.column.token == token else { return nil }
    return (name(token), collations.first.map(name))
  }

  private func name(_ token: Int) -> SQLName {
    SQLName(token: token, value: SQLIdentifier.unquoted(source.tokens[token].text))
  }

  /// Reads operands and operators, and adds the names that they use.
  ///
  /// Ignores the precedence of operators, which does not matter for renaming.
  private mutating func read(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    try enter(weight: 1)
    defer { leave(weight: 1) }
    var openBetweens = 0
    var openLikes = 0
    while true {
      while take(word: "not") || takeSign() {}
      try operand(into: &expression)
      try suffixes(into: &expression)
      if take(word: "and") {
        openBetweens = max(0, openBetweens - 1)
      } else if take(word: "between") || take(words: "not", "between") {
        openBetweens += 1
      } else if takeLike() {
        openLikes += 1
      } else if openLikes > 0, take(word: "escape") {
        openLikes -= 1
      } else if !takeBinaryOperator() {
        break
      }
    }
    guard openBetweens == 0 else { throw expected("AND") }
  }

  private mutating func takeSign() -> Bool { take(operator: "-") || take(operator: "+") || take(operator: "~") }

  private mutating func takeLike() -> Bool {
    let ahead = isWord("not") ? 1 : 0
    guard ["like", "glob", "regexp", "match"].contains(where: { isWord($0, ahead: ahead) }) else { return false }
    index += ahead + 1
    return true
  }

  private static let binaryOperators: Set<String> = [
    "||", "->", "->>", "*", "/", "%", "+", "-", "&", "|", "<<", ">>", "<", "<=", ">", ">=", "=", "==", "<>", "!=",
  ]

  private mutating func takeBinaryOperator() -> Bool {
    guard let token = source.token(index) else { return false }
    if token.kind == .operator {
      guard Self.binaryOperators.contains(token.text) else { return false }
      index += 1
      return true
    }
    if take(word: "or") { return true }
    guard take(word: "is") else { return false }
    _ = take(word: "not")
    _ = take(words: "distinct", "from")
    return true
  }

  /// Reads suffixes of an operand: COLLATE, NULL tests, and IN with its right side.
  private mutating func suffixes(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    while true {
      if take(word: "collate") {
        _ = try collation()
      } else if take(word: "isnull") || take(word: "notnull") || take(words: "not", "null") {
        continue
      } else if take(word: "in") || take(words: "not", "in") {
        try inOperand(into: &expression)
      } else {
        return
      }
    }
  }

  private mutating func inOperand(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    if take(operator: "(") {
      if take(operator: ")") { return }
      try parenthesisRest(into: &expression)
      return
    }
    expression.tables.append(try qualifiedName("a table or a list"))
    if take(operator: "(") { try arguments(into: &expression) }
  }

  private mutating func operand(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    guard let token = source.token(index) else { throw expected("an expression") }
    switch token.kind {
    case .number, .blob, .variable: index += 1
    case .string where !isOperator(".", ahead: 1): index += 1
    case .string, .quotedIdentifier: try named(into: &expression)
    case .word: try word(token.folded, into: &expression)
    case .operator where token.text == "(":
      index += 1
      try parenthesisRest(into: &expression)
    default: throw expected("an expression")
    }
  }

  /// Reads a subquery or a list of expressions up to the closing parenthesis.
  private mutating func parenthesisRest(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    if beginsSelect {
      expression.subqueries.append(try select())
    } else {
      repeat { try read(into: &expression) } while take(operator: ",")
    }
    try expect(operator: ")")
  }

  private mutating func word(_ word: String, into expression: inout SQLExpression) throws(SQLSyntaxError) {
    switch word {
    case "null": index += 1
    case "current_date", "current_time", "current_timestamp": index += 1
    case "case": try caseOperand(into: &expression)
    case "exists":
      index += 1
      try expect(operator: "(")
      expression.subqueries.append(try select())
      try expect(operator: ")")
    case "cast":
      index += 1
      try expect(operator: "(")
      try read(into: &expression)
      try expect(word: "as")
      _ = try typeName()
      try expect(operator: ")")
    case "raise": try raise(into: &expression)
    default: try named(into: &expression)
    }
  }

  private mutating func caseOperand(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    try expect(word: "case")
    if !isWord("when") { try read(into: &expression) }
    repeat {
      try expect(word: "when")
      try read(into: &expression)
      try expect(word: "then")
      try read(into: &expression)
    } while isWord("when")
    if take(word: "else") { try read(into: &expression) }
    try expect(word: "end")
  }

  private mutating func raise(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    index += 1
    try expect(operator: "(")
    if !take(word: "ignore") {
      guard takeAny(of: ["rollback", "abort", "fail"]) != nil else { throw expected("IGNORE, ROLLBACK, ABORT or FAIL") }
      try expect(operator: ",")
      try read(into: &expression)
    }
    try expect(operator: ")")
  }

  private mutating func named(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    let isText = source.token(index)?.kind == .string
    let first = try name("an expression")
    if !isText, take(operator: "(") {
      try arguments(into: &expression)
      return try callSuffix(into: &expression)
    }
    guard take(operator: ".") else {
      expression.references.append(SQLColumnReference(schema: nil, table: nil, column: first))
      return
    }
    let second = try name("a column's name")
    guard take(operator: ".") else {
      expression.references.append(SQLColumnReference(schema: nil, table: first, column: second))
      return
    }
    expression.references.append(SQLColumnReference(schema: first, table: second, column: try name("a column's name")))
  }

  /// Reads the arguments of a function call, up to the closing parenthesis.
  mutating func arguments(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    if take(operator: ")") { return }
    if !take(operator: "*") {
      // SQLite's grammar allows an empty list after the keyword, too.
      if takeAny(of: ["distinct", "all"]) != nil, take(operator: ")") { return }
      repeat { try read(into: &expression) } while take(operator: ",")
      if take(words: "order", "by") { for term in try orderTerms() { expression.absorb(term) } }
    }
    try expect(operator: ")")
  }

  mutating func orderTerms() throws(SQLSyntaxError) -> [SQLExpression] {
    try list { parser throws(SQLSyntaxError) in try parser.indexedColumn().expression }
  }

  /// Reads `FILTER` and `OVER` (https://www.sqlite.org/windowfunctions.html).
  private mutating func callSuffix(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    if isWord("filter"), isOperator("(", ahead: 1) {
      index += 2
      try expect(word: "where")
      try read(into: &expression)
      try expect(operator: ")")
    }
    guard isWord("over"), isOperator("(", ahead: 1) || isName(ahead: 1) else { return }
    index += 1
    if take(operator: "(") { try window(into: &expression) } else { _ = try name("a window's name") }
  }

  /// Reads the definition of a window up to the closing parenthesis.
  mutating func window(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    let words = ["partition", "order", "range", "rows", "groups"]
    if isName(), !words.contains(where: { isWord($0) }) { _ = try name("a window's name") }
    if take(words: "partition", "by") { repeat { try read(into: &expression) } while take(operator: ",") }
    if take(words: "order", "by") { for term in try orderTerms() { expression.absorb(term) } }
    if takeAny(of: ["range", "rows", "groups"]) != nil {
      let hasTwoBounds = take(word: "between")
      try bound(into: &expression)
      if hasTwoBounds {
        try expect(word: "and")
        try bound(into: &expression)
      }
      if take(word: "exclude"), !take(words: "no", "others"), !take(words: "current", "row"), !take(word: "group") {
        try expect(word: "ties")
      }
    }
    try expect(operator: ")")
  }

  private mutating func bound(into expression: inout SQLExpression) throws(SQLSyntaxError) {
    if take(words: "current", "row") { return }
    if !take(word: "unbounded") { try read(into: &expression) }
    guard takeAny(of: ["preceding", "following"]) != nil else { throw expected("PRECEDING or FOLLOWING") }
  }
}
