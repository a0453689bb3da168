extension TableAlteration {
  /// Changes what a column is made of, and keeps all that `body` does not name.
  ///
  ///     t.change(column: "email") { c in c.notNull(); c.copying(sql: "coalesce(email, '')") }
  public func change(column name: String, _ body: (ColumnAlteration) throws -> Void) rethrows {
    let builder = ColumnAlteration()
    try body(builder)
    precondition(builder.change != ColumnChange(), "Changing a column needs at least one word that says how.")
    append(.changeColumn(name: name, builder.change))
  }

  /// Refuses rows for which an SQL expression is false; NULL counts as true.
  public func addCheck(sql: String, named name: String? = nil) {
    append(.addConstraint(.check(NewCheckDescription(sql, name: name))))
  }

  /// Refuses a row whose values in these columns, taken together, another row has.
  public func addUniqueKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(!columns.isEmpty, "A unique key needs at least one column.")
    append(.addConstraint(.unique(TableKey(columns: columns, onConflict: onConflict, name: name))))
  }

  /// Makes columns a foreign key together.
  ///
  /// - Parameters:
  ///   - columns: The referring columns.
  ///   - table: The table that is referred to.
  ///   - destinationColumns: The columns that are referred to; nil for the table's primary key.
  ///   - onDelete: What happens when the row that is referred to is deleted; nil refuses the deletion.
  ///   - onUpdate: What happens when the values that are referred to change; nil refuses the change.
  ///   - deferred: Whether the check waits for the commit.
  ///   - name: The constraint's name.
  public func addForeignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete: ForeignKeyAction? = nil, onUpdate: ForeignKeyAction? = nil, deferred: Bool = false,
    named name: String? = nil
  ) {
    precondition(!columns.isEmpty, "A foreign key needs at least one column.")
    let key = NewForeignKeyDescription(
      columns: columns, table: table, destinationColumns: destinationColumns ?? [], onDelete: onDelete,
      onUpdate: onUpdate, isDeferred: deferred, name: name)
    append(.addConstraint(.foreignKey(key)))
  }

  /// Removes the constraint of a name, also one that stands in a column's definition.
  public func drop(constraint name: String) { append(.dropConstraint(.named(name))) }

  /// Removes the CHECK constraint of an expression, blanks and comments left out of account.
  public func dropCheck(sql: String) { append(.dropConstraint(.check(sql: sql))) }

  /// Removes the unique key of these columns, which a unique index is not.
  public func dropUniqueKey(_ columns: [String]) { append(.dropConstraint(.unique(columns))) }

  /// Removes the foreign key of these columns.
  public func dropForeignKey(_ columns: [String]) { append(.dropConstraint(.foreignKey(columns))) }

  /// Makes columns the primary key, in place of the one that the table has.
  public func setPrimaryKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(!columns.isEmpty, "A primary key needs at least one column.")
    append(.setPrimaryKey(TableKey(columns: columns, onConflict: onConflict, name: name)))
  }

  /// Takes the primary key away; the columns stay.
  public func dropPrimaryKey() { append(.setPrimaryKey(nil)) }

  /// Puts columns first, in this order; the others follow as they stood.
  public func reorder(columns: [String]) {
    precondition(!columns.isEmpty, "Another order needs at least one column.")
    append(.reorderColumns(columns))
  }

  /// Compares every value that is kept before and after, where the table is rebuilt; counting is done anyway.
  public func verifyRows() { append(.verifyRows) }
}

extension Database {
  /// Gives a table another definition and keeps its rows, indexes, triggers and what refers to it.
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
  ///   - name: The table's name.
  ///   - schema: The schema of an attached database that holds the table, or `temp`; nil for the main schema.
  ///   - options: How the table is created; ``TableOptions/temporary`` means the schema `temp`.
  ///   - expressions: SQL expressions over the row as it was, by the column that gets the value.
  ///   - body: Defines the columns and constraints.
  /// - Throws: ``DatabaseError``; also when a row does not fit the new definition, which is then named by its rowid.
  public func recreate(
    table name: String, inSchema schema: String? = nil, options: TableOptions = [],
    copying expressions: [String: String] = [:], body: (TableDefinition) throws -> Void
  ) throws {
    let builder = TableDefinition(name: name, schema: schema, options: options)
    try body(builder)
    let definition = try builder.tableDefinition(ParentKeyLookup(connection: connection, schema: schema))
    try apply(.recreateTable(definition, copying: expressions))
  }
}
