/// Why a run of migrations did not do what was asked.
public enum MigrationError: Error, Sendable {
  /// A migration failed; those before it stay, those after it did not run.
  case failed(MigrationFailure)
  /// The target is not a registered migration. Nothing was done.
  case unknownTarget(String)
  /// The database has migrations that come after the target; migrations only run forward. Nothing was done.
  case migratedBeyond(target: String)
  /// The database has migrations that the migrator does not know, and it refuses such databases. Nothing was done.
  case superseded(unknown: [String])
  /// A pending migration is registered before an applied one, and the migrator refuses that. Nothing was done.
  case outOfOrder(pending: String, applied: String)
  /// The run was started inside a transaction, where foreign keys cannot be switched. Nothing was done.
  case insideTransaction
  /// A migration ended the transaction that it ran in, with its own statement or through an engine's error.
  case transactionEnded
  /// The table that should remember the applied migrations is there, and is not a ledger that this version can read.
  case ledgerUnreadable(table: String, underlying: DatabaseError)
  /// What the run had committed was gone from the database afterwards, time and again.
  case historyLost(applied: [String])
  /// A migration without a transaction opened one and did not end it; it was rolled back.
  case transactionLeftOpen
  /// A migration merges others that have begun and not ended, so that it cannot know how much of them is done.
  case mergesUnfinished([String])
  /// A statement that cannot do what it says inside a migration; it did not run.
  case refusedStatement(sql: String, reason: String)
  /// The migrations could not be replayed on an empty database to compare schemas; nothing was erased.
  case replayFailed(MigrationFailure)
  /// The migrations have changed, and the database may not be erased for that. Nothing was done.
  case erasureRefused(ErasureRefusal)
  /// The history of another tool cannot be taken over. Nothing was done.
  case adoptionRefused(AdoptionRefusal)
  /// Migrations cannot be marked as applied. Nothing was done.
  case baselineRefused(BaselineRefusal)
}

extension MigrationError: CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    switch self {
    case .failed(let failure): failure.description
    case .unknownTarget(let target):
      "no migration \"\(target)\" is registered. Nothing was done. Check the name of the target."
    case .migratedBeyond(let target):
      "database is already migrated beyond migration \"\(target)\". Nothing was done: migrations only run forward."
    case .superseded(let unknown):
      "the database has migrations that this program does not know: \(unknown.quotedList). Nothing was done. It was "
        + "migrated by a newer version of the program, or by another migrator that uses the same ledgerTable: use the "
        + "newer version, or a copy of the database from before, or give each migrator a ledgerTable of its own."
    case .outOfOrder(let pending, let applied):
      "migration \"\(pending)\" is pending, but \"\(applied)\", which comes after it, is applied. Nothing was done. "
        + "Move \"\(pending)\" behind the migrations that were released, or allow migrations out of order."
    case .insideTransaction:
      "migrations cannot run inside a transaction. Nothing was done. Call migrate(_:) outside of write accesses."
    case .transactionEnded:
      "the migration's transaction was ended from within. Do not run COMMIT or ROLLBACK in a migration, and let "
        + "errors that roll back, such as a full disk or ON CONFLICT ROLLBACK, end it."
    case .ledgerUnreadable(let table, let error):
      "the ledger of migrations, table \"\(table)\", cannot be read: \(error.message). Nothing was done. It was made by "
        + "another program, or damaged: restore the database from a backup, or give the migrator another ledgerTable."
    case .historyLost(let applied):
      "migrations that this run had committed were gone from the database afterwards, time and again: "
        + "\(applied.quotedList). Another program erases the database at the same time, or it does not keep what is "
        + "written. End the other program, or check the disk."
    case .transactionLeftOpen:
      "the migration runs without a transaction, opened one and did not end it; that was rolled back. Commit it."
    case .mergesUnfinished(let unfinished):
      "it merges \(unfinished.quotedList), which \(unfinished.count == 1 ? "has" : "have") begun and not ended. Let the "
        + "version of the program that has \(unfinished.count == 1 ? "it" : "them") finish first."
    case .refusedStatement(let sql, let reason): "`\(sql)` was refused: \(reason)"
    case .replayFailed(let failure):
      "the migrations could not be replayed on an empty database to see whether they have changed; nothing was "
        + "erased.\n\(failure)"
    case .erasureRefused(let refusal): refusal.description
    case .adoptionRefused(let refusal): refusal.description
    case .baselineRefused(let refusal): refusal.description
    }
  }
}
