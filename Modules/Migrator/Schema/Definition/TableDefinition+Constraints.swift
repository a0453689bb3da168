extension TableDefinition {
  /// Makes columns a foreign key together (https://www.sqlite.org/foreignkeys.html).
  ///
  /// - Parameters:
  ///   - columns: The referring columns.
  ///   - table: The table that is referred to; it need not exist yet.
  ///   - destinationColumns: The columns that are referred to; nil for the table's primary key.
  ///   - onDelete: What happens when the row that is referred to is deleted; nil refuses the deletion.
  ///   - onUpdate: What happens when the values that are referred to change; nil refuses the change.
  ///   - deferred: Whether the check waits for the commit.
  ///   - name: The constraint's name.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete: ForeignKeyAction? = nil, onUpdate: ForeignKeyAction? = nil, deferred: Bool = false,
    named name: String? = nil
  ) {
    precondition(!columns.isEmpty, "A foreign key needs at least one column.")
    precondition(
      destinationColumns.map { $0.count == columns.count } ?? true,
      "A foreign key refers to as many columns as it has.")
    definition.foreignKeys.append(
      NewForeignKeyDescription(
        columns: columns, table: table, destinationColumns: destinationColumns ?? [], onDelete: onDelete,
        onUpdate: onUpdate, isDeferred: deferred, name: name))
  }

  /// Refuses a row whose values in these columns, taken together, another row has.
  public func uniqueKey(_ columns: [String], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    uniqueKey(columns.map { KeyColumn($0) }, onConflict: onConflict, named: name)
  }

  /// Refuses a row whose values in these columns, taken together, another row has.
  ///
  ///     t.uniqueKey(["team", .descending("score"), .ascending("name", collate: .nocase)])
  public func uniqueKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(!columns.isEmpty, "A unique key needs at least one column.")
    definition.uniqueKeys.append(TableKey(columns: columns, onConflict: onConflict, name: name))
  }

  /// Refuses rows for which an SQL expression is false; NULL counts as true.
  public func check(sql: String, named name: String? = nil) {
    definition.checks.append(NewCheckDescription(sql, name: name))
  }

  /// Adds a table constraint given as SQL, such as `"CONSTRAINT positive CHECK (score > 0)"`.
  public func constraint(sql: String) { definition.constraintsSQL.append(sql) }
}
