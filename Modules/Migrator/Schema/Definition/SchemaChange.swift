/// A change to the schema as a value; a backend turns it into statements for its engine's version.
public enum SchemaChange: Sendable, Equatable {
  /// Creates a table and its indexes.
  case createTable(NewTableDescription)
  /// Alters a table; all alterations are applied as one change.
  case alterTable(name: String, alterations: [TableAlterationDescription], schema: String? = nil)
  /// Replaces a table's definition and keeps its rows.
  ///
  /// Columns in both definitions keep their values; `copying` maps the names of other columns to SQL expressions over
  /// the old row.
  case recreateTable(NewTableDescription, copying: [String: String])
  /// Renames a table, and updates the foreign keys, triggers and views that refer to it.
  case renameTable(name: String, newName: String, schema: String? = nil)
  /// Removes a table with its rows, indexes and triggers.
  case dropTable(name: String, ifExists: Bool, schema: String? = nil)
  /// Creates an index.
  case createIndex(NewIndexDescription)
  /// Removes an index.
  case dropIndex(name: String, ifExists: Bool, schema: String? = nil)
  /// Creates a view.
  case createView(NewViewDescription)
  /// Removes a view.
  case dropView(name: String, ifExists: Bool, schema: String? = nil)
  /// Creates a trigger.
  case createTrigger(NewTriggerDescription)
  /// Removes a trigger.
  case dropTrigger(name: String, ifExists: Bool, schema: String? = nil)
  /// Creates a virtual table.
  case createVirtualTable(NewVirtualTableDescription)
  /// Creates a full-text table and the triggers that keep it up to date.
  case createFullTextTable(NewFullTextTableDescription)
}

/// One step of altering a table.
public enum TableAlterationDescription: Sendable, Equatable {
  /// Adds a column at the end.
  case addColumn(NewColumnDescription)
  /// Adds a column given as SQL, such as `"score INTEGER DEFAULT 0"`.
  case addColumnSQL(String)
  /// Renames a column wherever it is used.
  case renameColumn(name: String, newName: String)
  /// Removes a column with its values.
  case dropColumn(name: String)
  /// Changes a column's definition.
  case changeColumn(name: String, ColumnChange)
  /// Adds a constraint.
  case addConstraint(AddedConstraint)
  /// Removes a constraint.
  case dropConstraint(DroppedConstraint)
  /// Replaces the primary key; nil removes it.
  case setPrimaryKey(TableKey?)
  /// Reorders the columns: the named columns first, then the others in their current order.
  case reorderColumns([String])
}

/// A change to a column; properties that are not set remain unchanged.
public struct ColumnChange: Sendable, Equatable {
  /// One property with its new value.
  public enum Property: Sendable, Equatable {
    /// The declared type; nil for none.
    case type(ColumnType?)
    /// The NOT NULL constraint; nil to allow NULL.
    case notNull(NewColumnDescription.NotNull?)
    /// The default; nil for none.
    case defaultValue(NewColumnDescription.Default?)
    /// The collation's name; nil for the engine's default.
    case collation(String?)
    /// An additional CHECK constraint.
    case addCheck(NewCheckDescription)
    /// The removal of the CHECK constraints in the column's definition.
    case dropChecks
    /// The foreign keys of this column alone, which replace the foreign keys in its definition.
    case references([NewForeignKeyDescription])
  }

  /// The changes, in order.
  public var properties: [Property]
  /// An SQL expression over the old row that provides the column's values; nil if the values are not replaced.
  public var copying: String?

  /// Creates a change.
  public init(_ properties: [Property] = [], copying: String? = nil) {
    self.properties = properties
    self.copying = copying
  }
}

/// A constraint to add to a table.
public enum AddedConstraint: Sendable, Equatable {
  /// A CHECK constraint: rows for which its expression is false are rejected.
  case check(NewCheckDescription)
  /// A unique key: no two rows may have the same values in its columns.
  case unique(TableKey)
  /// A foreign key, which may refer to another table or to the same one.
  case foreignKey(NewForeignKeyDescription)
}

/// A constraint to remove from a table.
public enum DroppedConstraint: Sendable, Equatable {
  /// The constraint with this name, including one in a column's definition.
  case named(String)
  /// The CHECK constraint with this expression, compared token by token.
  case check(sql: String)
  /// The unique key on these columns.
  case unique([String])
  /// The foreign key with these referring columns.
  case foreignKey([String])
}
