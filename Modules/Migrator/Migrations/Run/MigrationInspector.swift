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
    if !isTrusted, !sql.beginsHarmlessly, let reason = Self.refusal(of: SQLStatementKind(of: sql)) {
      throw MigrationError.refusedStatement(sql: sql, reason: reason)
    }
    try watch?.statementPrepared(sql)
    if !unwritten.isEmpty, !sql.onlyCreates { try unwritten.write(db) }
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

extension String {
  /// Whether a statement makes an object and reads no table for it, whatever views and triggers there are: it begins with
  /// CREATE, and holds neither a query nor what a module may do on its own.
  fileprivate var onlyCreates: Bool {
    utf8.prefix(6).elementsEqual("CREATE".utf8) { $0 & 0xdf == $1 } && !holdsWord("select") && !holdsWord("virtual")
  }

  /// Whether a statement is of the kinds that migrations mostly run, and none of which is refused: its first word is
  /// CREATE, INSERT, UPDATE, ALTER or DROP.
  fileprivate var beginsHarmlessly: Bool {
    var start: UInt64 = 0
    var count = 0
    for byte in utf8.prefix(7) {
      guard (0x41...0x5a).contains(byte & 0xdf) else { break }
      start = start << 8 | UInt64(byte & 0xdf)
      count += 1
    }
    // Longer words give other numbers, and a word that is shorter and ends here is one of these or none.
    return count < 7 && Self.harmlessStarts.contains(start)
  }

  private static let harmlessStarts = Set(
    ["CREATE", "INSERT", "UPDATE", "ALTER", "DROP"].map { word in
      word.utf8.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    })
}
