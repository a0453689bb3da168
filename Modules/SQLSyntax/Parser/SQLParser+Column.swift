extension SQLParser {
  mutating func columnDefinition() throws(SQLSyntaxError) -> SQLColumnSyntax {
    let start = index
    let name = try self.name("a column's name")
    var column = SQLColumnSyntax(tokens: start..<start, name: name, type: try typeName())
    while let constraint = try columnConstraint() {
      if case .deferral(let isDeferrable, let isInitiallyDeferred) = constraint.kind {
        column.heed(isDeferrable: isDeferrable, isInitiallyDeferred: isInitiallyDeferred)
      }
      column.constraints.append(constraint)
    }
    column.tokens = start..<index
    return column
  }

  /// Reads a type name if there is one: one or more identifiers, optionally followed by one or two numbers in
  /// parentheses.
  mutating func typeName() throws(SQLSyntaxError) -> Range<Int> {
    let start = index
    while isPlainName, !isWords("generated", "always", "as") { index += 1 }
    guard index > start, isOperator("(") else { return start..<index }
    _ = try parenthesized { parser throws(SQLSyntaxError) in try parser.signedNumber() }
    return start..<index
  }

  private mutating func signedNumber() throws(SQLSyntaxError) {
    if !take(operator: "-") { _ = take(operator: "+") }
    guard source.token(index)?.kind == .number else { throw expected("a number") }
    index += 1
  }

  private mutating func columnConstraint() throws(SQLSyntaxError) -> SQLColumnConstraint? {
    let start = index
    let name = take(word: "constraint") ? try self.name("a constraint's name") : nil
    let kind = try columnConstraintKind()
    guard kind != nil || name != nil else { return nil }
    return SQLColumnConstraint(tokens: start..<index, name: name, kind: kind ?? .nothing)
  }

  private mutating func columnConstraintKind() throws(SQLSyntaxError) -> SQLColumnConstraint.Kind? {
    guard let token = source.token(index), token.kind == .word else { return nil }
    switch token.folded {
    case "primary": return try primaryKey()
    case "not":
      if isWord("deferrable", ahead: 1) { return try columnDeferral() }
      index += 1
      try expect(word: "null")
      return .notNull(onConflict: try conflictClause())
    case "null":
      index += 1
      return .null(onConflict: try conflictClause())
    case "unique":
      index += 1
      return .unique(onConflict: try conflictClause())
    case "check":
      index += 1
      return .check(try parenthesizedExpression(), onConflict: nil)
    case "default": return .defaultValue(try defaultValue())
    case "collate":
      index += 1
      return .collate(try collation())
    case "references": return .references(try foreignKeyClause())
    case "deferrable": return try columnDeferral()
    case "generated" where isWord("always", ahead: 1), "as": return try generated()
    default: return nil
    }
  }

  private mutating func primaryKey() throws(SQLSyntaxError) -> SQLColumnConstraint.Kind {
    try expect(words: "primary", "key")
    let order = takeAny(of: ["asc", "desc"])
    let onConflict = try conflictClause()
    return .primaryKey(
      isDescending: order == "desc", onConflict: onConflict, isAutoincrement: take(word: "autoincrement"))
  }

  private mutating func columnDeferral() throws(SQLSyntaxError) -> SQLColumnConstraint.Kind {
    let (isDeferrable, isInitiallyDeferred) = try deferral()
    return .deferral(isDeferrable: isDeferrable, isInitiallyDeferred: isInitiallyDeferred)
  }

  private mutating func generated() throws(SQLSyntaxError) -> SQLColumnConstraint.Kind {
    _ = take(words: "generated", "always")
    try expect(word: "as")
    let expression = try parenthesizedExpression()
    guard isWord("stored") || isWord("virtual") else { return .generated(expression, storage: nil) }
    return .generated(expression, storage: try name("STORED or VIRTUAL"))
  }

  /// Reads `DEFAULT` with a literal, a keyword, or an expression in parentheses.
  private mutating func defaultValue() throws(SQLSyntaxError) -> SQLExpression {
    try expect(word: "default")
    let start = index
    if take(operator: "(") {
      var expression = try self.expression()
      try expect(operator: ")")
      expression.tokens = start..<index
      return expression
    }
    let isSigned = take(operator: "-") || take(operator: "+")
    guard let token = source.token(index) else { throw expected("a default") }
    switch token.kind {
    case .number, .string, .blob: break
    case .quotedIdentifier where !isSigned: break
    case .word where token.folded == "null" || token.folded.hasPrefix("current_"): break
    case .word where !isSigned && (isPlainName || token.folded == "indexed"): break
    default: throw expected("a default: a literal, a keyword, or an expression in parentheses")
    }
    index += 1
    return SQLExpression(tokens: start..<index)
  }
}

extension SQLColumnSyntax {
  /// Stores a `DEFERRABLE` clause in the column's last foreign key.
  fileprivate mutating func heed(isDeferrable: Bool, isInitiallyDeferred: Bool?) {
    for index in constraints.indices.reversed() {
      guard case .references(var clause) = constraints[index].kind else { continue }
      clause.isDeferrable = isDeferrable
      clause.isInitiallyDeferred = isInitiallyDeferred
      constraints[index] = SQLColumnConstraint(
        tokens: constraints[index].tokens, name: constraints[index].name, kind: .references(clause))
      return
    }
  }
}
