/// The questions about the schema, which is the main one unless another is named by `in schema`: that of an attached
/// database, or `temp`.
extension Database {
  /// All that is known of a schema as plain values, in the order of creation.
  ///
  /// - Parameter schema: The schema of an attached database, or `temp`; nil for the main schema.
  /// - Throws: ``DatabaseError``, as notFound when there is no such schema.
  public func schema(in schema: String? = nil) throws -> SchemaSnapshot { try reading(schema).snapshot() }

  /// Whether there is a table of that name, without regard to ASCII case.
  public func tableExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try object(.table, name, schema) != nil
  }

  /// Whether there is a view of that name, without regard to ASCII case.
  public func viewExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try object(.view, name, schema) != nil
  }

  /// Whether there is a trigger of that name, without regard to ASCII case.
  public func triggerExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try object(.trigger, name, schema) != nil
  }

  /// Whether there is an index of that name, without regard to ASCII case.
  public func indexExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try object(.index, name, schema) != nil
  }

  /// The columns of a table or view, in their order, hidden ones of virtual tables left out.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table or view.
  public func columns(in table: String, in schema: String? = nil) throws -> [ColumnDescription] {
    guard let columns = try connection.columns(in: table, inSchema: schema) else { throw noSuchTable(table, schema) }
    let visible = columns.filter { !$0.isHidden }
    guard let object = try object(.table, table, schema) else { return visible }
    let described = try reading(schema).table(object)
    return visible.map { described.column($0.name) ?? $0 }
  }

  /// The primary key of a table; nil when it declares none.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table.
  public func primaryKey(_ table: String, in schema: String? = nil) throws -> PrimaryKeyDescription? {
    try described(table, schema).primaryKey
  }

  /// The foreign keys that a table declares, ordered by their number.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table.
  public func foreignKeys(on table: String, in schema: String? = nil) throws -> [ForeignKeyDescription] {
    try described(table, schema).foreignKeys
  }

  /// The indexes of a table, those that come with its keys included.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table.
  public func indexes(on table: String, in schema: String? = nil) throws -> [IndexDescription] {
    let objects = try connection.schema(named: schema)
    guard let object = objects.object(.table, named: table) else { throw noSuchTable(table, schema) }
    return try reading(schema).indexes(on: object, in: objects.objects)
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
    try context.checkCancellation()
    try inspect(sql, isTrusted: true)
    try context.trace?(statement, true)
    defer { statement.reset() }
    while try statement.step() {}
  }

  private func reading(_ schema: String?) -> SchemaReading { SchemaReading(connection: connection, schema: schema) }

  private func object(_ kind: SchemaObject.Kind, _ name: String, _ schema: String?) throws -> SchemaObject? {
    try connection.schema(named: schema).object(kind, named: name)
  }

  private func described(_ table: String, _ schema: String?) throws -> TableDescription {
    guard let object = try object(.table, table, schema) else { throw noSuchTable(table, schema) }
    return try reading(schema).table(object)
  }

  private func noSuchTable(_ name: String, _ schema: String?) -> DatabaseError {
    let place = schema.map { "\($0)." } ?? ""
    return context.error(.notFound, "no such table: \(place)\(name)", remedy: "Check the name.")
  }
}
