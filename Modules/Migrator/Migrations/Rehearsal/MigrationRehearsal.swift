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
  /// The schema changes that migrations made through functions such as `db.alter(table:)`, and how each was made.
  public internal(set) var schemaChanges: [RehearsedSchemaChange] = []
  /// What a run would make of the schema.
  public internal(set) var schemaDifference: SchemaDifference?
  /// The rows of the tables before and after, in the order of their creation; tables that are new come last.
  public internal(set) var rowCounts: [RowCounts] = []
  /// The verdict on the foreign keys.
  public internal(set) var foreignKeys = ForeignKeyVerdict.undecided

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

/// A statement that a migration ran in a rehearsal.
public struct RehearsedStatement: Sendable, Hashable {
  /// The migration that ran it.
  public let migration: String
  /// Its text; values that were bound to it are not shown, those that stand in the text are.
  public let sql: String
  /// Whether it changes nothing in the database.
  public let isReadOnly: Bool
  /// Whether a backend made it out of a schema change such as `db.alter(table:)`.
  public let isOfBackend: Bool
  /// How many times it ran: one with parameters in the whole migration, another one in a row.
  public internal(set) var runCount: Int
}

/// A schema change that a migration made in a rehearsal, such as `db.alter(table:)`, and how the backend made it.
public struct RehearsedSchemaChange: Sendable, Hashable {
  /// The migration that made it.
  public let migration: String
  /// What was changed.
  public let change: SchemaChange
  /// How: by the engine's own statements, by editing definitions, or by recreating the table.
  public let method: SchemaChangeStatements.Method
}

extension RehearsedSchemaChange {
  /// One line for people; nil for changes that every engine makes in one way.
  var line: String? {
    switch change {
    case .alterTable(let name, let alterations, _):
      let steps = alterations.count == 1 ? "1 step" : "\(alterations.count) steps"
      return "\"\(migration)\" alters table \"\(name)\" (\(steps)): \(method.text)"
    case .recreateTable(let table, _): return "\"\(migration)\" recreates table \"\(table.name)\": \(method.text)"
    case .renameTable(let name, let newName, _):
      return "\"\(migration)\" renames table \"\(name)\" to \"\(newName)\": \(method.text)"
    default: return nil
    }
  }
}

extension SchemaChangeStatements.Method {
  fileprivate var text: String {
    switch self {
    case .engine: "by the engine's own statements"
    case .definitions: "by editing stored definitions, no row is touched"
    case .rebuild: "by a rebuild, which copies every row"
    }
  }
}
