/// The migrations that a run would apply to a database, and why; see ``DatabaseMigrator/plan(_:upTo:)-(Database,_)``.
///
/// The plan describes the database as it was when the plan was made; other connections may migrate it before a run.
public struct MigrationPlan: Sendable {
  /// The last migration to apply; nil for all.
  public let target: String?

  /// The pending migrations, in the order in which a run would apply them; empty if there are none, or if they are
  /// unknown.
  ///
  /// If ``refusals`` is not empty, a run would apply none of them.
  public internal(set) var entries: [Entry] = []

  /// The registered migrations that are applied, in the order of registration.
  public internal(set) var applied: [String] = []

  /// The identifiers in the ledger that are neither registered nor merged, sorted; newer code added them, or the
  /// migrations were removed or renamed.
  public internal(set) var unknown: [String] = []

  /// The identifiers that a run would adopt into the ledger from the history of another tool, in the order in which
  /// they were applied; see ``DatabaseMigrator/adopt(_:)``.
  public internal(set) var adopted: [String] = []

  /// The erasure that would come first, and the data that would be lost; nil if the database would not be erased.
  public internal(set) var erasure: Erasure?

  /// The errors that would prevent a run, in the order in which the run would find them; it would throw the first one.
  ///
  /// Empty if the run is possible.
  public internal(set) var refusals: [MigrationError] = []

  /// The token of the state for which the plan was made; nil if the run would be refused.
  package internal(set) var token: PlanToken?

  /// Whether a run would leave the database unchanged, because nothing is pending or because of ``refusals``.
  public var isWithoutEffect: Bool { !refusals.isEmpty || (entries.isEmpty && erasure == nil && adopted.isEmpty) }

  /// The number of groups in ``entries``; see ``Entry/group``.
  package var groupCount: Int { entries.last?.group ?? 0 }

  /// An erasure of a database before its migrations run.
  public struct Erasure: Sendable, Equatable {
    /// The reasons why the database no longer matches its migrations; at least one.
    public let reasons: [SchemaChangeReason]

    /// The tables that would be lost with their rows, in creation order, without the ledger and shadow tables.
    public let losses: [TableRows]
  }

  /// A table and the number of its rows.
  public struct TableRows: Sendable, Equatable {
    /// The table's name as written.
    public let table: String
    /// The number of rows; nil for a virtual table that cannot count its rows.
    public let count: Int?

    /// Creates a table's row count, for tests that compare plans.
    package init(table: String, count: Int?) {
      self.table = table
      self.count = count
    }
  }
}

extension MigrationPlan {
  /// A pending migration.
  public struct Entry: Sendable, Equatable {
    /// The migration's identifier.
    public let identifier: String
    /// The migration's number among the pending migrations, from 1.
    public let index: Int
    /// The reasons why the migration is pending; at least one.
    public let reasons: [Reason]
    /// The way in which the migration is committed.
    public let commits: Commits
    /// The way in which the migration's foreign keys are checked.
    public let foreignKeyChecks: ForeignKeyChecks

    /// The number of the group in which the migration runs, from 1.
    ///
    /// The entries of a group share a commit. A group has more than one entry only with
    /// ``DatabaseMigrator/Commits/grouped`` or ``DatabaseMigrator/Commits/allOrNothing``, or if an entry repairs the
    /// foreign key violations that an earlier one leaves. If an entry fails, the earlier entries of its group are
    /// committed only with `grouped`.
    public let group: Int
  }

  /// A reason why a migration is pending.
  public enum Reason: Sendable, Equatable {
    /// The database does not have the migration.
    case neverApplied
    /// The migration is registered before the applied migrations `before`, which are in the order of registration.
    case outOfOrder(before: [String])
    /// The migration replaces older ones; `applied` lists those that are already applied, sorted by name.
    case replaces(applied: [String])
    /// The migration has begun but not ended: it runs without a transaction and did not finish, or it runs in batches
    /// and only some of them are done.
    case unfinished
    /// The migration is applied, but the database is erased first.
    case erased
  }

  /// The way in which a migration is committed.
  public enum Commits: Sendable, Equatable {
    /// The migration commits together with its ledger entry, in one transaction.
    case once
    /// Each batch of the migration commits in a separate transaction.
    case eachBatch
    /// The migration runs without a transaction: its statements are not committed together.
    case byItself
  }

  /// The way in which a migration's foreign keys are checked.
  public enum ForeignKeyChecks: Sendable, Equatable {
    /// Foreign keys are checked before the migration commits, in the tables that it touched.
    case deferred
    /// Foreign keys are checked before the migration commits, in the whole database.
    case deferredInWholeDatabase
    /// Foreign keys are enforced at each statement.
    case immediate
    /// Foreign keys are not checked; see ``DatabaseMigrator/disablingDeferredForeignKeyChecks()``.
    case none
    /// Foreign keys are not checked, since the connection does not enforce them.
    case notEnforced
  }
}
