/// The states that a record of statements had at the beginning of their transaction and at its savepoints
/// (https://www.sqlite.org/lang_savepoint.html).
///
/// A rollback undoes the statements since then, and the record must forget them.
package struct SQLSavepoints<State> {
  private var states: [(name: String, state: State)] = []

  /// Creates the states before any transaction.
  package init() {}

  /// Follows a statement that runs: retains the state at `BEGIN` or `SAVEPOINT`, releases it, or restores it.
  ///
  /// - Parameter state: The state of the record before the statement.
  package mutating func follow(_ kind: SQLStatementKind, _ sql: String, _ state: inout State) {
    switch kind {
    case .begin: return states = [("", state)]
    case .commit: return states = []
    case .rollback:
      state = states.first?.state ?? state
      return states = []
    case .savepoint, .release, .rollbackTo: break
    default: return
    }
    let tokenizer = SQLTokenizer(sql)
    let texts = tokenizer.filter { !$0.isTrivia }.map(tokenizer.text(of:))
    let name = SQLIdentifier.unquoted(texts.last { $0 != ";" } ?? "").asciiLowercased
    if kind == .savepoint { return states.append((name, state)) }
    // Of equal names, SQLite takes the last one.
    guard let place = states.lastIndex(where: { $0.name == name }) else { return }
    if kind == .rollbackTo { state = states[place].state }
    // A rollback does not release the savepoint itself.
    states.removeSubrange((kind == .release ? place : place + 1)...)
  }
}

extension SQLSavepoints: Sendable where State: Sendable {}
