/// A loss of sample rows in the rehearsal of a migration, and the statement that caused it.
struct RehearsedLoss: Hashable {
  /// A kind of loss.
  enum Kind: Hashable {
    /// The number of rows that are in no table after the migration, out of all rows that their table had.
    case rows(Int, of: Int)
    /// The values of columns are in no table after the migration.
    case values(columns: [String])
    /// The rows have different values in their primary key than before.
    case keys(column: String)
    /// Rows of another table refer to deleted rows.
    case references(child: String)
    /// A unique index cannot be created, because rows have equal values.
    case equalRows
  }

  let kind: Kind
  /// The table that lost the rows or values, in ASCII lower case.
  let table: String
  /// The index of the statement in the migration's file.
  let statement: Int
}

/// The result of rehearsing a migration on sample rows.
struct RehearsedLosses {
  var losses: [RehearsedLoss] = []
  /// The dropped tables whose rows are all in other tables, and existing tables that still have all their rows, in ASCII
  /// lower case.
  var movedTables: Set<String> = []
  /// The columns whose values are still there, or those that no longer exist and from which others were computed.
  var movedColumns: Set<ValueCensus.Place> = []
}
