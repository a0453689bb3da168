/// The effects of migrations on a scratch copy of a database; see
/// ``DatabaseMigrator/rehearse(_:upTo:copying:events:)``.
///
/// The database itself is unchanged.
public struct MigrationRehearsal: Sendable {
  /// The plan of the run.
  public let plan: MigrationPlan
  /// The extent of the copy.
  public let copy: RehearsalCopy
  /// The parts missing from the copy; if there are any, a run may have a different outcome.
  public internal(set) var gaps: [RehearsalGap] = []
  /// The migrations that a run would have applied, in order.
  public internal(set) var applied: [String] = []
  /// The migration that failed, with its error and the state in which a run would leave the database; nil if none
  /// failed.
  public internal(set) var failure: MigrationFailure?
  /// The warnings that the run would report.
  public internal(set) var warnings: [MigrationWarning] = []

  /// The statements that migrations ran, including those of a failed migration, in the order of each statement's first
  /// run.
  ///
  /// Statements run by triggers, and the migrator's own statements, are not included.
  public internal(set) var statements: [RehearsedStatement] = []

  /// The number of runs of statements that are missing from ``statements``, because that list is limited to 10,000
  /// statements.
  public internal(set) var omittedRunCount = 0
  /// The statements that destroy data in the database, including statements of a migration that failed.
  public internal(set) var destructiveStatements: [DestructiveStatement] = []
  /// The changes that a run would make to the schema.
  public internal(set) var schemaDifference: SchemaDifference?
  /// The row counts of the tables before and after the migrations, in creation order; new tables come last.
  public internal(set) var rowCounts: [RowCounts] = []
  /// The tables that migrations leave with fewer rows than they had before, in the order of the migrations.
  package internal(set) var rowLosses: [RowLoss] = []
  /// The result of the foreign key checks.
  public internal(set) var foreignKeys = ForeignKeyVerdict.undecided

  /// The row counts of a table.
  ///
  /// A count is nil if the table does not exist, or is a virtual table that cannot count its rows.
  public struct RowCounts: Sendable, Equatable {
    /// The table's name after the migrations; that before them if the table is gone.
    public let table: String
    /// The number of rows in the database itself.
    public let inDatabase: Int?
    /// The number of rows in the copy before the migrations ran.
    public let before: Int?
    /// The number of rows in the copy after the migrations ran.
    public let after: Int?

    /// Creates row counts, for tests that compare rehearsals.
    package init(table: String, inDatabase: Int?, before: Int?, after: Int?) {
      self.table = table
      self.inDatabase = inDatabase
      self.before = before
      self.after = after
    }
  }

  /// The result of a rehearsal's foreign key checks, which covers only the copied rows.
  public enum ForeignKeyVerdict: Sendable, Equatable {
    /// The connection does not enforce foreign keys.
    case notEnforced
    /// No migration introduced a violation; `oldViolations` counts those that the touched tables already contained.
    case passed(oldViolations: Int)
    /// A migration failed because it introduced these violations.
    case violated([ForeignKeyViolation])
    /// Nothing ran, or a migration failed with another error.
    case undecided
  }
}

/// A statement that a migration ran in a rehearsal.
public struct RehearsedStatement: Sendable, Equatable {
  /// The migration that ran the statement.
  public let migration: String
  /// The statement's text, without bound values; literals in the text are shown.
  public let sql: String
  /// Whether the statement leaves the database unchanged.
  public let isReadOnly: Bool
  /// Whether a backend issued the statement for a schema change such as `db.alter(table:)`.
  public let isOfBackend: Bool
  /// The number of times that the migration ran the statement; for a statement without parameters, only consecutive
  /// runs are counted.
  public internal(set) var runCount: Int
}
