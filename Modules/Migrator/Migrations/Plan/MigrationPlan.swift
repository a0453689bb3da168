/// What a run of migrations would do to a database, and why; see ``DatabaseMigrator/plan(_:upTo:)``.
///
/// It holds for the moment at which it was made: other connections may migrate the database before a run does.
public struct MigrationPlan: Sendable {
  /// The last migration to apply; nil for all.
  public let target: String?

  /// The pending migrations, in the order in which a run would apply them; empty when there are none, or when what is
  /// pending is not known.
  ///
  /// With ``refusals``, a run would apply none of them.
  public internal(set) var entries: [Entry] = []

  /// The registered migrations that are applied, in the order of registration.
  public internal(set) var applied: [String] = []

  /// The identifiers in the ledger that are neither registered nor merged, sorted; newer code wrote them, or they were
  /// removed or renamed.
  public internal(set) var unknown: [String] = []

  /// The identifiers that a run would take into the ledger from the history of another tool, in the order of their
  /// application; see ``DatabaseMigrator/adopt(_:)``.
  public internal(set) var adopted: [String] = []

  /// That the database would be erased first, and what would be lost; nil when it would not.
  public internal(set) var erasure: Erasure?

  /// Why a run would do nothing, in the order in which it would notice, the first of which it throws; empty when it
  /// runs.
  public internal(set) var refusals: [MigrationError] = []

  init(target: String?) { self.target = target }

  /// Whether a run would leave the database as it is: there is nothing to do, or it would be refused.
  public var isWithoutEffect: Bool { !refusals.isEmpty || (entries.isEmpty && erasure == nil && adopted.isEmpty) }

  /// The number of groups that ``entries`` form.
  public var groupCount: Int { entries.last?.group ?? 0 }

  /// That a database would be erased before its migrations run.
  public struct Erasure: Sendable, Hashable {
    /// In what the database no longer matches its migrations; at least one reason.
    public let reasons: [SchemaChangeReason]

    /// The tables that would go with their rows, in the order of creation, without ledger and storage of virtual
    /// tables.
    public let losses: [TableRows]
  }

  /// A table and the number of its rows.
  public struct TableRows: Sendable, Hashable {
    /// The table's name as it was written.
    public let table: String
    /// The number of rows; nil for a virtual table that cannot count them.
    public let count: Int?

    /// Creates a number of rows, as tests want it that compare plans.
    public init(table: String, count: Int?) {
      self.table = table
      self.count = count
    }
  }
}

extension MigrationPlan {
  /// A pending migration.
  public struct Entry: Sendable, Hashable {
    /// The migration.
    public let identifier: String
    /// Its number among the pending ones, from 1.
    public let index: Int
    /// Why it is pending; at least one reason.
    public let reasons: [Reason]
    /// How it is committed.
    public let commits: Commits
    /// How its foreign keys are checked.
    public let foreignKeyChecks: ForeignKeyChecks

    /// Which group it runs in, from 1: the entries of a group share one commit, those before a failing one apart.
    ///
    /// Groups of more than one need ``DatabaseMigrator/Commits/grouped``.
    public let group: Int
  }

  /// Why a migration is pending.
  public enum Reason: Sendable, Hashable {
    /// The database does not have it.
    case neverApplied
    /// It was registered before these migrations, which are applied already, in the order of registration.
    case outOfOrder(before: [String])
    /// It replaces older migrations, of which these are applied, sorted by name.
    case replaces(applied: [String])
    /// It has begun and not ended: a migration without a transaction that did not come to its end, or one in batches of
    /// which some are done.
    case unfinished
    /// It is applied, but the database is erased first.
    case erased
  }

  /// How a migration is committed.
  public enum Commits: Sendable, Hashable {
    /// With its entry in the ledger, in one transaction.
    case once
    /// In a transaction for each of its batches.
    case eachBatch
    /// As its statements say: it runs without a transaction.
    case byItself
  }

  /// How a migration's foreign keys are checked.
  public enum ForeignKeyChecks: Sendable, Hashable {
    /// Before it commits, in the tables that it touched.
    case deferred
    /// Before it commits, in the whole database.
    case deferredInWholeDatabase
    /// At each statement.
    case immediate
    /// Not at all, as the migration wants it.
    case none
    /// Not at all, since the connection does not enforce foreign keys.
    case notEnforced
  }
}
