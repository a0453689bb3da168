internal import SQLSyntax

/// Watches over the statements of one migration.
///
/// It refuses what would silently do nothing or end the migration's transaction, lets the watch over foreign keys see
/// each statement before it runs, and has the ledger completed for those that may look into it.
final class MigrationInspector: StatementInspector {
  private let db: Database
  private let watch: ForeignKeyWatch?
  private let unwritten: UnwrittenEntries

  init(_ db: Database, watch: ForeignKeyWatch?, unwritten: UnwrittenEntries) {
    self.db = db
    self.watch = watch
    self.unwritten = unwritten
  }

  func willRun(_ sql: String, isTrusted: Bool) throws {
    let first = FirstWord(of: sql)
    if !isTrusted, !first.isHarmless, let reason = Self.refusal(of: SQLStatementKind(of: sql)) {
      throw MigrationError.refusedStatement(sql: sql, reason: reason)
    }
    try watch?.statementPrepared(sql)
    if !unwritten.isEmpty, first != .create || !sql.readsNothing { try unwritten.write(db) }
  }

  func mark() -> Int { unwritten.writtenCount }

  func didRollBack(to mark: Int) { unwritten.writtenCount = mark }

  func willPrepare() { watch?.statementWillBePrepared() }

  func didFailToPrepare(_ sql: String) throws { try watch?.statementPrepared(sql) }

  private static func refusal(of kind: SQLStatementKind) -> String? {
    switch kind {
    case .begin, .commit, .rollback:
      "each migration runs in a transaction of its own, which it cannot end. Throw an error to roll back, or use "
        + "inSavepoint to undo a part."
    case .pragma("foreign_keys", hasArgument: true, _):
      "it does nothing inside a transaction. Choose the migration's foreignKeyChecks instead."
    case .pragma("journal_mode", hasArgument: true, _):
      "the journal mode cannot change inside a transaction. Set it in the configuration."
    case .pragma(let name, hasArgument: true, _) where name == "page_size" || name == "encoding":
      "it does nothing inside a transaction. Set it when the database is created."
    case .vacuum: "it cannot run inside a transaction. Call vacuum() after the migrations."
    case .attach, .detach: "databases cannot be attached or detached inside a transaction."
    default: nil
    }
  }
}

/// The first word of a statement, as far as it is one of those that migrations mostly begin with.
private struct FirstWord: Equatable {
  /// The letters in upper case, one byte each; zero for words of more than six.
  private let letters: UInt64

  static let create = FirstWord(of: "CREATE")
  private static let harmless = [create] + ["INSERT", "UPDATE", "ALTER", "DROP"].map(FirstWord.init)

  init(of sql: String) {
    var letters: UInt64 = 0
    var count = 0
    for byte in sql.utf8.prefix(7) {
      guard (0x41...0x5a).contains(byte & 0xdf) else { break }
      letters = letters << 8 | UInt64(byte & 0xdf)
      count += 1
    }
    self.letters = count < 7 ? letters : 0
  }

  /// Whether no statement is refused that begins with this word.
  var isHarmless: Bool { Self.harmless.contains(self) }
}

extension String {
  /// Whether a statement that makes an object reads no table for it, whatever views and triggers there are: it holds
  /// neither a query nor what a module may do on its own.
  fileprivate var readsNothing: Bool { !holdsWord("select") && !holdsWord("virtual") }
}
