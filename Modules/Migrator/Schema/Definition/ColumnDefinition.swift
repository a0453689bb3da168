/// The definition of a column, inside `create(table:)` or `alter(table:)`.
///
/// Each method returns the same column, so that calls can be chained; their order does not matter.
///
///     t.column("email", .text).notNull().unique().collate(.nocase)
public final class ColumnDefinition {
  /// The storage of a generated column's value (https://www.sqlite.org/gencol.html).
  public enum Generation: Sendable, Equatable {
    /// The value is not stored, but computed at each read.
    case virtual
    /// The value is stored in the row and computed at each write.
    case stored
  }

  /// The column's definition, as set by the methods called so far.
  package private(set) var description: NewColumnDescription

  /// Creates a column without constraints.
  package init(name: String, type: ColumnType?) {
    description = NewColumnDescription(name: name, type: type)
  }

  /// Makes the column its table's primary key.
  ///
  /// - Parameters:
  ///   - autoincrement: Whether the ids of deleted rows are never reused; for `INTEGER` columns only
  ///     (https://www.sqlite.org/autoinc.html).
  ///   - descending: Whether larger values come first. Because of a quirk in SQLite, such an `INTEGER` key is not the
  ///     rowid (https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key).
  @discardableResult
  public func primaryKey(
    onConflict: ConflictResolution? = nil, autoincrement: Bool = false, descending: Bool = false,
    named name: String? = nil
  ) -> Self {
    description.keys.append(
      .primary(autoincrement: autoincrement, onConflict: onConflict, isDescending: descending, name: name))
    return self
  }

  /// Adds a NOT NULL constraint.
  @discardableResult
  public func notNull(onConflict: ConflictResolution? = nil, named name: String? = nil) -> Self {
    description.notNull = NewColumnDescription.NotNull(onConflict: onConflict, name: name)
    return self
  }

  /// Adds a UNIQUE constraint: no two rows may have the same value, but several rows may have NULL.
  @discardableResult
  public func unique(onConflict: ConflictResolution? = nil, named name: String? = nil) -> Self {
    description.keys.append(.unique(onConflict: onConflict, name: name))
    return self
  }

  /// Creates an index on the column, named after its table and column: `player_on_teamId`.
  ///
  /// - Parameter unique: Whether the index is unique. Unlike ``unique(onConflict:named:)``,
  ///   this also works for a column that `alter(table:)` adds.
  @discardableResult
  public func indexed(unique: Bool = false) -> Self {
    description.index = NewColumnDescription.ColumnIndex(isUnique: unique)
    return self
  }

  /// Sets the default value for new rows.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    description.defaultValue = .value(value.databaseValue)
    return self
  }

  /// Sets the default for new rows to an SQL expression.
  @discardableResult
  public func defaults(sql: String) -> Self {
    description.defaultValue = .sql(sql)
    return self
  }

  /// Adds a CHECK constraint: rows for which the SQL expression is false are rejected; NULL counts as true.
  @discardableResult
  public func check(sql: String, named name: String? = nil) -> Self {
    description.checks.append(NewCheckDescription(sql, name: name))
    return self
  }

  /// Sets the collation of the column's text.
  @discardableResult
  public func collate(_ collation: Collation) -> Self {
    description.collation = collation.rawValue
    return self
  }

  /// Makes the column a foreign key (https://www.sqlite.org/foreignkeys.html).
  ///
  /// - Parameters:
  ///   - table: The referenced table; it need not exist yet.
  ///   - column: The referenced column; nil for the table's primary key.
  ///   - onDelete: The action when the referenced row is deleted; nil to reject the deletion.
  ///   - onUpdate: The action when the referenced value changes; nil to reject the change.
  @discardableResult
  public func references(
    _ table: String, column: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred: Bool = false, named name: String? = nil
  ) -> Self {
    description.references.append(
      NewForeignKeyDescription(
        table: table, destinationColumns: column.map { [$0] } ?? [], onDelete: onDelete, onUpdate: onUpdate,
        isDeferred: deferred, name: name))
    return self
  }

  /// Makes the column a generated column, computed from an SQL expression over the row's other columns.
  @discardableResult
  public func generatedAs(sql: String, _ generation: Generation = .virtual) -> Self {
    description.generated = NewColumnDescription.Generated(sql: sql, isStored: generation == .stored)
    return self
  }
}
