/// What a connection tells of its schema, and how it changes it.
public protocol SchemaIntrospection: AnyObject {
  /// The objects of the main schema as plain values, in the order of their creation.
  func schema() throws(DatabaseError) -> SchemaSnapshot

  /// A number that changes whenever the schema does, through whatever connection.
  func schemaVersion() throws(DatabaseError) -> Int64

  /// A form of a definition's SQL that is equal for definitions that say the same: blanks, comments, the case of
  /// keywords and the way of quoting names do not count.
  func canonicalDefinition(_ sql: String) -> String

  /// The columns of a table or view in their order, hidden ones marked; nil when there is no such object.
  func columns(in table: String) throws(DatabaseError) -> [ColumnDescription]?

  /// The foreign keys that a table declares, ordered by their number; empty when there are none or no such table.
  func foreignKeys(on table: String) throws(DatabaseError) -> [ForeignKeyDescription]

  /// The indexes of a table, those that come with its keys included; empty when there are none or no such table.
  func indexes(on table: String) throws(DatabaseError) -> [IndexDescription]

  /// The violations of foreign keys in one table, or in all of them.
  ///
  /// - Returns: A function that gives the next violation, nil when there is no more.
  /// - Throws: ``DatabaseError``, also when a foreign key names a parent that has no matching unique key.
  func foreignKeyViolations(in table: String?) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation?

  /// The statements that make a change on this engine's version, in their order.
  ///
  /// Reads the schema and changes nothing.
  ///
  /// - Throws: ``DatabaseError`` as ``DatabaseError/Condition-swift.enum/unsupported`` when the engine cannot make
  ///   the change without a loss.
  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements

  /// Removes every object and every row of the main schema, within the open transaction.
  ///
  /// Settings of the file (key, page size, text encoding, journal mode, user version) stay as they are.
  ///
  /// - Precondition: A transaction is open and foreign keys are not enforced.
  func eraseEverything() throws(DatabaseError)
}
