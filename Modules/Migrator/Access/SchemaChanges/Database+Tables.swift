/// Objects are created in the main schema unless `inSchema` names that of an attached database, and removed from the
/// first schema that has one of the name.
extension Database {
  /// Creates a table.
  ///
  ///     try db.create(table: "place") { t in
  ///         t.autoIncrementedPrimaryKey("id")
  ///         t.column("title", .text)
  ///         t.column("favorite", .boolean).notNull().defaults(to: false)
  ///     }
  ///
  /// - Parameter schema: The schema of an attached database that the table goes to; nil for the main schema. It is never
  ///   read out of the name: `"aux.t"` is the name of a table like any other.
  /// - Throws: ``DatabaseError``, also when a table that `belongsTo` refers to does not exist; nothing is created
  ///   then.
  public func create(
    table name: String, inSchema schema: String? = nil, options: TableOptions = [],
    body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name: name, schema: schema, options: options)
    try body(definition)
    try apply(.createTable(definition.description { try parentKey(of: $0, inSchema: schema) }))
  }

  /// Alters a table in one step: all alterations are made, or none.
  ///
  /// They are made in their order. Rows may have to keep a rule that only a later one drops: where a column is renamed in
  /// between, and where the engine has statements of its own for them.
  ///
  ///     try db.alter(table: "player") { t in
  ///         t.add(column: "url", .text)
  ///     }
  ///
  /// - Parameter schema: The schema of an attached database that holds the table, or `temp`; nil for a temporary table of
  ///   that name, and for one of the main schema when there is none. A transaction over several files in WAL mode can be
  ///   cut between two of them by a loss of power (https://www.sqlite.org/lang_attach.html).
  /// - Throws: ``DatabaseError``; as unsupported when the engine cannot make the change without a loss.
  public func alter(table name: String, inSchema schema: String? = nil, body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration(table: name)
    try body(alteration)
    let alterations = try alteration.descriptions { try parentKey(ofAdded: $0, to: name, inSchema: schema) }
    try apply(.alterTable(name: name, alterations: alterations, schema: schema))
  }

  /// Gives a table another definition, and keeps its rows, indexes and triggers and the references to it.
  ///
  ///     try db.recreate(table: "player", copying: ["name": "coalesce(name, '')"]) { t in
  ///         t.autoIncrementedPrimaryKey("id")
  ///         t.column("name", .text).notNull()
  ///     }
  ///
  /// Columns that both definitions have keep their values. Indexes and triggers stay as they are; an index that the new
  /// definition brings under the name of an old one takes its place.
  ///
  /// - Parameters:
  ///   - schema: The schema of an attached database that holds the table, or `temp`; nil for the main schema.
  ///   - options: How the table is created; ``TableOptions/temporary`` means the schema `temp`.
  ///   - expressions: SQL expressions over the row as it was, by the column that gets the value.
  /// - Throws: ``DatabaseError``; also when a row does not fit the new definition, which is then named by its rowid.
  public func recreate(
    table name: String, inSchema schema: String? = nil, options: TableOptions = [],
    copying expressions: [String: String] = [:], body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name: name, schema: schema, options: options)
    try body(definition)
    let table = try definition.description { try parentKey(of: $0, inSchema: schema) }
    try apply(.recreateTable(table, copying: expressions))
  }

  /// Gives a table another name, also in the foreign keys, triggers and views that refer to it.
  ///
  /// References to the new name stay as they are, so that a recreated table can take the old one's place.
  public func rename(table name: String, inSchema schema: String? = nil, to newName: String) throws {
    precondition(!newName.isEmpty, "A table needs a name.")
    try apply(.renameTable(name: name, newName: newName, schema: schema))
  }

  /// Removes a table with its rows, indexes and triggers.
  ///
  /// - Warning: Where foreign keys are enforced, the rows are deleted first, which deletes or changes the rows that
  ///   refer to them as their foreign keys say (https://www.sqlite.org/lang_droptable.html).
  public func drop(table name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropTable(name: name, ifExists: ifExists, schema: schema))
  }

  /// A column's declared type.
  public typealias ColumnType = Migrator.ColumnType
  /// The outcome of a statement that violates a constraint.
  public typealias ConflictResolution = Migrator.ConflictResolution
  /// The effect of a foreign key on referring rows.
  public typealias ForeignKeyAction = Migrator.ForeignKeyAction
  /// A rule by which text is compared.
  public typealias CollationName = Collation

  /// The primary key of the table that a reference names, in the schema of the referring table: a foreign key reaches
  /// no other one (https://www.sqlite.org/foreignkeys.html).
  func parentKey(of reference: ForeignKeyDefinition, inSchema schema: String?) throws(DatabaseError) -> ParentKey {
    for table in reference.candidateTables {
      guard let columns = try connection.columns(in: table, inSchema: schema) else { continue }
      let keys = columns.filter { $0.primaryKeyPosition > 0 }.sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
      guard !keys.isEmpty else {
        // A hidden rowid cannot be the target of a foreign key: writing would fail with "foreign key mismatch"
        // (https://www.sqlite.org/foreignkeys.html#fk_indexes).
        throw context.error(
          .unsupported, "\"\(table)\" has no primary key that belongsTo could refer to",
          remedy: "Give that table a primary key, or declare the column with `references(_:column:)` to a unique one.")
      }
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
      remedy: "Create the table that is referred to first, or name it with `inTable:`.")
  }

  /// The parent key of a reference that is added to an existing table, which must be a key of one column.
  private func parentKey(
    ofAdded reference: ForeignKeyDefinition, to table: String, inSchema schema: String?
  ) throws(DatabaseError) -> ParentKey {
    let key = try parentKey(of: reference, inSchema: schema)
    guard key.columns.count == 1 else {
      // A foreign key of several columns is a table constraint, and ALTER TABLE adds no constraint
      // (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
      throw context.error(
        .unsupported,
        "a reference to \"\(key.table)\", whose key has \(key.columns.count) columns, cannot be added to \"\(table)\"",
        remedy: "Create the table anew with the reference, copy the rows, drop the old table and rename the new one.")
    }
    return key
  }
}
