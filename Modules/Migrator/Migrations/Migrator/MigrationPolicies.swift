extension DatabaseMigrator {
  /// What a run does when the database has migrations that this migrator neither knows nor merges.
  public enum UnknownMigrations: Sendable, Hashable {
    /// It applies what is pending: newer code has been at work, and older code goes on.
    case allow
    /// It throws ``MigrationError/superseded(unknown:)`` and does nothing.
    case refuse
  }

  /// What a run does when a pending migration is registered before one that is applied.
  public enum OutOfOrder: Sendable, Hashable {
    /// It applies the migration late.
    case allow
    /// It throws ``MigrationError/outOfOrder(pending:applied:)`` and does nothing.
    case refuse
  }

  /// What a run does when the source of an applied migration was edited afterwards.
  ///
  /// SQL files have a source that can be compared; closures have none.
  public enum EditedMigrations: Sendable, Hashable {
    /// It reports ``MigrationWarning/editedMigrations(identifiers:)`` and goes on: the database keeps what the earlier
    /// text did.
    case warn
    /// It throws ``MigrationError/edited(_:)`` and does nothing.
    case refuse
    /// It does not compare.
    case ignore
  }

  /// How migrations are committed.
  public enum Commits: Sendable, Hashable {
    /// Each in a separate transaction.
    case eachMigration
    /// Consecutive ones that check foreign keys the same way together, so that a new database costs one sync of the
    /// disk.
    ///
    /// Each has a separate savepoint: when one fails, those before it are committed. A crash undoes all that had
    /// not been committed yet.
    case grouped
  }

  /// The backups of a database before it is migrated.
  public enum Backup: Sendable, Hashable {
    /// Nothing.
    case none
    /// A copy of the database as it was before the first pending migration, or before it is erased, and of those before
    /// it the newest, `keep` in all, at least 1; nothing where nothing is pending.
    ///
    /// The files are called `NAME.backup-20260131T235959.123Z`, by the moment in UTC, in `folder` or else beside the
    /// database, and are encrypted where it is; a migrator that was given a ``DatabaseMigrator/ledgerTable`` has its
    /// name before the moment, and copies of its own. They are made under the writer's lock, so that writers wait for
    /// as long as copying takes. Without a copy, nothing is migrated.
    case beforeMigrating(keep: Int, folder: String? = nil)
  }

  /// Where a migration with deferred foreign key checks is checked before it commits.
  public enum ForeignKeyScope: Sendable, Hashable {
    /// In the tables that it touched; violations that were there before do not make it fail.
    case touched
    /// In the whole database, where any violation makes it fail, old ones included.
    case database
  }
}
