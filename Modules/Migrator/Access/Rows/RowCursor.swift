/// The rows of a statement; only one of them is in memory at a time.
public final class RowCursor: Cursor {
  private let run: StatementRun

  init(_ statement: Statement, arguments: StatementArguments) throws {
    run = try StatementRun(statement, arguments: arguments)
  }

  /// The next row, nil when there is no more.
  ///
  /// - Throws: ``DatabaseError``; the cursor is at its end then.
  public func next() throws -> Row? { try run.next() }

  /// Calls `body` with each row that is left.
  ///
  /// The fastest way to read many rows: a row that `body` does not keep is not even counted.
  ///
  /// - Throws: ``DatabaseError``; what `body` throws, and the rows behind are left then.
  public func forEach(_ body: (Row) throws -> Void) throws { try run.forEach(body) }
}
