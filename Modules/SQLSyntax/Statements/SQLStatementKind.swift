/// What a statement does that a migrator must know of before it runs it.
///
/// Told from the first tokens alone. `EXPLAIN COMMIT` commits nothing, and is `other`.
package enum SQLStatementKind: Hashable, Sendable {
  /// `BEGIN`, of any sort.
  case begin
  /// `COMMIT`, or its synonym `END`.
  case commit
  /// `ROLLBACK` of the whole transaction.
  case rollback
  /// `SAVEPOINT`.
  case savepoint
  /// `RELEASE` of a savepoint.
  case release
  /// `ROLLBACK TO` a savepoint.
  case rollbackTo
  /// `PRAGMA`: the name in lower case without its schema, and the value that stands behind `=` or in parentheses, without
  /// quotes and in its own case. The argument is nil when there is none, and when it is not a single value.
  case pragma(name: String, hasArgument: Bool, argument: String?)
  /// `VACUUM`, into another file or not.
  case vacuum
  /// `ATTACH` of a database.
  case attach
  /// `DETACH` of a database.
  case detach
  /// Any other statement, and text that holds none.
  case other

  /// Tells the kind of a statement; comments, blanks and semicolons before it are skipped.
  package init(of sql: String) {
    switch SignificantTokens(of: sql, count: 1).word(at: 0) {
    case "begin": self = .begin
    case "commit", "end": self = .commit
    case "rollback": self = SignificantTokens(of: sql, count: 3).rollsBackToSavepoint ? .rollbackTo : .rollback
    case "savepoint": self = .savepoint
    case "release": self = .release
    case "pragma": self = SignificantTokens(of: sql, count: 8).pragma
    case "vacuum": self = .vacuum
    case "attach": self = .attach
    case "detach": self = .detach
    default: self = .other
    }
  }
}

/// The first tokens of a statement that are neither comments nor blanks.
private struct SignificantTokens {
  private var tokens: [(kind: SQLToken.Kind, text: String)] = []

  init(of sql: String, count: Int) {
    let tokenizer = SQLTokenizer(sql)
    for token in tokenizer where !token.isTrivia {
      let text = tokenizer.text(of: token)
      if tokens.isEmpty, text == ";" { continue }
      tokens.append((token.kind, text))
      if tokens.count == count { break }
    }
  }

  /// The bare word at a place, in lower case; nil for any other token.
  func word(at index: Int) -> String? {
    guard index < tokens.count, tokens[index].kind == .word else { return nil }
    return tokens[index].text.asciiLowercased
  }

  /// `ROLLBACK [TRANSACTION] TO` (https://sqlite.org/lang_savepoint.html).
  var rollsBackToSavepoint: Bool {
    word(at: 1) == "to" || (word(at: 1) == "transaction" && word(at: 2) == "to")
  }

  /// `PRAGMA [schema.]name [= value | (value)]` (https://sqlite.org/pragma.html).
  var pragma: SQLStatementKind {
    let nameIndex = text(at: 2) == "." ? 3 : 1
    guard let name = value(at: nameIndex) else { return .other }
    let mark = text(at: nameIndex + 1)
    let hasArgument = mark == "=" || mark == "("
    return .pragma(
      name: name.asciiLowercased, hasArgument: hasArgument,
      argument: hasArgument ? signedValue(at: nameIndex + 2) : nil)
  }

  private func text(at index: Int) -> String? {
    index < tokens.count ? tokens[index].text : nil
  }

  private func value(at index: Int) -> String? {
    guard index < tokens.count else { return nil }
    switch tokens[index].kind {
    case .word, .number: return tokens[index].text
    case .quotedIdentifier, .string: return SQLIdentifier.unquoted(tokens[index].text)
    default: return nil
    }
  }

  private func signedValue(at index: Int) -> String? {
    switch text(at: index) {
    case "-": value(at: index + 1).map { "-" + $0 }
    case "+": value(at: index + 1)
    default: value(at: index)
    }
  }
}
