extension Row {
  /// The first row, nil when there is none.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = StatementArguments()) throws
    -> Row?
  {
    // The cursor ends here, and leaves its values with the row.
    try fetchCursor(db, sql: sql, arguments: arguments).next()
  }

  /// All rows, in the statement's order.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = StatementArguments()) throws
    -> [Row]
  {
    try fetchCursor(db, sql: sql, arguments: arguments).all()
  }

  /// The rows one at a time, in the statement's order.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments()
  ) throws -> RowCursor {
    try RowCursor(db.cachedStatement(sql: sql), arguments: arguments)
  }

  /// The rows of a statement one at a time.
  public static func fetchCursor(_ statement: Statement, arguments: StatementArguments = StatementArguments()) throws
    -> RowCursor
  {
    try RowCursor(statement, arguments: arguments)
  }
}
