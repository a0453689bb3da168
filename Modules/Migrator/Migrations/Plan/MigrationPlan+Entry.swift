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
