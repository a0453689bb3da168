/// What migrations did to a scratch copy of a database; see ``DatabaseMigrator/rehearse(_:upTo:copying:events:)``.
///
/// The database itself is as it was.
public struct MigrationRehearsal: Sendable {
  /// What a run would do, and why.
  public let plan: MigrationPlan

  /// What the copy held.
  public let copy: RehearsalCopy

  /// What the copy lacked; where this is not empty, a run may go otherwise.
  public internal(set) var gaps: [RehearsalGap] = []

  /// The migrations that a run would have applied at its end, in the order of their application.
  public internal(set) var applied: [String] = []

  /// The migration that failed, with its error and what a run would leave; nil when none did.
  public internal(set) var failure: MigrationFailure?

  /// What the run would report although nothing failed.
  public internal(set) var warnings: [MigrationWarning] = []

  /// The statements that migrations ran, in the order in which each ran first; those of a migration that failed, too.
  ///
  /// Statements that a trigger ran are not there, nor are those of the migrator itself.
  public internal(set) var statements: [RehearsedStatement] = []

  /// How many runs of statements are not in ``statements``, which holds 10,000.
  public internal(set) var omittedRunCount = 0

  /// The statements that destroy what the database holds, those of a migration that failed included.
  public internal(set) var destructiveStatements: [DestructiveStatement] = []

  /// The schema changes that migrations made through words such as `db.alter(table:)`, and how each was made.
  public internal(set) var schemaChanges: [RehearsedSchemaChange] = []

  /// What a run would make of the schema.
  public internal(set) var schemaDifference: SchemaDifference?

  /// The rows of the tables before and after, in the order of their creation; tables that are new come last.
  public internal(set) var rowCounts: [RowCounts] = []

  /// What became of the foreign keys.
  public internal(set) var foreignKeys = ForeignKeyVerdict.undecided

  /// Begins with what is known before anything has run.
  init(plan: MigrationPlan, copy: RehearsalCopy) {
    self.plan = plan
    self.copy = copy
  }

  /// The numbers of a table's rows.
  ///
  /// A number is nil where there is no such table, or where it is a virtual table that cannot count its rows.
  public struct RowCounts: Sendable, Hashable {
    /// The table's name.
    public let table: String

    /// The rows in the database itself.
    public let inDatabase: Int?

    /// The rows in the copy before the migrations ran.
    public let before: Int?

    /// The rows in the copy after the migrations ran.
    public let after: Int?

    /// Creates numbers of rows, as tests want them that compare rehearsals.
    public init(table: String, inDatabase: Int?, before: Int?, after: Int?) {
      self.table = table
      self.inDatabase = inDatabase
      self.before = before
      self.after = after
    }
  }

  /// What a rehearsal says about foreign keys; about no more rows than the copy held.
  public enum ForeignKeyVerdict: Sendable, Hashable {
    /// The connection does not enforce them.
    case notEnforced
    /// No migration brought in a violation; so many were there before in the tables that they touched.
    case passed(oldViolations: Int)
    /// The migration that failed did so because of these violations, which it brought in.
    case violated([ForeignKeyViolation])
    /// Nothing ran, or a migration failed with something else.
    case undecided
  }
}
