/// A recursive descent parser for statements, following SQLite's grammar (`parse.y`).
///
/// Every loop either consumes a token or ends, and the nesting depth is limited, so no text causes an endless loop or
/// endless recursion.
struct SQLParser {
  let source: SQLSource

  var index = 0
  /// Whether the parser is inside the body of a trigger, whose statements allow fewer clauses.
  var isInTrigger = false
  private var depth = 0

  init(_ source: SQLSource) { self.source = source }

  /// Reads a whole statement, even if the thread's stack is small.
  static func statement(of source: SQLSource) throws(SQLSyntaxError) -> SQLTree.Statement {
    guard source.nesting > smallNesting else {
      var parser = SQLParser(source)
      return try parser.wholeStatement()
    }
    let outcome = LargeStack.run {
      var parser = SQLParser(source)
      do throws(SQLSyntaxError) { return .success(try parser.wholeStatement()) } catch { return .failure(error) }
    }
    guard let outcome else { throw SQLParser(source).failure(.tooDeep) }
    return try outcome.get()
  }

  /// The maximum nesting depth of text that is parsed on the caller's stack; an unoptimized build needs about 300 KiB
  /// of stack for this depth.
  private static let smallNesting = 30
  /// The default of SQLITE_MAX_EXPR_DEPTH (https://www.sqlite.org/limits.html#max_expr_depth).
  private static let maximumDepth = 1000

  /// Enters a nested part; throws `tooDeep` if the maximum depth is exceeded.
  ///
  /// `weight` is the number of nested expressions that would use as much stack as the part does.
  mutating func enter(weight: Int) throws(SQLSyntaxError) {
    guard depth + weight <= Self.maximumDepth else { throw failure(.tooDeep) }
    depth += weight
  }

  mutating func leave(weight: Int) { depth -= weight }

  func failure(_ kind: SQLSyntaxError.Kind) -> SQLSyntaxError {
    let token = source.token(index)
    return SQLSyntaxError(kind: kind, found: token?.text, utf8Offset: token?.range.lowerBound ?? source.bytes.count)
  }

  func expected(_ what: String) -> SQLSyntaxError { failure(.expected(what)) }

  // MARK: Tokens. `is` checks the next token or one after it, `take` reads it if it matches, `expect` throws otherwise.

  func isWord(_ word: String, ahead: Int = 0) -> Bool { source.token(index + ahead)?.isWord(word) == true }

  func isOperator(_ text: String, ahead: Int = 0) -> Bool { source.token(index + ahead)?.isOperator(text) == true }

  func isWords(_ words: String...) -> Bool {
    for (ahead, word) in words.enumerated() where !isWord(word, ahead: ahead) { return false }
    return true
  }

  mutating func take(word: String) -> Bool {
    guard isWord(word) else { return false }
    index += 1
    return true
  }

  mutating func take(words: String...) -> Bool {
    for (ahead, word) in words.enumerated() where !isWord(word, ahead: ahead) { return false }
    index += words.count
    return true
  }

  mutating func takeAny(of words: [String]) -> String? { words.first { take(word: $0) } }

  mutating func take(operator text: String) -> Bool {
    guard isOperator(text) else { return false }
    index += 1
    return true
  }

  mutating func expect(word: String) throws(SQLSyntaxError) {
    guard take(word: word) else { throw expected(word.uppercased()) }
  }

  mutating func expect(words: String...) throws(SQLSyntaxError) {
    for word in words { try expect(word: word) }
  }

  mutating func expect(operator text: String) throws(SQLSyntaxError) {
    guard take(operator: text) else { throw expected("\"\(text)\"") }
  }

  /// Returns whether a token may be a name where the grammar requires one (rule `nm`); `ahead` is 0 for the next token.
  func isName(ahead: Int = 0) -> Bool { isName(at: index + ahead) { !SQLKeyword.isReserved($0) } }

  /// Whether the next token may be a name where the grammar also allows other tokens (rule `ids`).
  var isPlainName: Bool { isName(at: index, SQLKeyword.isPlainName) }

  private func isName(at index: Int, _ allows: (String) -> Bool) -> Bool {
    guard let token = source.token(index) else { return false }
    switch token.kind {
    case .quotedIdentifier, .string: return true
    case .word: return allows(token.folded) && !isWindowKeyword(at: index)
    default: return false
    }
  }

  /// Returns whether SQLite's tokenizer reads a token as the keyword `WINDOW`, which depends on the next two tokens.
  private func isWindowKeyword(at index: Int) -> Bool {
    guard source.token(index)?.isWord("window") == true, source.token(index + 2)?.isWord("as") == true,
      let name = source.token(index + 1)
    else { return false }
    return name.kind == .quotedIdentifier || name.kind == .string
      || name.kind == .word && !SQLKeyword.isReserved(name.folded)
  }

  /// Reads a name; `what` describes the name in the error message.
  mutating func name(_ what: String) throws(SQLSyntaxError) -> SQLName {
    guard isName(), let token = source.token(index) else { throw expected(what) }
    index += 1
    return SQLName(token: index - 1, value: SQLIdentifier.unquoted(token.text))
  }

  /// Reads the name of a collation after COLLATE (rule `ids` of the grammar).
  mutating func collation() throws(SQLSyntaxError) -> SQLName {
    guard isPlainName else { throw expected("a collation") }
    return try name("a collation")
  }

  mutating func qualifiedName(_ what: String) throws(SQLSyntaxError) -> SQLQualifiedName {
    let first = try name(what)
    guard take(operator: ".") else { return SQLQualifiedName(schema: nil, name: first) }
    return SQLQualifiedName(schema: first, name: try name(what))
  }

  /// Reads a list of at least one element, separated by commas.
  mutating func list<T>(_ element: (inout SQLParser) throws(SQLSyntaxError) -> T) throws(SQLSyntaxError) -> [T] {
    var elements = [try element(&self)]
    while take(operator: ",") { elements.append(try element(&self)) }
    return elements
  }

  /// Reads a list of at least one element in parentheses, separated by commas.
  mutating func parenthesized<T>(
    _ element: (inout SQLParser) throws(SQLSyntaxError) -> T
  ) throws(SQLSyntaxError) -> [T] {
    try expect(operator: "(")
    let elements = try list(element)
    try expect(operator: ")")
    return elements
  }

  /// Reads column names in parentheses; returns an empty array if there are none.
  mutating func columnNames() throws(SQLSyntaxError) -> [SQLName] {
    guard isOperator("(") else { return [] }
    return try parenthesized { parser throws(SQLSyntaxError) in
      let name = try parser.name("a column's name")
      // Old schemas contain these keywords where they have no effect; SQLite accepts them when it reads a schema.
      if parser.take(word: "collate") { _ = try parser.collation() }
      _ = parser.takeAny(of: ["asc", "desc"])
      return name
    }
  }
}

extension SQLTree {
  /// Parses one statement, with or without a semicolon at the end.
  ///
  /// - Throws: ``SQLSyntaxError`` with the position at which the text is invalid.
  package init(parsing sql: String) throws(SQLSyntaxError) { try self.init(SQLSource(sql)) }

  /// Parses one statement that is already split into tokens; throws the same errors as ``init(parsing:)``.
  package init(_ source: SQLSource) throws(SQLSyntaxError) {
    self.source = source
    statement = try SQLParser.statement(of: source)
  }
}
