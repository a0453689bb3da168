extension DatabaseMigrator {
  /// The behavior of a run if the database has migrations that this migrator neither registers nor merges.
  public enum UnknownMigrations: Sendable, Equatable {
    /// The run applies pending migrations. Use this if older code still works with a database that newer code has
    /// migrated.
    case allow
    /// The run throws ``MigrationError/superseded(unknown:)`` and changes nothing.
    case refuse
  }

  /// The behavior of a run if a pending migration is registered before an applied one.
  public enum OutOfOrder: Sendable, Equatable {
    /// The run applies the pending migration, although later ones are already applied.
    case allow
    /// The run throws ``MigrationError/outOfOrder(pending:applied:)`` and changes nothing.
    case refuse
  }

  /// The behavior of a run if the source of an applied migration was edited afterwards.
  ///
  /// SQL files have a source that can be compared; closures have none.
  public enum EditedMigrations: Sendable, Equatable {
    /// The run reports ``MigrationWarning/editedMigrations(identifiers:)`` and continues; the edited source is not run.
    case warn
    /// The run throws ``MigrationError/edited(_:)`` and changes nothing.
    case refuse
    /// The run does not compare sources.
    case ignore
  }

  /// The way in which migrations are committed.
  public enum Commits: Sendable, Equatable {
    /// Each migration is committed in a separate transaction.
    case eachMigration
    /// Consecutive migrations with the same foreign key checks share a transaction, so that a new database needs only
    /// one sync to disk.
    ///
    /// Each migration has a separate savepoint: if one fails, those before it are committed. A crash undoes all
    /// migrations that have not yet been committed.
    case grouped
    /// All migrations are committed in one transaction: if one fails, none is applied.
    ///
    /// The run throws ``MigrationError/separateTransaction(_:)`` and changes nothing if a pending migration cannot
    /// share the transaction: one that runs in batches or without a transaction, or one whose foreign keys are checked
    /// at a different time than those of the others.
    case allOrNothing
  }

  /// The backups of a database before it is migrated.
  public enum Backup: Sendable, Equatable {
    /// No backup.
    case none
    /// A copy of the database, made before the first pending migration runs or the database is erased; no copy is made
    /// if nothing is pending. Only the newest `keep` copies are retained, and those that are write-protected; `keep` must be at
    /// least 1.
    ///
    /// The files are named `NAME.backup-20260131T235959.123Z`, with the time in UTC, in `folder` or else next to the
    /// database, and are encrypted if the database is. If ``DatabaseMigrator/ledgerTable`` is not the default table,
    /// the ledger's name comes before the time, and copies with that name are counted separately. Copying holds the
    /// write lock: writers wait until it is done. If the copy fails, nothing is migrated.
    case beforeMigrating(keep: Int, folder: String? = nil)
  }

  /// The treatment of the rows of a database before it is erased because its migrations have changed.
  public enum Erasure: Sendable, Equatable {
    /// The run reports what will be erased, and keeps the file as a backup, as ``Backup-swift.enum/beforeMigrating(keep:folder:)``
    /// does: the three newest ones, and one more if it has more rows. A database in memory, or on a server, has no backup.
    ///
    /// Pending migrations may remove rows, too: if the database has rows, it is backed up in the same way before them, and a
    /// migration that leaves a table with fewer rows, and is not one in batches, is reported as
    /// ``MigrationWarning/rowsRemoved(_:backup:)``. The backup is then write-protected, and stays until you delete it.
    case keepingBackup
    /// As ``keepingBackup``; after the migrations, the run restores the rows from the backup.
    ///
    /// All columns of unchanged tables are restored, and of changed tables those that still exist, if the new columns
    /// accept NULL or have a default. `renames` contains the new names of renamed tables and columns: `["team": "guild",
    /// "player.nick": "name"]`; names that the database does not have are ignored. Rows are not restored if they would refer
    /// to missing rows or violate a new constraint, or if the migrations now insert other rows into their table; each
    /// such table is reported as ``MigrationWarning/rowsNotRestored(_:backup:)``, and so are values that a column's new type
    /// changes. The backup is then write-protected, and stays until you delete it. If the process ends before that, the
    /// next run restores the rows.
    case keepingRows(renames: [String: String] = [:])
    /// The run erases the rows without a report and without a backup, and does not watch pending migrations.
    case silent
  }

  /// The scope of a migration's deferred foreign key checks.
  public enum ForeignKeyScope: Sendable, Equatable {
    /// The tables that the migration touched; violations that existed before do not make it fail.
    case touched
    /// The whole database; any violation makes the migration fail, including old ones.
    case database
  }
}
