extension Database {
  /// Runs one or more statements; rows that they yield are passed over.
  ///
  /// - Parameters:
  ///   - sql: The statements, separated by semicolons.
  ///   - arguments: The values for all parameters, consumed from statement to statement.
  /// - Throws: ``DatabaseError``. Statements before the failing one keep their effect: use a transaction.
  public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
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
        remedy: "Give as many values as the statements have parameters.", sql: sql)
    }
  }

  /// Runs one or more statements with values in their text: `"DELETE FROM player WHERE id = \(id)"`.
  ///
  /// - Throws: ``DatabaseError``. Statements before the failing one keep their effect: use a transaction.
  public func execute(literal sql: SQL) throws { try execute(sql: sql.sql, arguments: sql.arguments) }

  /// Prepares a statement.
  ///
  /// - Throws: ``DatabaseError``, as misuse when the text holds none or more than one statement.
  public func makeStatement(sql: String) throws -> Statement {
    var offset = 0
    guard let statement = try prepareStatement(sql, utf8Offset: &offset) else {
      throw context.error(.misuse, "the text holds no statement", remedy: "Write a statement.", sql: sql)
    }
    guard try prepareStatement(sql, utf8Offset: &offset) == nil else {
      throw context.error(
        .misuse, "the text holds more than one statement", remedy: "Run it with execute(sql:).", sql: sql)
    }
    return statement
  }

  /// A prepared statement, taken from those that were made before if possible.
  ///
  /// - Throws: ``DatabaseError``, as misuse when the text holds none or more than one statement.
  public func cachedStatement(sql: String) throws -> Statement {
    if let statement = statementCache.statement(for: sql), !statement.isInUse {
      try requireAllowed(statement)
      return statement
    }
    let statement = try makeStatement(sql: sql)
    statementCache.insert(statement, for: sql)
    return statement
  }

  private func prepareStatement(_ script: String, utf8Offset: inout Int) throws -> Statement? {
    try context.checkCancellation()
    let preparation = try prepare(script, utf8Offset: utf8Offset)
    utf8Offset = preparation.endOffset
    guard let prepared = preparation.statement else { return nil }
    let statement = Statement(prepared, context: context)
    try requireAllowed(statement)
    try inspect(prepared.sql, isTrusted: false)
    return statement
  }

  private func requireAllowed(_ statement: Statement) throws {
    guard isReading, !statement.isReadOnly else { return }
    throw context.error(
      .readOnly, "the statement writes, but this access only reads", remedy: "Write inside `write { db in ... }`.",
      sql: statement.sql)
  }
}
