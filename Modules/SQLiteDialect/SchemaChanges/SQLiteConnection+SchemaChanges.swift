package import Migrator

extension SQLiteConnection {
  /// The statements that make a change on this engine's version, in their order.
  ///
  /// Newer engines rename and drop columns themselves. For older ones the stored definitions are edited, which keeps
  /// every row where it is, or the table is rebuilt with all that belongs to it.
  ///
  /// - Throws: ``DatabaseError`` as unsupported when the engine cannot make the change without a loss, or when it is
  ///   not certain what a name in a stored definition means. Nothing has been changed then.
  package func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements {
    try statements(for: change, features: features)
  }

  /// The statements that make a change with the features of another version, for tests.
  func statements(for change: SchemaChange, features: SQLiteFeatures) throws(DatabaseError) -> SchemaChangeStatements {
    var planner = SchemaChangePlanner(self, features: features)
    return try planner.statements(for: change)
  }
}
