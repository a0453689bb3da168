/// Changes a column, inside `change(column:)`; what is not named stays as it is.
///
///     t.change(column: "score") { c in
///         c.type(.integer)
///         c.notNull()
///         c.defaults(to: 0)
///     }
public final class ColumnAlteration {
  private(set) var change = ColumnChange()

  /// Declares another type; nil for none.
  ///
  /// Values are converted as the engine converts them when they are inserted
  /// (https://www.sqlite.org/datatype3.html#type_affinity); ``copying(sql:)`` says otherwise.
  public func type(_ type: ColumnType?) { change.properties.append(.type(type)) }

  /// Refuses NULL.
  ///
  /// Rows that have NULL get the column's default. Without one they are an error that names them.
  public func notNull(onConflict: ConflictResolution? = nil, named name: String? = nil) {
    change.properties.append(.notNull(NewColumnDescription.NotNull(onConflict: onConflict, name: name)))
  }

  /// Allows NULL.
  public func nullable() { change.properties.append(.notNull(nil)) }

  /// Gives rows that are inserted without a value for the column this one; those that exist stay as they are.
  public func defaults(to value: some DatabaseValueConvertible) {
    change.properties.append(.defaultValue(.value(value.databaseValue)))
  }

  /// Gives rows that are inserted without a value for the column the value of an SQL expression.
  public func defaults(sql: String) { change.properties.append(.defaultValue(.sql(sql))) }

  /// Takes the default away.
  public func dropDefault() { change.properties.append(.defaultValue(nil)) }

  /// Refuses rows for which an SQL expression is false, beside what is refused already.
  public func check(sql: String, named name: String? = nil) {
    change.properties.append(.addCheck(NewCheckDescription(sql, name: name)))
  }

  /// Takes away the CHECK constraints that stand in the column's definition.
  public func dropChecks() { change.properties.append(.dropChecks) }

  /// Compares the column's text by a collation; nil leaves it to the engine.
  public func collate(_ collation: Collation?) { change.properties.append(.collation(collation?.rawValue)) }

  /// Makes the column a foreign key, in place of those that its definition has.
  public func references(
    _ table: String, column: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred: Bool = false, named name: String? = nil
  ) {
    let key = NewForeignKeyDescription(
      table: table, destinationColumns: column.map { [$0] } ?? [], onDelete: onDelete, onUpdate: onUpdate,
      isDeferred: deferred, name: name)
    change.properties.append(.references([key]))
  }

  /// Takes away the foreign keys that stand in the column's definition.
  public func dropReferences() { change.properties.append(.references([])) }

  /// Gives the column the values of an SQL expression over the row as it was, such as `coalesce(name, '')`.
  public func copying(sql: String) { change.copying = sql }
}
