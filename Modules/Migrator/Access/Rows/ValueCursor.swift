/// The values in the first column of a statement's rows.
public final class ValueCursor<Value: DatabaseValueConvertible>: Cursor {
  private let run: StatementRun

  init(_ statement: Statement, arguments: StatementArguments) throws {
    run = try StatementRun(statement, arguments: arguments)
  }

  /// The next value, nil when there is no more row.
  ///
  /// - Throws: ``DatabaseError``, as conversion when the value is NULL or of another type.
  public func next() throws -> Value? {
    guard let row = try run.next() else { return nil }
    return try row[0] as Value
  }

  /// The next value or NULL, nil when there is no more row.
  func nextOptional() throws -> Value?? {
    guard let row = try run.next() else { return nil }
    return .some(try row[0] as Value?)
  }
}
