extension Database {
  /// The objects of the main schema as plain values, in the order of their creation.
  public func schema() throws -> SchemaSnapshot { try connection.schema() }

  /// Whether there is a table of that name, without regard to ASCII case.
  public func tableExists(_ name: String) throws -> Bool { try exists(.table, name) }

  /// Whether there is a view of that name, without regard to ASCII case.
  public func viewExists(_ name: String) throws -> Bool { try exists(.view, name) }

  /// Whether there is a trigger of that name, without regard to ASCII case.
  public func triggerExists(_ name: String) throws -> Bool { try exists(.trigger, name) }

  /// The columns of a table or view, in their order.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table or view.
  public func columns(in table: String) throws -> [ColumnDescription] {
    guard let columns = try connection.columns(in: table) else {
      throw context.error(.notFound, "no such table: \(table)", remedy: "Check the name.")
    }
    return columns
  }

  /// The names of the primary key's columns, in the key's order; empty when the table declares none.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table.
  public func primaryKey(_ table: String) throws -> [String] {
    try columns(in: table).filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
  }

  /// The foreign keys that a table declares, ordered by their number.
  public func foreignKeys(on table: String) throws -> [ForeignKeyDescription] {
    try connection.foreignKeys(on: table)
  }

  /// Makes a change of the schema, whole or not at all.
  ///
  /// - Throws: ``DatabaseError``, as unsupported when the engine cannot make it without a loss; then nothing ran.
  public func apply(_ change: SchemaChange) throws {
    let plan = try connection.statements(for: change)
    try inSavepoint {
      // The settings go back in any case; a failure to do so must not hide the reason of the first one.
      do {
        for sql in plan.statements { try executeTrusted(sql) }
      } catch {
        let explained = explanation(of: error, plan.diagnoses)
        for sql in plan.restoring { try? executeTrusted(sql) }
        throw explained ?? error
      }
      for sql in plan.restoring { try executeTrusted(sql) }
      context.didChangeSchema?(change, plan.method)
      return .commit
    }
  }

  /// Runs a statement of a backend, which may do what a migration's own statements may not.
  private func executeTrusted(_ sql: String) throws {
    let prepared = try prepare(sql, utf8Offset: 0)
    guard let statement = prepared.statement else { return }
    try context.cancellation.check()
    try inspect(sql, isTrusted: true)
    try context.trace?(statement, true)
    defer { statement.reset() }
    while try statement.step() {}
  }

  private func exists(_ kind: SchemaObject.Kind, _ name: String) throws -> Bool {
    try connection.schema().object(kind, named: name) != nil
  }
}
