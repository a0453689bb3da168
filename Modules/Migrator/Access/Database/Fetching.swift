extension Row {
  /// The first row, nil when there is none.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Row? {
    // The cursor ends here, and leaves its values with the row.
    try fetchCursor(db, sql: sql, arguments: arguments).next()
  }

  /// All rows, in the statement's order.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Row] {
    try fetchCursor(db, sql: sql, arguments: arguments).all()
  }

  /// The rows one at a time, in the statement's order.
  public static func fetchCursor(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> RowCursor {
    try RowCursor(db.cachedStatement(sql: sql), arguments: arguments)
  }

  /// The rows of a statement one at a time.
  public static func fetchCursor(_ statement: Statement, arguments: StatementArguments = []) throws -> RowCursor {
    try RowCursor(statement, arguments: arguments)
  }
}

extension DatabaseValueConvertible {
  /// The value in the first row and column; nil when there is no row, or when it holds NULL.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
    try ValueCursor<Self>(db.cachedStatement(sql: sql), arguments: arguments).nextOptional() ?? nil
  }

  /// The values in the first column, in the statement's order.
  ///
  /// - Throws: ``DatabaseError``, as conversion when one of them is NULL: fetch optionals then.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
    try fetchCursor(db, sql: sql, arguments: arguments).all()
  }

  /// The values in the first column, one at a time.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = []
  ) throws -> ValueCursor<Self> {
    try ValueCursor(db.cachedStatement(sql: sql), arguments: arguments)
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// The distinct values in the first column.
  public static func fetchSet(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Set<Self> {
    Set(try fetchAll(db, sql: sql, arguments: arguments))
  }
}

extension Optional where Wrapped: DatabaseValueConvertible {
  /// The values in the first column, in the statement's order, nil for NULL.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Wrapped?] {
    let cursor = try Wrapped.fetchCursor(db, sql: sql, arguments: arguments)
    var values: [Wrapped?] = []
    while let value = try cursor.nextOptional() { values.append(value) }
    return values
  }
}
