internal import CSQLite
package import Migrator

extension EngineConnection {
  /// Runs all statements of a script; rows that they yield are skipped.
  ///
  /// - Throws: ``DatabaseError`` of the first statement that fails; those before it have run.
  package func execute(_ script: String) throws(DatabaseError) {
    var offset = 0
    while offset < script.utf8.count {
      let (statement, end) = try prepareStatement(script, utf8Offset: offset)
      guard let statement else { return }
      while try statement.step() {}
      offset = end
    }
  }

  /// Prepares one statement of this driver's own.
  func ownStatement(_ sql: String) throws(DatabaseError) -> EngineStatement {
    guard let statement = try prepareStatement(sql, utf8Offset: 0).0 else {
      throw error(.misuse, "the text holds no statement", sql: sql)
    }
    return statement
  }

  /// Calls a closure with each row of a query.
  package func forEachRow(
    _ sql: String, _ body: (EngineStatement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    guard let statement = try prepareStatement(sql, utf8Offset: 0).0 else { return }
    while try statement.step() { try body(statement) }
  }

  /// The first column of the first row as an integer; nil when there is no row or the value is NULL.
  package func integer(_ sql: String) throws(DatabaseError) -> Int64? {
    guard let statement = try prepareStatement(sql, utf8Offset: 0).0, try statement.step() else { return nil }
    return statement.valueKind(at: 0) == .null ? nil : statement.integer(at: 0)
  }

  /// The first column of the first row as text; nil when there is no row or the value is NULL.
  package func text(_ sql: String) throws(DatabaseError) -> String? {
    guard let statement = try prepareStatement(sql, utf8Offset: 0).0, try statement.step() else { return nil }
    return statement.valueKind(at: 0) == .null ? nil : statement.text(at: 0)
  }

  /// The first column of all rows as text, NULL left out.
  package func texts(_ sql: String) throws(DatabaseError) -> [String] {
    var texts: [String] = []
    try forEachRow(sql) { (row: EngineStatement) throws(DatabaseError) in
      if row.valueKind(at: 0) != .null { texts.append(row.text(at: 0)) }
    }
    return texts
  }

  /// An error that this driver reports by itself.
  package func error(
    _ condition: DatabaseError.Condition, _ message: String, remedy: String? = nil, sql: String? = nil
  ) -> DatabaseError {
    DatabaseError(condition, engine: library.description.name, message: message, remedy: remedy, sql: sql)
  }
}
