/// Defines the steps that alter a table, inside `alter(table:)`.
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

  init(table: String) { precondition(!table.isEmpty, "A table needs a name.") }

  /// Adds a column behind the others.
  ///
  /// Rows that exist get the default, or NULL. SQLite itself adds no column that is a primary key, unique, or stored
  /// and generated, and to a table that has rows none that refuses NULL without a default or whose default is computed
  /// (https://www.sqlite.org/lang_altertable.html#altertabaddcol). Where foreign keys are not enforced, as in a
  /// migration that checks them deferred, a column that is unique, stored and generated, or that has a computed default
  /// is added by a rebuild.
  @discardableResult
  public func add(column name: String, _ type: ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    steps.append(.addColumn(column))
    return column
  }

  /// Adds a column given as SQL, such as `"score INTEGER DEFAULT 0"`.
  public func addColumn(sql: String) { steps.append(.other(.addColumnSQL(sql))) }

  /// Adds a reference to the primary key of another table, which must be a key of one column.
  ///
  /// The column, its foreign key and its index are those of
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

  /// Gives a column another name, also in the indexes, constraints, foreign keys, triggers and views that use it.
  public func rename(column name: String, to newName: String) {
    precondition(!newName.isEmpty, "A column needs a name.")
    steps.append(.other(.renameColumn(name: name, newName: newName)))
  }

  /// Removes a column with its values.
  public func drop(column name: String) { steps.append(.other(.dropColumn(name: name))) }

  func append(_ alteration: TableAlterationDescription) { steps.append(.other(alteration)) }

  /// The steps as values.
  ///
  /// - Parameter parentKey: Returns the primary key that a reference refers to, which has one column.
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
            // A UNIQUE column cannot be added (https://www.sqlite.org/lang_altertable.html#altertabaddcol), a unique
            // index can.
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
  /// Changes what a column is made of, and keeps all that `body` does not name.
  ///
  ///     t.change(column: "email") { c in c.notNull(); c.copying(sql: "coalesce(email, '')") }
  public func change(column name: String, _ body: (ColumnAlteration) throws -> Void) rethrows {
    let column = ColumnAlteration()
    try body(column)
    precondition(column.change != ColumnChange(), "Changing a column needs at least one word that says how.")
    append(.changeColumn(name: name, column.change))
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

  /// Makes columns a foreign key together; without destination columns it refers to the table's primary key.
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
