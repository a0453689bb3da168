/// The statements that one schema change needs.
public struct SchemaChangeStatements: Sendable, Equatable {
  /// The method by which a change is made.
  public enum Method: Int, Sendable, Hashable, Comparable {
    /// Statements that the engine provides for the change, such as `ALTER TABLE`.
    case engine
    /// Edits to the definitions stored in the schema; no row is touched.
    case definitions
    /// Recreation of a table, with all rows copied to the new table.
    case rebuild

    /// Whether the first method modifies less of the database than the second.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// The statements, to be run in this order as one unit.
  public var statements: [String]
  /// Statements to run afterwards, even if one of ``statements`` failed.
  public var restoring: [String]
  /// The method of the change; if the change combines several methods, the one that modifies the most of the database.
  public var method: Method
  /// Queries that the core runs after a statement has violated a constraint, before it rolls back.
  public var diagnoses: [SchemaChangeDiagnosis]

  /// Creates the statements of a change.
  public init(
    _ statements: [String], restoring: [String] = [], method: Method = .engine,
    diagnoses: [SchemaChangeDiagnosis] = []
  ) {
    self.statements = statements
    self.restoring = restoring
    self.method = method
    self.diagnoses = diagnoses
  }
}

/// A query that finds the rows that make a schema change fail.
public struct SchemaChangeDiagnosis: Sendable, Equatable {
  /// A query for the rowids of the offending rows; NULL for rows without a rowid.
  public var query: String
  /// The table that contains the rows.
  public var table: String
  /// A description of the problem with the rows, such as `NULL in "name"`.
  public var defect: String
  /// The constraint that the rows violate.
  public var constraint: DatabaseError.Constraint

  /// Creates a diagnosis.
  public init(query: String, table: String, defect: String, constraint: DatabaseError.Constraint) {
    self.query = query
    self.table = table
    self.defect = defect
    self.constraint = constraint
  }
}
