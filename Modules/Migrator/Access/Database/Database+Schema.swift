/// Questions about the schema: the main one, unless `schema` names that of an attached database, or `temp`.
///
/// Those about a schema, table or view that does not exist throw ``DatabaseError`` as notFound.
extension Database {
  /// All that is known of a schema as plain values, in the order of creation.
  public func schema(in schema: String? = nil) throws -> SchemaSnapshot { try describer(schema).snapshot() }

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
  public func columns(in table: String, in schema: String? = nil) throws -> [ColumnDescription] {
    guard let columns = try connection.columns(in: table, inSchema: schema) else { throw noSuchTable(table, schema) }
    let visible = columns.filter { !$0.isHidden }
    guard let object = try object(.table, table, schema) else { return visible }
    let described = try describer(schema).table(object)
    return visible.map { described.column($0.name) ?? $0 }
  }

  /// The primary key of a table; nil when it declares none.
  public func primaryKey(_ table: String, in schema: String? = nil) throws -> PrimaryKeyDescription? {
    try described(table, schema).primaryKey
  }

  /// The foreign keys that a table declares, ordered by their number.
  public func foreignKeys(on table: String, in schema: String? = nil) throws -> [ForeignKeyDescription] {
    try described(table, schema).foreignKeys
  }

  /// The indexes of a table, those that come with its keys included.
  public func indexes(on table: String, in schema: String? = nil) throws -> [IndexDescription] {
    let objects = try connection.schema(named: schema)
    guard let object = objects.object(.table, named: table) else { throw noSuchTable(table, schema) }
    return try describer(schema).indexes(on: object, in: objects.objects)
  }

  private func describer(_ schema: String?) -> SchemaDescriber {
    SchemaDescriber(connection: connection, schema: schema)
  }

  private func object(_ kind: SchemaObject.Kind, _ name: String, _ schema: String?) throws -> SchemaObject? {
    try connection.schema(named: schema).object(kind, named: name)
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
