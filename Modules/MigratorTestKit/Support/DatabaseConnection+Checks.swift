internal import Migrator
internal import SQLSyntax

extension DatabaseConnection {
  func run(_ script: String, _ values: [DatabaseValue] = []) throws {
    var offset = 0
    while true {
      let preparation = try prepare(script, utf8Offset: offset)
      guard let statement = preparation.statement else { return }
      offset = preparation.endOffset
      defer { statement.reset() }
      for index in 0..<statement.parameterCount { try statement.bind(values[index], at: index) }
      while try statement.step() {}
    }
  }

  func statement(_ sql: String) throws -> any DatabaseStatement {
    guard let statement = try prepare(sql, utf8Offset: 0).statement else {
      throw BackendCheckFailure(seen: "no statement was found in `\(sql)`")
    }
    return statement
  }

  func rows(_ sql: String, _ values: [DatabaseValue] = []) throws -> [[DatabaseValue]] {
    let statement = try statement(sql)
    defer { statement.reset() }
    for (index, value) in values.enumerated() { try statement.bind(value, at: index) }
    var rows: [[DatabaseValue]] = []
    while try statement.step() { rows.append(statement.row) }
    return rows
  }

  func integers(_ sql: String) throws -> [Int64] {
    try rows(sql).map { row in
      guard case .integer(let number)? = row.first else {
        throw BackendCheckFailure(seen: "`\(sql)` returned \(row), expected integers")
      }
      return number
    }
  }

  func count(_ table: String, _ condition: String = "1") throws -> Int64 {
    try integers("SELECT count(*) FROM \(table.quotedIdentifier) WHERE \(condition)").first ?? 0
  }

  func violations(in table: String? = nil) throws -> [ForeignKeyViolation] {
    let next = try foreignKeyViolations(in: table)
    var found: [ForeignKeyViolation] = []
    while let violation = try next() { found.append(violation) }
    return found
  }

  /// Returns the names of all objects of one kind, in the order of their creation.
  func names(_ kind: SchemaObject.Kind = .table) throws -> [String] {
    try schema().objects.filter { $0.kind == kind }.map(\.name)
  }

  /// Creates a virtual table `f` with a column `body`, or skips the check if the engine has no module for it.
  func createFullTextTable() throws {
    do {
      try run("CREATE VIRTUAL TABLE f USING fts4(body)")
    } catch let error as DatabaseError where error.condition == .statement {
      throw BackendCheckSkipped("the engine has no virtual table module that the check supports")
    }
  }

  /// Changes the schema in the same way as the core: in a savepoint, always followed by the restoring statements.
  func apply(_ change: SchemaChange) throws {
    let plan = try statements(for: change)
    try beginSavepoint("change")
    do {
      for sql in plan.statements { try run(sql) }
    } catch {
      // Report the first error.
      for sql in plan.restoring { try? run(sql) }
      try? rollbackSavepoint("change")
      throw error
    }
    for sql in plan.restoring { try run(sql) }
    try releaseSavepoint("change")
  }

  /// Applies a change, or skips the check if the engine does not support the change.
  func applyOrSkip(_ change: SchemaChange) throws {
    do {
      try apply(change)
    } catch let error as DatabaseError where error.condition == .unsupported {
      // A backend may do without rebuilding tables, but not without what its engine does in one statement.
      let canAlter = engine.abilities.isSuperset(of: [.renameColumn, .dropColumn])
      throw canAlter && change.standardStatements != nil
        ? error : BackendCheckSkipped("unsupported: \(error.message)")
    }
  }

  func alter(_ table: String, _ steps: [TableAlterationDescription]) throws {
    try applyOrSkip(.alterTable(name: table, alterations: steps))
  }

  /// Fails the check unless a script fails with one of these conditions, or with any error if none are given.
  @discardableResult
  func expectError(_ conditions: DatabaseError.Condition..., running script: String) throws -> DatabaseError {
    try MigratorTestKit.expectError(conditions, from: "`\(script)`") { try run(script) }
  }
}

extension DatabaseStatement {
  var row: [DatabaseValue] { (0..<columnCount).map { DatabaseValue(self.value(at: $0)) } }
}
