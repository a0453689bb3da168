extension Row {
  /// Returns the first row; nil if there is none.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Row? {
    // The cursor ends here, and its values move to the row.
    try fetchCursor(db, sql: sql, arguments: arguments).next()
  }

  /// Returns all rows, in the statement's order.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Row] {
    try fetchCursor(db, sql: sql, arguments: arguments).all()
  }

  /// Returns a cursor over the rows, in the statement's order.
  public static func fetchCursor(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> RowCursor {
    try RowCursor(db.cachedStatement(sql: sql), arguments: arguments)
  }

  /// Returns a cursor over the rows of a statement.
  public static func fetchCursor(_ statement: Statement, arguments: StatementArguments = []) throws -> RowCursor {
    try RowCursor(statement, arguments: arguments)
  }
}

extension DatabaseValueConvertible {
  /// Returns the value in the first row and column; nil if there is no row or the value is NULL.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
    try ValueCursor<Self>(db.cachedStatement(sql: sql), arguments: arguments).nextOptional() ?? nil
  }

  /// Returns the values in the first column, in the statement's order.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.conversion` if a value is NULL: fetch optionals to allow NULL.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
    try fetchCursor(db, sql: sql, arguments: arguments).all()
  }

  /// Returns a cursor over the values in the first column.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = []
  ) throws -> ValueCursor<Self> {
    try ValueCursor(db.cachedStatement(sql: sql), arguments: arguments)
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// Returns the distinct values in the first column.
  public static func fetchSet(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Set<Self> {
    Set(try fetchAll(db, sql: sql, arguments: arguments))
  }
}

extension Optional where Wrapped: DatabaseValueConvertible {
  /// Returns the values in the first column, in the statement's order, with nil for NULL.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Wrapped?] {
    let cursor = try Wrapped.fetchCursor(db, sql: sql, arguments: arguments)
    var values: [Wrapped?] = []
    while let value = try cursor.nextOptional() { values.append(value) }
    return values
  }
}
