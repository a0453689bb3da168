/// Methods that create objects use the main schema unless `inSchema` names an attached database.
///
/// If `inSchema` is nil, methods that remove an object use the first schema that contains an object with the given
/// name.
extension Database {
  /// Creates a table.
  ///
  ///     try db.create(table: "place") { t in
  ///         t.autoIncrementedPrimaryKey("id")
  ///         t.column("title", .text)
  ///         t.column("favorite", .boolean).notNull().defaults(to: false)
  ///     }
  ///
  /// - Parameter schema: The schema of an attached database in which to create the table; nil for the main schema. The
  ///   table's name never includes a schema: `"aux.t"` is an ordinary table name.
  /// - Throws: ``DatabaseError``, for example if a table that `belongsTo` refers to does not exist; nothing is created.
  public func create(
    table name: String, inSchema schema: String? = nil, options: TableOptions = [],
    body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name: name, schema: schema, options: options)
    try body(definition)
    let table = try definition.description { try parentKey(of: $0, inSchema: schema) }
    try requireColumns(table)
    try apply(.createTable(table))
  }

  /// Alters a table in one step: either all alterations are made, or none.
  ///
  /// Alterations are made in order. An alteration can fail because of a constraint that a later alteration drops: this
  /// happens if a column is renamed in between, or if the engine needs a separate statement for each of the two.
  ///
  ///     try db.alter(table: "player") { t in
  ///         t.add(column: "url", .text)
  ///     }
  ///
  /// - Parameter schema: The schema of an attached database that contains the table, or `temp`; nil for the temporary
  ///   table of that name or, if there is none, the table of the main schema. In WAL mode, a transaction over several
  ///   files is not atomic across a power loss (https://www.sqlite.org/lang_attach.html).
  /// - Throws: ``DatabaseError`` with the condition `.unsupported` if the engine cannot make the change without losing
  ///   data.
  public func alter(table name: String, inSchema schema: String? = nil, body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration()
    try body(alteration)
    let alterations = try alteration.descriptions { try parentKey(ofAdded: $0, to: name, inSchema: schema) }
    try apply(.alterTable(name: name, alterations: alterations, schema: schema))
  }

  /// Replaces a table's definition, and keeps the table's rows, indexes and triggers, and the references to the table.
  ///
  ///     try db.recreate(table: "player", copying: ["name": "coalesce(name, '')"]) { t in
  ///         t.autoIncrementedPrimaryKey("id")
  ///         t.column("name", .text).notNull()
  ///     }
  ///
  /// Columns that are in both definitions keep their values. Existing indexes and triggers remain, but an index of the
  /// new definition replaces an existing index with the same name.
  ///
  /// - Parameters:
  ///   - schema: The schema of an attached database that contains the table, or `temp`; nil for the main schema.
  ///   - options: The options of the new table; ``TableOptions/temporary`` means the schema `temp`.
  ///   - expressions: SQL expressions over the old row, keyed by the name of the column that gets the value.
  /// - Throws: ``DatabaseError``; the error names, by rowid, a row that does not fit the new definition.
  public func recreate(
    table name: String, inSchema schema: String? = nil, options: TableOptions = [],
    copying expressions: [String: String] = [:], body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name: name, schema: schema, options: options)
    try body(definition)
    let table = try definition.description { try parentKey(of: $0, inSchema: schema) }
    try requireColumns(table)
    try apply(.recreateTable(table, copying: expressions))
  }

  /// Renames a table, and updates the foreign keys, triggers and views that refer to it.
  ///
  /// Existing references to the new name remain unchanged, so that a recreated table can replace the old one. The statement
  /// `ALTER TABLE ... RENAME TO`, written as SQL, updates them only since SQLite 3.26
  /// (https://www.sqlite.org/lang_altertable.html#alter_table_rename).
  public func rename(table name: String, inSchema schema: String? = nil, to newName: String) throws {
    try apply(.renameTable(name: name, newName: newName, schema: schema))
  }

  /// Removes a table with its rows, indexes and triggers.
  ///
  /// - Warning: If foreign keys are enforced, the rows are deleted first, and rows that refer to them are deleted or
  ///   changed, as their foreign keys specify (https://www.sqlite.org/lang_droptable.html).
  public func drop(table name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropTable(name: name, ifExists: ifExists, schema: schema))
  }

  private func requireColumns(_ table: NewTableDescription) throws {
    guard table.columns.isEmpty else { return }
    throw context.error(
      .misuse, "table \"\(table.name)\" has no column", remedy: "Define at least one column in the body.")
  }

  /// A column's declared type.
  public typealias ColumnType = Migrator.ColumnType
  /// The algorithm of an ON CONFLICT clause, which resolves a constraint violation.
  public typealias ConflictResolution = Migrator.ConflictResolution
  /// The action on referring rows when the referenced row is deleted or changed.
  public typealias ForeignKeyAction = Migrator.ForeignKeyAction
  /// A rule for comparing text.
  public typealias CollationName = Collation

  /// Returns the primary key of the table that a reference names; the rowid if the table declares no primary key.
  ///
  /// The table is in the schema of the referring table: foreign keys cannot refer to a table in another schema
  /// (https://www.sqlite.org/foreignkeys.html).
  func parentKey(of reference: ForeignKeyDefinition, inSchema schema: String?) throws(DatabaseError) -> ParentKey {
    for table in reference.candidateTables {
      guard let columns = try connection.columns(in: table, inSchema: schema) else { continue }
      let keys = columns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
      guard !keys.isEmpty else { return .rowID(of: table) }
      return ParentKey(
        table: table,
        columns: keys.map { column in
          let type = column.declaredType
          return ParentKey.Column(name: column.name, type: type.isEmpty ? nil : ColumnType(type))
        })
    }
    let tried = reference.candidateTables.map { #""\#($0)""# }.joined(separator: ", ")
    throw context.error(
      .statement, "no such table for belongsTo(\"\(reference.name)\"): looked for \(tried)",
      remedy: "Create the referenced table first, or name it with `inTable:`.")
  }

  /// Returns the parent key of a reference that is added to an existing table; the key must have one column.
  private func parentKey(
    ofAdded reference: ForeignKeyDefinition, to table: String, inSchema schema: String?
  ) throws(DatabaseError) -> ParentKey {
    let key = try parentKey(of: reference, inSchema: schema)
    guard key.columns.count == 1 else {
      // A foreign key of several columns is a table constraint, and ALTER TABLE cannot add constraints
      // (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
      throw context.error(
        .unsupported,
        "a reference to \"\(key.table)\", whose key has \(key.columns.count) columns, cannot be added to \"\(table)\"",
        remedy: "Create a new table with the reference, copy the rows, drop the old table and rename the new one.")
    }
    return key
  }
}
