/// The rows of a statement; only one of them is in memory at a time.
public final class RowCursor: Cursor {
  private let run: StatementRun
  private var storage: RowStorage
  private var isAtFirstRow = true

  init(_ statement: Statement, arguments: StatementArguments) throws {
    run = try StatementRun(statement, arguments: arguments)
    storage = RowStorage(statement)
  }

  // Rows that were kept outlive the statement.
  deinit { storage.detach() }

  /// The next row, nil when there is no more.
  ///
  /// - Throws: ``DatabaseError``; the cursor is at its end then.
  public func next() throws -> Row? {
    // A row that nobody kept gives its storage to the next one, without an allocation.
    if !isKnownUniquelyReferenced(&storage) {
      storage.detach()
      storage = RowStorage(run.statement)
    }
    guard try run.step() else { return nil }
    if isAtFirstRow {
      isAtFirstRow = false
      if run.statement.noticeNewColumns() { storage = RowStorage(run.statement) }
    }
    return Row(storage)
  }
}
