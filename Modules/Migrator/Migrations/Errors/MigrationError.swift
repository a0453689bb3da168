#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a run of migrations did not do what was asked.
public enum MigrationError: Error, Sendable, CustomStringConvertible {
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
  /// The source of applied migrations was edited, and the migrator refuses that. Nothing was done.
  case edited([String])
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
    case .edited(let identifiers):
      "the source of \(identifiers.quotedList) was edited after it was applied. Nothing was done. Undo the edit and write a "
        + "new migration for the change, or erase a database in development."
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

/// A migration that failed, with its place and what became of the database.
public struct MigrationFailure: Sendable, CustomStringConvertible {
  /// The migration.
  public let identifier: String
  /// Its number among the pending ones, from 1.
  public let index: Int
  /// The number of pending migrations at the beginning of the run.
  public let count: Int
  /// What it failed with: mostly a ``DatabaseError`` or a ``ForeignKeyViolationError``, or the migration's own error.
  public let underlying: any Error
  /// The migrations that the run had committed before, which stay.
  public let appliedBefore: [String]
  /// How much of what the migration did was undone.
  public let undone: Undone

  /// How much of a failed migration's work was undone.
  public enum Undone: Sendable, Hashable {
    /// All of it.
    case everything
    /// The batch that failed; the ones before it stay, and the next run goes on after them.
    case lastBatch
    /// Nothing: it runs without a transaction.
    case nothing
  }

  /// Whether everything that the migration did was undone.
  public var isRolledBack: Bool { undone == .everything }
  /// The statement that failed, nil when it was none.
  public var sql: String? { (underlying as? DatabaseError)?.sql }
  /// Which migration failed with what, what was rolled back, what stays, and what to do.
  public var description: String { "\(title): \(underlying)\n\(outcome). \(Self.remedy)" }

  fileprivate static let remedy = "Correct what the error names and migrate again."

  fileprivate var title: String { "migration \"\(identifier)\" (\(index) of \(count)) failed" }

  fileprivate var outcome: String {
    let undone =
      switch undone {
      case .everything: "Its changes were rolled back"
      case .lastBatch: "Its last batch was rolled back, and the next run goes on from there"
      case .nothing: "It runs without a transaction, so that what it did before the error stays"
      }
    let before =
      switch appliedBefore.count {
      case 0: "no other was applied"
      case 1: "\"\(appliedBefore[0])\" stays applied"
      case 2...3: appliedBefore.map { "\"\($0)\"" }.joined(separator: ", ") + " stay applied"
      default: "the \(appliedBefore.count) migrations before it stay applied"
      }
    let after = index < count ? "; \(count - index) later \(count - index == 1 ? "one" : "ones") did not run" : ""
    return "\(undone); \(before)\(after)"
  }
}

extension Error {
  /// What stopped the work, which says nothing of the work itself; nil when it failed by itself.
  var interruption: (any Error)? {
    if self is CancellationError { return self }
    if let error = self as? DatabaseError { return error.condition == .interrupted ? error : nil }
    guard let error = self as? MigrationError, case .failed(let failure) = error else { return nil }
    return failure.underlying.interruption
  }
}

/// What alerts and logs show by `localizedDescription`: neither statements nor values, which may be private.
extension MigrationError: LocalizedError {
  /// What happened and what became of the database.
  public var errorDescription: String? {
    switch self {
    case .failed(let failure): "\(failure.title). \(failure.outcome)."
    case .replayFailed(let failure): "\(failure.title) when it was replayed on an empty database; nothing was erased."
    case .refusedStatement(_, let reason): "a statement was refused: \(reason)"
    default: description
    }
  }

  /// What the failed migration reported; nil for other errors, and where it is no `LocalizedError`.
  public var failureReason: String? { (underlying as? any LocalizedError)?.errorDescription }

  /// What the user can do; nil where the description says it.
  public var recoverySuggestion: String? {
    underlying.map { ($0 as? any LocalizedError)?.recoverySuggestion ?? MigrationFailure.remedy }
  }

  private var underlying: (any Error)? {
    switch self {
    case .failed(let failure), .replayFailed(let failure): failure.underlying
    default: nil
    }
  }
}
