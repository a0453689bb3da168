extension Database {
  /// Creates a table.
  ///
  ///     try db.create(table: "place") { t in
  ///         t.autoIncrementedPrimaryKey("id")
  ///         t.column("title", .text)
  ///         t.column("favorite", .boolean).notNull().defaults(to: false)
  ///     }
  ///
  /// - Parameters:
  ///   - name: The table's name.
  ///   - schema: The schema of an attached database that the table goes to; nil for the main schema. It is never read
  ///     out of the name: `"aux.t"` is the name of a table like any other.
  ///   - options: How the table is created.
  ///   - body: Defines the columns and constraints.
  /// - Throws: ``DatabaseError``, also when a table that `belongsTo` refers to does not exist; nothing is created
  ///   then.
  public func create(
    table name: String, inSchema schema: String? = nil, options: TableOptions = [],
    body: (TableDefinition) throws -> Void
  ) throws {
    let builder = TableDefinition(name: name, schema: schema, options: options)
    try body(builder)
    let lookup = ParentKeyLookup(connection: connection, schema: schema)
    try apply(.createTable(try builder.tableDefinition(lookup)))
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
  /// - Parameters:
  ///   - name: The table's name.
  ///   - schema: The schema of an attached database that holds the table, or `temp`; nil for a temporary table of that
  ///     name, and for one of the main schema when there is none. A transaction over several files in WAL mode can be cut
  ///     between two of them by a loss of power (https://www.sqlite.org/lang_attach.html).
  ///   - body: Defines the steps.
  /// - Throws: ``DatabaseError``; as unsupported when the engine cannot make the change without a loss.
  public func alter(
    table name: String, inSchema schema: String? = nil, body: (TableAlteration) throws -> Void
  ) throws {
    let builder = TableAlteration(table: name)
    try body(builder)
    let alterations = try builder.alterations(ParentKeyLookup(connection: connection, schema: schema))
    try apply(.alterTable(name: name, alterations: alterations, schema: schema))
  }

  /// Gives a table another name, also in the foreign keys, triggers and views that refer to it.
  ///
  /// References to the new name stay as they are, so that a table that was created anew can take the old one's place.
  ///
  /// - Parameter schema: The schema of an attached database that holds the table; nil for the main schema.
  public func rename(table name: String, inSchema schema: String? = nil, to newName: String) throws {
    precondition(!newName.isEmpty, "A table needs a name.")
    try apply(.renameTable(name: name, newName: newName, schema: schema))
  }

  /// Removes a table with its rows, indexes and triggers.
  ///
  /// - Parameters:
  ///   - schema: The schema of an attached database that holds the table; nil for the first that has one of the name.
  ///   - ifExists: Whether a table that does not exist is no error.
  /// - Warning: Where foreign keys are enforced, the rows are deleted first, which deletes or changes the rows that
  ///   refer to them as their foreign keys say (https://www.sqlite.org/lang_droptable.html).
  public func drop(table name: String, inSchema schema: String? = nil, ifExists: Bool = false) throws {
    try apply(.dropTable(name: name, ifExists: ifExists, schema: schema))
  }
}

extension Database {
  /// A column's declared type.
  public typealias ColumnType = Migrator.ColumnType
  /// What happens to a statement that violates a constraint.
  public typealias ConflictResolution = Migrator.ConflictResolution
  /// The effect of a foreign key on referring rows.
  public typealias ForeignKeyAction = Migrator.ForeignKeyAction
  /// A rule by which text is compared.
  public typealias CollationName = Collation
}
