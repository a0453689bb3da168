internal import SQLSyntax

extension Database {
  /// Runs one or more statements and ignores the rows that they return.
  ///
  /// - Parameter arguments: The values for the parameters of all statements, in order.
  /// - Throws: ``DatabaseError``. The statements before the failing one remain in effect; to undo them as well, use a
  ///   transaction.
  public func execute(sql: String, arguments: StatementArguments = []) throws {
    var offset = 0
    var used = 0
    while let statement = try prepareStatement(sql, utf8Offset: &offset) {
      try statement.begin()
      try statement.bind(arguments, used: &used)
      try statement.finish()
    }
    guard used == arguments.positional.count else {
      throw context.error(
        .misuse, "\(arguments.positional.count) values were given for \(used) parameters",
        remedy: "Pass as many values as the statements have parameters.", sql: sql)
    }
  }

  /// Runs one or more statements with interpolated values: `"DELETE FROM player WHERE id = \(id)"`.
  public func execute(literal sql: SQL) throws { try execute(sql: sql.sql, arguments: sql.arguments) }

  /// Prepares a statement.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.misuse` if the text contains no statement or more than one.
  public func makeStatement(sql: String) throws -> Statement {
    var offset = 0
    guard let statement = try prepareStatement(sql, utf8Offset: &offset) else {
      throw context.error(.misuse, "the text contains no statement", remedy: "Write a statement.", sql: sql)
    }
    guard try prepareStatement(sql, utf8Offset: &offset) == nil else {
      throw context.error(
        .misuse, "the text contains more than one statement", remedy: "Run it with execute(sql:).", sql: sql)
    }
    return statement
  }

  /// Returns a prepared statement as ``makeStatement(sql:)`` does, reusing an earlier one if possible.
  public func cachedStatement(sql: String) throws -> Statement {
    if let cached = statementCache[sql], !cached.statement.isInUse, cached.sql.hasSameBytes(as: sql) {
      try requireAllowed(cached.statement)
      return cached.statement
    }
    let statement = try makeStatement(sql: sql)
    // Enough for an application's frequent statements; each costs a few kilobytes in the engine.
    if statementCache.count >= 64 { statementCache.removeAll() }
    statementCache[sql] = (sql, statement)
    return statement
  }

  private func prepareStatement(_ script: String, utf8Offset: inout Int) throws -> Statement? {
    try context.checkCancellation()
    let preparation: Preparation
    do {
      preparation = try prepare(script, utf8Offset: utf8Offset)
    } catch {
      throw context.explainingConfinement(error)
    }
    utf8Offset = preparation.endOffset
    guard let prepared = preparation.statement else { return nil }
    let isConfined = context.skippedStatements != nil
    let statement = Statement(isConfined ? context.confined(prepared) : prepared, context: context)
    try requireAllowed(statement)
    try inspect(prepared.sql, isTrusted: false)
    return statement
  }

  private func requireAllowed(_ statement: Statement) throws {
    guard isReading, !statement.isReadOnly else { return }
    throw context.error(
      .readOnly, "the statement writes, but this access is read-only", remedy: "Write inside `write { db in ... }`.",
      sql: statement.sql)
  }

  /// Runs `body` inside the open transaction, with an inspector that examines each statement before the statement runs.
  func inspecting(_ inspector: any StatementInspector, _ body: () throws -> Void) throws {
    // The inspector examines a statement when it is prepared, so statements prepared earlier must be prepared again.
    statementCache.removeAll()
    self.inspector = inspector
    context.setInspection { [unowned self] sql in try inspect(sql, isTrusted: false) }
    context.errorOutsideTransaction = inspector.errorOutsideTransaction
    defer {
      self.inspector = nil
      context.setInspection(nil)
      context.errorOutsideTransaction = nil
    }
    try body()
  }

  func prepare(_ script: String, utf8Offset: Int) throws -> Preparation {
    guard let inspector else { return try connection.prepare(script, utf8Offset: utf8Offset) }
    inspector.willPrepare()
    do {
      return try connection.prepare(script, utf8Offset: utf8Offset)
    } catch {
      // The caller must get the first error. Violations that the inspector cannot read here later count as the
      // migration's.
      try? untraced { try inspector.didFailToPrepare(script) }
      throw error
    }
  }

  /// Passes a statement to the inspector.
  ///
  /// Statements that the inspector itself runs are not passed to ``StatementContext/trace``.
  func inspect(_ sql: String, isTrusted: Bool) throws {
    guard let inspector else { return }
    try untraced { try inspector.willRun(sql, isTrusted: isTrusted) }
  }

  /// Runs `body`, whose statements are not passed to ``StatementContext/trace``.
  package func untraced(_ body: () throws -> Void) rethrows { try context.tracing(with: nil, body) }

  var isCancelled: Bool { context.cancellation.isRequested }

  func checkCancellation() throws { try context.checkCancellation() }

  /// Runs `body` even if the task of this access was canceled, so that completed work can be saved or reported.
  func finishing(_ body: () throws -> Void) rethrows {
    let wasFinishing = context.cancellation.isFinishing
    context.cancellation.isFinishing = true
    defer { context.cancellation.isFinishing = wasFinishing }
    try body()
  }

  /// Ends each later statement of this database that runs longer than a duration; for scratch databases, whose
  /// statements run on few rows.
  package func limitStatements(to duration: Duration) { context.limit = StatementLimit(duration, interrupter) }

  /// Whether the last statement was ended because it ran too long.
  package var hasExceededLimit: Bool { context.limit?.isExceeded ?? false }
}

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
