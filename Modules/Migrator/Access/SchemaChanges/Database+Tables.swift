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

/// The primary key that a reference refers to.
struct ParentKey {
  /// A column of the key.
  struct Column {
    let name: String
    let type: ColumnType?

    init(name: String, type: ColumnType?) {
      self.name = name
      self.type = type
    }

    /// The column of a name and a declared type, which may be empty.
    init(_ name: String, _ declaredType: String) {
      self.init(name: name, type: declaredType.isEmpty ? nil : ColumnType(declaredType))
    }
  }

  let table: String
  let columns: [Column]
}

/// Finds the key that a reference refers to, through the connection that creates the table.
struct ParentKeyLookup {
  let connection: any DatabaseConnection

  /// The schema of the attached database that the table belongs to; nil for the main schema.
  ///
  /// A foreign key reaches no other schema (https://www.sqlite.org/foreignkeys.html).
  var schema: String?

  /// The key of the table that `reference` names.
  ///
  /// Without an explicit table that is the one of the reference's name, or of its plural: `belongsTo("author")` fits
  /// a table `author` as well as `authors`.
  func key(for reference: ForeignKeyDefinition) throws(DatabaseError) -> ParentKey {
    let candidates = reference.table.map { [$0] } ?? Self.tableNames(for: reference.name)
    for table in candidates {
      guard let columns = try keyColumns(of: table) else { continue }
      return try key(of: table, columns: columns)
    }
    let tried = candidates.map { #""\#($0)""# }.joined(separator: ", ")
    throw DatabaseError(
      .statement, engine: connection.engine.name,
      message: "no such table for belongsTo(\"\(reference.name)\"): looked for \(tried)",
      remedy: "Create the table that is referred to first, or name it with `inTable:`.")
  }

  /// The columns of a table's primary key, in the key's order; nil when there is no such table.
  private func keyColumns(of table: String) throws(DatabaseError) -> [ParentKey.Column]? {
    guard let columns = try connection.columns(in: table, inSchema: schema) else { return nil }
    return columns.filter { $0.primaryKeyPosition > 0 }.sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
      .map { ParentKey.Column($0.name, $0.declaredType) }
  }

  private func key(of table: String, columns keys: [ParentKey.Column]) throws(DatabaseError) -> ParentKey {
    guard !keys.isEmpty else {
      // A hidden rowid cannot be the target of a foreign key: writing would fail with "foreign key mismatch"
      // (https://www.sqlite.org/foreignkeys.html#fk_indexes).
      throw DatabaseError(
        .unsupported, engine: connection.engine.name,
        message: "\"\(table)\" has no primary key that belongsTo could refer to",
        remedy: "Give that table a primary key, or declare the column with `references(_:column:)` to a unique one.")
    }
    return ParentKey(table: table, columns: keys)
  }

  /// A noun and its regular English plural.
  static func tableNames(for name: String) -> [String] {
    var names = [name, name + "s", name + "es"]
    if name.hasSuffix("y") { names.append(name.dropLast() + "ies") }
    return names
  }
}
