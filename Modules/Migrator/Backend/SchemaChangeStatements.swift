/// The statements that one schema change needs.
public struct SchemaChangeStatements: Sendable, Hashable {
  /// How a change is made.
  public enum Method: Int, Sendable, Hashable, Comparable {
    /// By the engine's own statements, such as `ALTER TABLE`.
    case engine
    /// By editing stored definitions, which touches no row.
    case definitions
    /// By creating a table anew and copying its rows.
    case rebuild

    /// Whether the left method is the one that touches less.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// The statements, to be run in this order, all or none.
  public var statements: [String]
  /// Statements to run afterwards in any case, also when one of the others failed.
  public var restoring: [String]
  /// How the change is made; of several ways the one that touches most.
  public var method: Method
  /// What may be asked when one of the statements violates a constraint, before anything is rolled back.
  public var diagnoses: [SchemaChangeDiagnosis]

  /// Creates a list.
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

/// A question that finds the rows by which a schema change fails.
public struct SchemaChangeDiagnosis: Sendable, Hashable {
  /// A query for the numbers of the rows that are in the way; NULL for rows without one.
  public var query: String
  /// The table whose rows they are.
  public var table: String
  /// What is wrong with the rows, such as `NULL in "name", which is to refuse it`.
  public var defect: String
  /// Which constraint they violate.
  public var constraint: DatabaseError.Constraint

  /// Creates a question.
  public init(query: String, table: String, defect: String, constraint: DatabaseError.Constraint) {
    self.query = query
    self.table = table
    self.defect = defect
    self.constraint = constraint
  }
}
