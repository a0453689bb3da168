/// The changes to a column, inside `change(column:)`; properties that are not set remain unchanged.
///
///     t.change(column: "score") { c in
///         c.type(.integer)
///         c.notNull()
///         c.defaults(to: 0)
///     }
public final class ColumnAlteration {
  private(set) var change = ColumnChange()

  /// Sets the declared type; nil for none.
  ///
  /// The engine converts existing values as it converts inserted ones
  /// (https://www.sqlite.org/datatype3.html#type_affinity), unless ``copying(sql:)`` provides new values.
  public func type(_ type: ColumnType?) { change.properties.append(.type(type)) }

  /// Adds a NOT NULL constraint.
  ///
  /// Existing NULL values are replaced with the column's default. If there is no default, the change fails with an
  /// error that names the rows.
  public func notNull(onConflict: ConflictResolution? = nil, named name: String? = nil) {
    change.properties.append(.notNull(NewColumnDescription.NotNull(onConflict: onConflict, name: name)))
  }

  /// Removes the NOT NULL constraint.
  public func nullable() { change.properties.append(.notNull(nil)) }

  /// Sets the default value for new rows; existing rows remain unchanged.
  public func defaults(to value: some DatabaseValueConvertible) {
    change.properties.append(.defaultValue(.value(value.databaseValue)))
  }

  /// Sets the default for new rows to an SQL expression.
  public func defaults(sql: String) { change.properties.append(.defaultValue(.sql(sql))) }

  /// Removes the default.
  public func dropDefault() { change.properties.append(.defaultValue(nil)) }

  /// Adds a CHECK constraint: rows for which the SQL expression is false are rejected; NULL counts as true.
  public func check(sql: String, named name: String? = nil) {
    change.properties.append(.addCheck(NewCheckDescription(sql, name: name)))
  }

  /// Removes the CHECK constraints in the column's definition.
  public func dropChecks() { change.properties.append(.dropChecks) }

  /// Sets the collation of the column's text; nil for the engine's default.
  public func collate(_ collation: Collation?) { change.properties.append(.collation(collation?.rawValue)) }

  /// Makes the column a foreign key, replacing the foreign keys in its definition.
  public func references(
    _ table: String, column: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred: Bool = false, named name: String? = nil
  ) {
    let key = NewForeignKeyDescription(
      table: table, destinationColumns: column.map { [$0] } ?? [], onDelete: onDelete, onUpdate: onUpdate,
      isDeferred: deferred, name: name)
    change.properties.append(.references([key]))
  }

  /// Removes the foreign keys in the column's definition.
  public func dropReferences() { change.properties.append(.references([])) }

  /// Sets the column's values in existing rows to an SQL expression over the old row, such as `coalesce(name, '')`.
  public func copying(sql: String) { change.copying = sql }
}
