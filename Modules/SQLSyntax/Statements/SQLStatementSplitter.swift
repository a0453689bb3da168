/// A splitter that divides a script into its statements.
///
/// Semicolons in strings, names, comments and the bodies of triggers do not end a statement. Empty statements are
/// dropped, and the last statement needs no semicolon. Lines may end with LF, CR LF or CR, and the script may start
/// with a byte order mark.
package struct SQLStatementSplitter {
  private let tokenizer: SQLTokenizer
  private var cursor: SQLPositionCursor
  private var statements: [SQLStatement] = []
  private var open: OpenStatement?
  private let firstNUL: Int

  /// Returns the statements of a script, in order; empty for a script that contains only comments.
  ///
  /// Throws if a string, a name, a comment or a trigger is not terminated, so that no part of a wrongly split script
  /// runs. Other errors in the SQL are not detected here; the engine reports them.
  package static func split(_ script: String) throws(SQLTextError) -> [SQLStatement] {
    var splitter = SQLStatementSplitter(script)
    return try splitter.run()
  }

  /// Returns the statements of a script up to the first fault, and the fault with the offset in UTF-8 bytes at which its
  /// statement begins, or the fault itself if it is between two statements; nil for a script without a fault.
  package static func splitToFault(
    _ script: String
  ) -> (statements: [SQLStatement], fault: (error: SQLTextError, start: Int, isInStatement: Bool)?) {
    var splitter = SQLStatementSplitter(script)
    do throws(SQLTextError) {
      return (try splitter.run(), nil)
    } catch {
      let open = splitter.open
      return (splitter.statements, (error, open?.start ?? error.utf8Offset, open != nil))
    }
  }

  private init(_ script: String) {
    tokenizer = SQLTokenizer(script)
    cursor = SQLPositionCursor(bytes: tokenizer.bytes)
    firstNUL = tokenizer.bytes.firstIndex(of: 0) ?? .max
  }

  private mutating func run() throws(SQLTextError) -> [SQLStatement] {
    for token in tokenizer { try consume(token) }
    if let last = open {
      guard last.isComplete else { throw unfinishedTrigger(last) }
      close(last)
    }
    return statements
  }

  private mutating func consume(_ token: SQLToken) throws(SQLTextError) {
    guard token.range.upperBound <= firstNUL else { throw error(.nulByte, at: firstNUL) }
    switch token.kind {
    case .whitespace:
      return
    case .comment:
      // SQLite treats an unclosed comment as closed by the end of the text (https://sqlite.org/lang_comment.html), and
      // would silently skip statements that the author wants to run.
      guard tokenizer.isClosed(comment: token) else { throw error(.unterminatedComment, at: token.range.lowerBound) }
    case .unterminated:
      throw unterminated(token)
    default:
      try consumeSignificant(token)
    }
  }

  private mutating func consumeSignificant(_ token: SQLToken) throws(SQLTextError) {
    let isSemicolon = tokenizer.bytes[token.range.lowerBound] == UInt8(ascii: ";") && token.kind == .operator
    guard !isSemicolon || open != nil else { return }
    var current =
      open
      ?? OpenStatement(
        start: token.range.lowerBound, end: token.range.upperBound,
        position: cursor.position(ofUTF8Offset: token.range.lowerBound))
    if isSemicolon {
      if current.isComplete { return close(current) }
      guard current.acceptSemicolon() else { throw unfinishedTrigger(current) }
    } else {
      guard current.accept(word: token.kind == .word ? tokenizer.text(of: token).asciiLowercased : nil) else {
        throw error(.missingSemicolonAfterTrigger, at: token.range.lowerBound)
      }
    }
    current.end = token.range.upperBound
    open = current
  }

  private mutating func close(_ statement: OpenStatement) {
    let range = statement.start..<statement.end
    let text = String(decoding: tokenizer.bytes[range], as: UTF8.self)
    statements.append(SQLStatement(text: text, utf8Range: range, position: statement.position))
    open = nil
  }

  private func unfinishedTrigger(_ statement: OpenStatement) -> SQLTextError {
    SQLTextError(kind: .unfinishedTrigger, position: statement.position, utf8Offset: statement.start)
  }

  private mutating func unterminated(_ token: SQLToken) -> SQLTextError {
    let start = token.range.lowerBound
    let isName = [UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "[")].contains(tokenizer.bytes[start])
    return error(isName ? .unterminatedIdentifier : .unterminatedString, at: start)
  }

  private mutating func error(_ kind: SQLTextError.Kind, at offset: Int) -> SQLTextError {
    SQLTextError(kind: kind, position: cursor.position(ofUTF8Offset: offset), utf8Offset: offset)
  }

  /// A statement that has been read in part.
  ///
  /// The end is found as in `sqlite3_complete` (https://sqlite.org/c3ref/complete.html): a trigger ends at the
  /// semicolon after an `END` that directly follows a semicolon. Neither the `END` of a `CASE` nor a column named
  /// `end` can follow a semicolon, so the splitter need not count CASEs.
  private struct OpenStatement {
    enum State {
      /// Nothing yet, or only `EXPLAIN [QUERY PLAN]`.
      case prefix
      /// Only `CREATE [TEMP]` so far.
      case create
      /// A statement that cannot be a trigger.
      case plain
      /// In a trigger, before the `BEGIN` of its body.
      case triggerHead
      /// In a trigger's body, inside a statement.
      case triggerBody
      /// In a trigger's body, after a semicolon.
      case triggerBoundary
      /// After the `END` of a trigger.
      case triggerEnd
    }

    let start: Int
    var end: Int
    let position: SQLTextPosition
    var state = State.prefix

    /// Whether a semicolon, or the end of the script, ends the statement in the current state.
    var isComplete: Bool {
      switch state {
      case .prefix, .create, .plain, .triggerEnd: true
      case .triggerHead, .triggerBody, .triggerBoundary: false
      }
    }

    /// Accepts a token other than a semicolon; returns false if the token is not allowed here.
    ///
    /// `word` is the text, in lower case, of an unquoted keyword or identifier; it is evaluated only where it matters.
    mutating func accept(word: @autoclosure () -> String?) -> Bool {
      switch (state, state == .plain || state == .triggerBody ? nil : word()) {
      case (.plain, _), (.triggerBody, _), (.prefix, "explain"), (.prefix, "query"), (.prefix, "plan"),
        (.create, "temp"), (.create, "temporary"):
        break
      case (.prefix, "create"): state = .create
      case (.create, "trigger"): state = .triggerHead
      case (.prefix, _), (.create, _): state = .plain
      case (.triggerHead, let word): if word == "begin" { state = .triggerBody }
      case (.triggerBoundary, let word): state = word == "end" ? .triggerEnd : .triggerBody
      case (.triggerEnd, _): return false
      }
      return true
    }

    /// Accepts a semicolon inside the statement; returns false if the statement is a trigger whose body has not begun.
    mutating func acceptSemicolon() -> Bool {
      guard state != .triggerHead else { return false }
      state = .triggerBoundary
      return true
    }
  }
}

/// One statement of a script, and its position in the script.
package struct SQLStatement: Sendable {
  /// The statement from its first token to its last, without surrounding comments and without its semicolon.
  package let text: String

  /// The range of the statement in the script, in UTF-8 bytes.
  package let utf8Range: Range<Int>
  /// The position in the script of the statement's first token.
  package let position: SQLTextPosition

  /// The line of the first token in the script, from 1.
  package var line: Int { position.line }
  /// The column of the first token in the script, from 1.
  package var column: Int { position.column }
  /// The kind of the statement, such as `begin` or `pragma`; parses the first tokens on each access.
  package var kind: SQLStatementKind { SQLStatementKind(of: text) }

  /// Converts an offset in the statement's text, such as that of a syntax error, to a position in the script.
  package func position(ofUTF8Offset offset: Int) -> SQLTextPosition {
    let local = SQLTextPosition(ofUTF8Offset: offset, in: text)
    guard local.line == 1 else { return SQLTextPosition(line: line + local.line - 1, column: local.column) }
    return SQLTextPosition(line: line, column: column + local.column - 1)
  }
}
