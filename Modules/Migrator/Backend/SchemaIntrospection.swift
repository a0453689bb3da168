/// What a connection tells of its schema, and how it changes it.
public protocol SchemaIntrospection: AnyObject {
  /// The objects of a schema as plain values, in the order of their creation.
  ///
  /// - Parameter schema: The schema of an attached database, or the temporary one; nil for the main schema.
  /// - Throws: ``DatabaseError``, also when there is no such schema.
  func schema(named schema: String?) throws(DatabaseError) -> SchemaSnapshot

  /// A number that changes whenever the schema does, through whatever connection.
  func schemaVersion() throws(DatabaseError) -> Int64

  /// A form of a definition's SQL that is equal for definitions that say the same: blanks, comments, the case of
  /// keywords and the way of quoting names do not count, nor should the order of a column's constraints and what the
  /// engine does without a word.
  func canonicalDefinition(_ sql: String) -> String

  /// The columns of a table or view in their order, hidden ones marked; nil when there is no such object in a schema.
  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]?

  /// The foreign keys that a table of a schema declares, ordered by their number; empty when there are none or no such
  /// table.
  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription]

  /// The indexes of a table of a schema, those that come with its keys included; empty when there are none or no such
  /// table.
  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription]

  /// The schemas of attached databases that are kept in files, which statements on this connection can change.
  func attachedFiles() throws(DatabaseError) -> [String]

  /// The table of the main schema in which the engine counts the rowids that it has given, so that none is used again;
  /// nil where the engine has no such table, or not yet.
  func counterTable() throws(DatabaseError) -> String?

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

extension SchemaIntrospection {
  /// The objects of the main schema.
  package func schema() throws(DatabaseError) -> SchemaSnapshot { try schema(named: nil) }

  /// The columns of a table or view of the main schema.
  package func columns(in table: String) throws(DatabaseError) -> [ColumnDescription]? {
    try columns(in: table, inSchema: nil)
  }

  /// The foreign keys of a table of the main schema.
  package func foreignKeys(on table: String) throws(DatabaseError) -> [ForeignKeyDescription] {
    try foreignKeys(on: table, inSchema: nil)
  }

  /// The indexes of a table of the main schema.
  package func indexes(on table: String) throws(DatabaseError) -> [IndexDescription] {
    try indexes(on: table, inSchema: nil)
  }
}
