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
