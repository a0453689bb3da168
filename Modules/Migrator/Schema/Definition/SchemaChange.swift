/// A change of the schema as a value; a backend turns it into statements for its engine's version.
public enum SchemaChange: Sendable, Hashable {
  /// Creates a table, and the indexes that its columns ask for.
  case createTable(NewTableDescription)
  /// Alters a table; the steps are one change.
  case alterTable(name: String, alterations: [TableAlterationDescription], schema: String? = nil)
  /// Gives a table another definition and keeps its rows.
  ///
  /// Columns of equal names keep their values; `copying` gives SQL expressions over the row as it was for others.
  case recreateTable(NewTableDescription, copying: [String: String])
  /// Gives a table another name, also in the foreign keys that refer to it.
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
  /// Creates a table for full-text search, with what keeps it up to date.
  case createFullTextTable(NewFullTextTableDescription)
}

/// One step of altering a table.
public enum TableAlterationDescription: Sendable, Hashable {
  /// Adds a column behind the others.
  case addColumn(NewColumnDescription)
  /// Adds a column given as SQL, such as `"score INTEGER DEFAULT 0"`.
  case addColumnSQL(String)
  /// Gives a column another name, wherever it is used.
  case renameColumn(name: String, newName: String)
  /// Removes a column with its values.
  case dropColumn(name: String)
  /// Changes what a column is made of.
  case changeColumn(name: String, ColumnChange)
  /// Adds a constraint.
  case addConstraint(AddedConstraint)
  /// Removes a constraint.
  case dropConstraint(DroppedConstraint)
  /// Gives the table another primary key; nil for none.
  case setPrimaryKey(TableKey?)
  /// Puts the columns in another order: those that are named first, the others behind them as they were.
  case reorderColumns([String])
  /// Compares every value that is kept before and after, where the table is rebuilt.
  case verifyRows
}

/// What changes about a column; what is not named stays as it is.
public struct ColumnChange: Sendable, Hashable {
  /// One property with its new value.
  public enum Property: Sendable, Hashable {
    /// The declared type; nil for none.
    case type(ColumnType?)
    /// NOT NULL; nil allows NULL.
    case notNull(NewColumnDescription.NotNull?)
    /// The default; nil for none.
    case defaultValue(NewColumnDescription.Default?)
    /// The collation's name; nil leaves it to the engine.
    case collation(String?)
    /// One more CHECK constraint.
    case addCheck(NewCheckDescription)
    /// None of the CHECK constraints that the column's definition has.
    case dropChecks
    /// The foreign keys of this column alone, in place of those that its definition has.
    case references([NewForeignKeyDescription])
  }

  /// The changes, in their order.
  public var properties: [Property]
  /// An SQL expression over the row as it was, which gives the column its values; nil keeps them.
  public var copying: String?

  /// Creates a change.
  public init(_ properties: [Property] = [], copying: String? = nil) {
    self.properties = properties
    self.copying = copying
  }
}

/// A constraint that a table gets.
public enum AddedConstraint: Sendable, Hashable {
  /// Refuses rows for which an expression is false.
  case check(NewCheckDescription)
  /// Refuses a row whose values another row has.
  case unique(TableKey)
  /// Refers to another table.
  case foreignKey(NewForeignKeyDescription)
}

/// A constraint that a table loses.
public enum DroppedConstraint: Sendable, Hashable {
  /// The constraint of a name, also one in a column's definition.
  case named(String)
  /// The CHECK constraint of an expression, compared by its tokens.
  case check(sql: String)
  /// The unique key of these columns.
  case unique([String])
  /// The foreign key of these columns.
  case foreignKey([String])
}
