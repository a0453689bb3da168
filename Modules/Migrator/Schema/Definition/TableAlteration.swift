/// The steps that alter a table, inside `alter(table:)`.
///
///     try db.alter(table: "player") { t in
///         t.rename(column: "url", to: "homepage")
///         t.add(column: "hasBonus", .boolean).notNull().defaults(to: false)
///     }
public final class TableAlteration {
  private enum Step {
    case addColumn(ColumnDefinition)
    case addReference(ForeignKeyDefinition)
    case other(TableAlterationDescription)
  }

  private var steps: [Step] = []

  init() {}

  /// Adds a column at the end.
  ///
  /// Existing rows get the default, or NULL. SQLite cannot add a column that is a primary key, unique, or generated and
  /// stored. If the table has rows, it also cannot add a NOT NULL column without a default or a column with a computed
  /// default (https://www.sqlite.org/lang_altertable.html#altertabaddcol). If foreign keys are not enforced, as in a
  /// migration with deferred checks, the table is rebuilt to add a column that is unique, is generated and stored, or
  /// has a computed default.
  @discardableResult
  public func add(column name: String, _ type: ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    steps.append(.addColumn(column))
    return column
  }

  /// Adds a column given as SQL, such as `"score INTEGER DEFAULT 0"`.
  public func addColumn(sql: String) { steps.append(.other(.addColumnSQL(sql))) }

  /// Adds a reference to another table's primary key; the key must have exactly one column.
  ///
  /// Adds the same column, foreign key and index as
  /// ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``.
  @discardableResult
  public func add(
    belongsTo name: String, inTable parent: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred: Bool = false, indexed: Bool = true
  ) -> ForeignKeyDefinition {
    let reference = ForeignKeyDefinition(
      name: name, table: parent, onDelete: onDelete, onUpdate: onUpdate, isDeferred: deferred, isIndexed: indexed)
    steps.append(.addReference(reference))
    return reference
  }

  /// Renames a column, and updates the indexes, constraints, foreign keys, triggers and views that use it.
  public func rename(column name: String, to newName: String) {
    steps.append(.other(.renameColumn(name: name, newName: newName)))
  }

  /// Removes a column with its values.
  public func drop(column name: String) { steps.append(.other(.dropColumn(name: name))) }

  func append(_ alteration: TableAlterationDescription) { steps.append(.other(alteration)) }

  /// Returns the steps as values; `parentKey` returns the primary key, of one column, that a reference refers to.
  func descriptions(_ parentKey: (ForeignKeyDefinition) throws -> ParentKey) rethrows -> [TableAlterationDescription] {
    precondition(!steps.isEmpty, "Altering a table needs at least one step.")
    var alterations: [TableAlterationDescription] = []
    for step in steps {
      switch step {
      case .addColumn(let column): alterations.append(.addColumn(column.description))
      case .addReference(let reference):
        for column in reference.columns(for: try parentKey(reference)) {
          var column = column
          if reference.isUnique {
            // ALTER TABLE cannot add a UNIQUE column (https://www.sqlite.org/lang_altertable.html#altertabaddcol); a
            // unique index can be created afterwards.
            column.keys = []
            column.index = NewColumnDescription.ColumnIndex(isUnique: true)
          }
          alterations.append(.addColumn(column))
        }
      case .other(let alteration): alterations.append(alteration)
      }
    }
    return alterations
  }
}

extension TableAlteration {
  /// Changes a column's definition, and keeps every property that `body` does not set.
  ///
  ///     t.change(column: "email") { c in c.notNull(); c.copying(sql: "coalesce(email, '')") }
  public func change(column name: String, _ body: (ColumnAlteration) throws -> Void) rethrows {
    let column = ColumnAlteration()
    try body(column)
    precondition(column.change != ColumnChange(), "Changing a column needs at least one change in the body.")
    append(.changeColumn(name: name, column.change))
  }

  /// Adds a CHECK constraint: rows for which the SQL expression is false are rejected; NULL counts as true.
  public func addCheck(sql: String, named name: String? = nil) {
    append(.addConstraint(.check(NewCheckDescription(sql, name: name))))
  }

  /// Adds a unique key: no two rows may have the same values in these columns.
  public func addUniqueKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(!columns.isEmpty, "A unique key needs at least one column.")
    append(.addConstraint(.unique(TableKey(columns: columns, onConflict: onConflict, name: name))))
  }

  /// Adds a foreign key of one or more columns; without destination columns, it refers to the table's primary key.
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

  /// Removes the constraint with the given name, including one in a column's definition.
  public func drop(constraint name: String) { append(.dropConstraint(.named(name))) }

  /// Removes the CHECK constraint with the given expression; differences in whitespace and comments are ignored.
  public func dropCheck(sql: String) { append(.dropConstraint(.check(sql: sql))) }

  /// Removes the unique key on these columns.
  ///
  /// To remove a unique index, drop the index instead.
  public func dropUniqueKey(_ columns: [String]) { append(.dropConstraint(.unique(columns))) }

  /// Removes the foreign key of these columns.
  public func dropForeignKey(_ columns: [String]) { append(.dropConstraint(.foreignKey(columns))) }

  /// Makes columns the primary key, replacing the existing one.
  public func setPrimaryKey(_ columns: [KeyColumn], onConflict: ConflictResolution? = nil, named name: String? = nil) {
    precondition(!columns.isEmpty, "A primary key needs at least one column.")
    append(.setPrimaryKey(TableKey(columns: columns, onConflict: onConflict, name: name)))
  }

  /// Removes the primary key; its columns remain.
  public func dropPrimaryKey() { append(.setPrimaryKey(nil)) }

  /// Moves columns to the front, in this order; the others follow in their current order.
  public func reorder(columns: [String]) {
    precondition(!columns.isEmpty, "Reordering needs at least one column.")
    append(.reorderColumns(columns))
  }
}

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
