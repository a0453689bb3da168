/// Refines a column that `create(table:)` or `alter(table:)` defines.
///
/// Each word returns the same column, so that words can be chained; their order does not matter.
///
///     t.column("email", .text).notNull().unique().collate(.nocase)
public final class ColumnDefinition {
  /// Where a generated column keeps its value (https://www.sqlite.org/gencol.html).
  public enum Generation: Sendable, Hashable {
    /// Nowhere: the value is computed at each read.
    case virtual
    /// In the row, computed at each write.
    case stored
  }

  /// What was defined so far.
  package private(set) var description: NewColumnDescription

  /// Begins a column without constraints.
  package init(name: String, type: ColumnType?) {
    precondition(!name.isEmpty, "A column needs a name.")
    description = NewColumnDescription(name: name, type: type)
  }

  /// Makes the column its table's primary key.
  ///
  /// - Parameters:
  ///   - autoincrement: Whether the ids of deleted rows are never used again; for `INTEGER` columns only
  ///     (https://www.sqlite.org/autoinc.html).
  ///   - descending: Whether larger values come first. Such an `INTEGER` key is not the row's id, by an old quirk of
  ///     SQLite (https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key).
  @discardableResult
  public func primaryKey(
    onConflict: ConflictResolution? = nil, autoincrement: Bool = false, descending: Bool = false,
    named name: String? = nil
  ) -> Self {
    description.keys.append(
      .primary(autoincrement: autoincrement, onConflict: onConflict, isDescending: descending, name: name))
    return self
  }

  /// Refuses NULL.
  @discardableResult
  public func notNull(onConflict: ConflictResolution? = nil, named name: String? = nil) -> Self {
    description.notNull = NewColumnDescription.NotNull(onConflict: onConflict, name: name)
    return self
  }

  /// Refuses a value that another row has; several rows may hold NULL.
  @discardableResult
  public func unique(onConflict: ConflictResolution? = nil, named name: String? = nil) -> Self {
    description.keys.append(.unique(onConflict: onConflict, name: name))
    return self
  }

  /// Creates an index on the column, named after its table and column: `player_on_teamId`.
  ///
  /// - Parameter unique: Whether the index refuses a value that another row has. Other than ``unique(onConflict:named:)``
  ///   this can be asked of a column that `alter(table:)` adds.
  @discardableResult
  public func indexed(unique: Bool = false) -> Self {
    description.index = NewColumnDescription.ColumnIndex(isUnique: unique)
    return self
  }

  /// Gives rows that are inserted without a value for the column this one.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    description.defaultValue = .value(value.databaseValue)
    return self
  }

  /// Gives rows that are inserted without a value for the column the value of an SQL expression.
  @discardableResult
  public func defaults(sql: String) -> Self {
    description.defaultValue = .sql(sql)
    return self
  }

  /// Refuses rows for which an SQL expression is false; NULL counts as true.
  @discardableResult
  public func check(sql: String, named name: String? = nil) -> Self {
    description.checks.append(NewCheckDescription(sql, name: name))
    return self
  }

  /// Compares the column's text by a collation.
  @discardableResult
  public func collate(_ collation: Collation) -> Self {
    description.collation = collation.rawValue
    return self
  }

  /// Makes the column a foreign key (https://www.sqlite.org/foreignkeys.html).
  ///
  /// - Parameters:
  ///   - table: The table that is referred to; it need not exist yet.
  ///   - column: The column that is referred to; nil for the table's primary key.
  ///   - onDelete: What happens when the row that is referred to is deleted; nil refuses the deletion.
  ///   - onUpdate: What happens when the value that is referred to changes; nil refuses the change.
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

  /// Makes the column a generated one, computed from an SQL expression over the row's other columns.
  @discardableResult
  public func generatedAs(sql: String, _ generation: Generation = .virtual) -> Self {
    description.generated = NewColumnDescription.Generated(sql: sql, isStored: generation == .stored)
    return self
  }
}
