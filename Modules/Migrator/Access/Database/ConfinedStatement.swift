internal import SQLSyntax

extension Database {
  /// Gives statements that open or write another file no effect from now on; for scratch databases.
  ///
  /// Databases in memory and temporary databases can still be attached.
  package func confine() { context.skippedStatements = context.skippedStatements ?? [] }

  /// The statements that were not run, in order, because they access another file, or depend on a statement that does;
  /// empty if the database is not confined.
  package var skippedStatements: [String] { context.skippedStatements ?? [] }

  /// Skips a statement that has failed, if the reason may be that a file was not attached since the number of
  /// ``skippedStatements`` was `count`.
  ///
  /// - Returns: False if the error must be thrown, as for a statement that changes the main schema, which would otherwise
  ///   be another one.
  package func skip(_ sql: String, after error: any Error, since count: Int) -> Bool {
    guard let error = error as? DatabaseError, error.condition == .statement,
      context.skippedAttachment(since: count) != nil
    else { return false }
    let first = SQLSource(sql).tokens.first?.folded ?? ""
    guard
      ["insert", "replace", "update", "delete", "select", "with", "detach"].contains(first)
        || error.message.hasPrefix("unknown database ")
    else { return false }
    context.skippedStatements?.append(sql)
    return true
  }
}

extension StatementContext {
  /// Returns a statement of a confined database, or one without an effect in its place if the statement accesses another file.
  func confined(_ statement: any DatabaseStatement) -> any DatabaseStatement {
    guard SQLStatementSummary(of: statement.sql).accessesOtherFile else { return statement }
    return SkippedStatement(statement, context: self)
  }

  /// Returns the last skipped `ATTACH`, without the first `count` skipped statements; nil if there is none.
  fileprivate func skippedAttachment(since count: Int) -> String? {
    skippedStatements?.dropFirst(count).last { SQLStatementKind(of: $0) == .attach }
  }

  /// Returns the error of a statement that cannot be prepared; if a file was not attached, the error says so.
  func explainingConfinement(_ error: any Error) -> any Error {
    guard var error = error as? DatabaseError, error.condition == .statement,
      let attachment = skippedAttachment(since: 0)
    else { return error }
    let reason =
      "If the statement needs the attached file: `\(attachment.onOneLineOfSQL.shortened(to: 100))` has no effect on a "
      + "scratch database."
    error.remedy = error.remedy.map { "\(reason) \($0)" } ?? reason
    return error
  }
}

/// A statement that only records that it would have run.
private final class SkippedStatement: DatabaseStatement {
  private let statement: any DatabaseStatement
  private let context: StatementContext

  init(_ statement: any DatabaseStatement, context: StatementContext) {
    (self.statement, self.context) = (statement, context)
  }

  var sql: String { statement.sql }
  var isReadOnly: Bool { statement.isReadOnly }
  var columnNames: [String] { statement.columnNames }
  var columnCount: Int { statement.columnCount }
  var parameterCount: Int { statement.parameterCount }
  func parameterName(at index: Int) -> String? { statement.parameterName(at: index) }
  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError) { try statement.bind(value, at: index) }
  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool {
    context.skippedStatements?.append(sqlWithoutKey)
    return false
  }
  func reset() { statement.reset() }
  func value(at column: Int) -> ColumnValue { statement.value(at: column) }

  /// The statement without the key of `ATTACH file AS name KEY key` (https://www.zetetic.net/sqlcipher/sqlcipher-api/#attach),
  /// because messages never contain keys.
  private var sqlWithoutKey: String {
    let source = SQLSource(sql)
    guard let clause = source.tokens.lastIndex(where: { $0.isWord("key") }), source.token(clause + 1) != nil else {
      return sql
    }
    return source.text(of: 0..<clause) + " KEY ..."
  }
}
