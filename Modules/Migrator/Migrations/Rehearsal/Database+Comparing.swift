extension Database {
  /// What distinguishes the schema as it is now from an earlier one, a ledger left out.
  package func schemaDifference(since before: SchemaSnapshot, leavingOut ledgerTable: String) throws -> SchemaDifference
  {
    SchemaDifference(
      from: before, to: try connection.schema(), leavingOut: [ledgerTable], canonical: connection.canonicalDefinition)
  }

  /// Whether two definitions say the same, blanks, comments and the way of quoting aside.
  package func isSameDefinition(_ one: String, _ other: String) -> Bool {
    one == other || connection.canonicalDefinition(one) == connection.canonicalDefinition(other)
  }

  /// Puts the rows of a table of another database in the place of this one's, with their rowids.
  ///
  /// Triggers fire; foreign keys act if they are enforced.
  ///
  /// - Parameter onRow: Is called after each row.
  /// - Returns: How many of the rows this table refused.
  package func replaceRows(of table: String, from source: Database, onRow: () -> Void = {}) throws -> Int {
    try execute(sql: "DELETE FROM main.\(table.quotedIdentifier)")
    return try RowCopying(of: table, from: source, to: self).perform(limit: nil, onRow: onRow)
  }
}
