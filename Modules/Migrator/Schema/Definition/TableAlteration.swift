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

  private let table: String
  private var steps: [Step] = []

  init(table: String) {
    precondition(!table.isEmpty, "A table needs a name.")
    self.table = table
  }

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

  /// Appends a step.
  func append(_ alteration: TableAlterationDescription) { steps.append(.other(alteration)) }

  /// The steps as values, with the references to other tables looked up.
  func alterations(_ lookup: ParentKeyLookup) throws(DatabaseError) -> [TableAlterationDescription] {
    precondition(!steps.isEmpty, "Altering a table needs at least one step.")
    var alterations: [TableAlterationDescription] = []
    for step in steps {
      switch step {
      case .addColumn(let column): alterations.append(.addColumn(column.definition))
      case .addReference(let reference): alterations.append(.addColumn(try column(for: reference, lookup)))
      case .other(let alteration): alterations.append(alteration)
      }
    }
    return alterations
  }

  private func column(for reference: ForeignKeyDefinition, _ lookup: ParentKeyLookup) throws(DatabaseError)
    -> NewColumnDescription
  {
    let key = try lookup.key(for: reference)
    let columns = reference.columns(for: key)
    guard columns.count == 1, var column = columns.first else {
      // A foreign key of several columns is a table constraint, and ALTER TABLE adds no constraint
      // (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
      throw DatabaseError(
        .unsupported, engine: lookup.connection.engine.name,
        message: "a reference to \"\(key.table)\", whose key has \(columns.count) columns, cannot be added to"
          + " \"\(table)\"",
        remedy: "Create the table anew with the reference, copy the rows, drop the old table and rename the new one.")
    }
    if reference.isUnique {
      // A UNIQUE column cannot be added either, a unique index can.
      column.keys = []
      column.index = NewColumnDescription.ColumnIndex(isUnique: true)
    }
    return column
  }
}

/// A definition is mutable and lives inside one access to the database.
@available(*, unavailable)
extension TableAlteration: Sendable {}
