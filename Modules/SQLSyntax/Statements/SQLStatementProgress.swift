/// Tells whether a semicolon ends a statement, given the statement's tokens one by one.
///
/// The rule is that of `sqlite3_complete` (https://sqlite.org/c3ref/complete.html): a trigger ends at the semicolon after
/// an `END` that itself follows a semicolon. The `END` of a `CASE` never does, nor does a column named `end`, so nothing
/// needs to be counted.
struct SQLStatementProgress {
  private enum State {
    /// Only `EXPLAIN [QUERY PLAN]` so far, or nothing.
    case prefix
    /// `CREATE [TEMP]` so far.
    case create
    /// Surely no trigger.
    case plain
    /// In a trigger, before its `BEGIN`.
    case triggerHead
    /// In a trigger's body, inside a statement.
    case triggerBody
    /// In a trigger's body, after a semicolon.
    case triggerBoundary
    /// After the `END` of a trigger.
    case triggerEnd
  }

  private var state = State.prefix

  /// True when a semicolon, or the end of the script, ends the statement here.
  var isComplete: Bool {
    switch state {
    case .prefix, .create, .plain, .triggerEnd: true
    case .triggerHead, .triggerBody, .triggerBoundary: false
    }
  }

  /// Whether it matters which word comes next; true of few tokens, so that the others need not be read.
  var readsWords: Bool {
    switch state {
    case .prefix, .create, .triggerHead, .triggerBoundary: true
    case .plain, .triggerBody, .triggerEnd: false
    }
  }

  /// Takes a token that is no semicolon, as its text if it is a bare word; false when no token may stand here.
  ///
  /// The text counts only if ``readsWords`` is true.
  mutating func accept(word: String?) -> Bool {
    switch state {
    case .plain, .triggerBody:
      break
    case .prefix:
      state = stateAfterPrefix(word?.asciiLowercased)
    case .create:
      state = stateAfterCreate(word?.asciiLowercased)
    case .triggerHead:
      if word?.asciiLowercased == "begin" { state = .triggerBody }
    case .triggerBoundary:
      state = word?.asciiLowercased == "end" ? .triggerEnd : .triggerBody
    case .triggerEnd:
      return false
    }
    return true
  }

  /// Takes a semicolon that does not end the statement; false when it breaks a trigger off before its body.
  mutating func acceptSemicolon() -> Bool {
    guard state != .triggerHead else { return false }
    state = .triggerBoundary
    return true
  }

  private func stateAfterPrefix(_ word: String?) -> State {
    switch word {
    case "explain", "query", "plan": .prefix
    case "create": .create
    default: .plain
    }
  }

  private func stateAfterCreate(_ word: String?) -> State {
    switch word {
    case "temp", "temporary": .create
    case "trigger": .triggerHead
    default: .plain
    }
  }
}
