/// These methods read the main schema unless `schema` names an attached database or `temp`.
///
/// If `schema` is nil, the methods that return whether an object exists also look in the temporary schema.
///
/// All methods throw ``DatabaseError`` with the condition `.notFound` if the schema, table or view does not exist.
extension Database {
  /// Returns a description of a schema as plain values, with its objects in creation order.
  public func schema(in schema: String? = nil) throws -> SchemaSnapshot { try describer(schema).snapshot() }

  /// Returns a description of the main schema without the columns of its views.
  ///
  /// For the columns of a view, the engine resolves each view that the view names, and each time those that they name:
  /// the time doubles with each view that names another one twice.
  package func schemaWithoutViewColumns() throws -> SchemaSnapshot {
    try SchemaDescriber(connection: connection, readsViewColumns: false).snapshot()
  }

  /// Returns whether a table of that name exists, ignoring ASCII case.
  public func tableExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists(.table, name, schema)
  }

  /// Returns whether a view of that name exists, ignoring ASCII case.
  public func viewExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists(.view, name, schema)
  }

  /// Returns whether a trigger of that name exists, ignoring ASCII case.
  public func triggerExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists(.trigger, name, schema)
  }

  /// Returns whether an index of that name exists, ignoring ASCII case.
  public func indexExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists(.index, name, schema)
  }

  /// Returns the columns of a table or view in order, without the hidden columns of virtual tables.
  public func columns(in table: String, in schema: String? = nil) throws -> [ColumnDescription] {
    guard let columns = try connection.columns(in: table, inSchema: schema) else { throw noSuchTable(table, schema) }
    let visible = columns.filter { !$0.isHidden }
    guard let object = try object(.table, table, schema) else { return visible }
    let described = try describer(schema).table(object)
    return visible.map { described.column($0.name) ?? $0 }
  }

  /// Returns the primary key of a table; nil if the table declares none, or if the name is that of a view.
  public func primaryKey(_ table: String, in schema: String? = nil) throws -> PrimaryKeyDescription? {
    try viewExists(table, in: schema) ? nil : described(table, schema).primaryKey
  }

  /// Returns the foreign keys that a table declares, ordered by ``ForeignKeyDescription/id``.
  public func foreignKeys(on table: String, in schema: String? = nil) throws -> [ForeignKeyDescription] {
    try described(table, schema).foreignKeys
  }

  /// Returns the indexes of a table, including those that implement its primary key and UNIQUE constraints.
  public func indexes(on table: String, in schema: String? = nil) throws -> [IndexDescription] {
    let objects = try connection.schema(named: schema)
    guard let object = objects.object(.table, named: table) else { throw noSuchTable(table, schema) }
    return try describer(schema).indexes(on: object, SchemaDescriber.indexes(among: objects.objects))
  }

  private func describer(_ schema: String?) -> SchemaDescriber {
    SchemaDescriber(connection: connection, schema: schema)
  }

  func object(_ kind: SchemaObject.Kind, _ name: String, _ schema: String?) throws -> SchemaObject? {
    try connection.schema(named: schema).object(kind, named: name)
  }

  private func exists(_ kind: SchemaObject.Kind, _ name: String, _ schema: String?) throws -> Bool {
    if try object(kind, name, schema) != nil { return true }
    return try schema == nil && object(kind, name, "temp") != nil
  }

  private func described(_ table: String, _ schema: String?) throws -> TableDescription {
    guard let object = try object(.table, table, schema) else { throw noSuchTable(table, schema) }
    return try describer(schema).table(object)
  }

  private func noSuchTable(_ name: String, _ schema: String?) -> DatabaseError {
    let place = schema.map { "\($0)." } ?? ""
    return context.error(.notFound, "no such table: \(place)\(name)", remedy: "Check the name.")
  }
}
