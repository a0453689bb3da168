/// The statements that one schema change needs.
public struct SchemaChangeStatements: Sendable, Equatable {
  /// The statements, to be run in this order as one unit.
  public var statements: [String]
  /// Statements to run afterwards, even if one of ``statements`` failed.
  public var restoring: [String]
  /// Queries that the core runs after a statement has violated a constraint, before it rolls back.
  public var diagnoses: [SchemaChangeDiagnosis]

  /// Creates the statements of a change.
  public init(_ statements: [String], restoring: [String] = [], diagnoses: [SchemaChangeDiagnosis] = []) {
    self.statements = statements
    self.restoring = restoring
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
