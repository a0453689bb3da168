#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error of a migration run.
public enum MigrationError: Error, Sendable, CustomStringConvertible {
  /// A migration failed; earlier ones remain applied, and later ones did not run.
  case failed(MigrationFailure)
  /// The target is not a registered migration. Nothing was done.
  case unknownTarget(String)
  /// The database has migrations that come after `target`; migrations only run forward. Nothing was done.
  case migratedBeyond(target: String)
  /// The database has `unknown` migrations, which the migrator's settings do not allow. Nothing was done.
  case superseded(unknown: [String])
  /// The pending migration `pending` is registered before the applied migration `applied`, which the migrator's
  /// settings do not allow. Nothing was done.
  case outOfOrder(pending: String, applied: String)
  /// The migration cannot share a transaction with the other pending ones, and the migrator commits all migrations or
  /// none. Nothing was done.
  case separateTransaction(String)
  /// The source of these applied migrations was edited, which the migrator's settings do not allow. Nothing was done.
  case edited([String])
  /// The plan that the run confirms was made for another state; the parts that have changed, or none if that is unknown.
  /// Nothing was done.
  case planChanged([PlanPart])
  /// The run was started inside a transaction, where foreign key enforcement cannot be changed. Nothing was done.
  case insideTransaction
  /// A migration ended its transaction, with a statement or because of an engine error.
  case transactionEnded
  /// The ledger table exists, but this version cannot read it as a ledger.
  case ledgerUnreadable(table: String, underlying: DatabaseError)
  /// The migrations `applied`, which the run had committed, were repeatedly missing from the database afterwards.
  case historyLost(applied: [String])
  /// The ledger does not keep the record of a migration, because of a trigger on it, or because the migration deleted the
  /// ledger's definition; the migration was rolled back unless it runs without a transaction.
  case recordLost(table: String, identifier: String)
  /// A migration without a transaction opened a transaction and did not end it; the transaction was rolled back.
  case transactionLeftOpen
  /// A migration merges older migrations that have begun but not ended; how much of their work was done is unknown.
  case mergesUnfinished([String])
  /// The statement has no effect, or would do harm, inside a migration; it was not run.
  case refusedStatement(sql: String, reason: String)
  /// The migrations could not be replayed on an empty database to compare schemas; nothing was erased.
  case replayFailed(MigrationFailure)
  /// The migrations have changed, but the migrator may not erase the database. Nothing was done.
  case erasureRefused(ErasureRefusal)
  /// The history of another tool cannot be adopted. Nothing was done.
  case adoptionRefused(AdoptionRefusal)
  /// Migrations cannot be marked as applied. Nothing was done.
  case baselineRefused(BaselineRefusal)

  /// A description of the error, and how to fix it.
  public var description: String {
    switch self {
    case .failed(let failure): failure.description
    case .unknownTarget(let target):
      "no migration \"\(target)\" is registered. Nothing was done. Check the name."
    case .migratedBeyond(let target):
      "the database is already migrated beyond migration \"\(target)\". Nothing was done: migrations only run forward."
    case .superseded(let unknown):
      "the database has unknown migrations: \(unknown.quotedList). Nothing was done. It was "
        + "migrated by a newer version of the program, or by another migrator with the same ledgerTable. Use the newer "
        + "version or an older copy of the database, or give each migrator a separate ledgerTable."
    case .outOfOrder(let pending, let applied):
      "migration \"\(pending)\" is pending, but \"\(applied)\", which comes after it, has already been applied. "
        + "Nothing was done. Move \"\(pending)\" after the released migrations, or allow migrations out of order."
    case .separateTransaction(let identifier):
      "migration \"\(identifier)\" cannot share a transaction with the other pending ones: it runs in batches or without a "
        + "transaction, or checks foreign keys at a different time than the others. Nothing was done. Commit each "
        + "migration separately, or migrate only up to the one before \"\(identifier)\"."
    case .edited(let identifiers):
      "the source of \(identifiers.quotedList) was edited after it was applied. Nothing was done. Undo the edit and write a "
        + "new migration for the change; a development database can be erased."
    case .planChanged(let parts):
      "the plan no longer holds: \(PlanPart.sentence(parts)). Nothing was done. Make a new plan, and review it."
    case .insideTransaction:
      "migrations cannot run inside a transaction. Nothing was done. Call migrate(_:) outside of write accesses."
    case .transactionEnded:
      "the migration ended its transaction. Do not run COMMIT or ROLLBACK in a migration, and do not catch "
        + "errors that roll back, such as a full disk or ON CONFLICT ROLLBACK."
    case .ledgerUnreadable(let table, let error):
      "the ledger of migrations, table \"\(table)\", cannot be read: \(error.message). Nothing was done. Another "
        + "program created it, or it is damaged: restore a backup, or give the migrator another ledgerTable."
    case .historyLost(let applied):
      "migrations that this run had committed were repeatedly missing from the database afterwards: "
        + "\(applied.quotedList). Another program is erasing the database, or the disk loses "
        + "data. Stop the other program, or check the disk."
    case .recordLost(let table, let identifier):
      "table \"\(table)\" does not keep the record of migration \"\(identifier)\", so the migration would run again: a "
        + "trigger on that table removes it, or the migration drops the table. Drop the trigger, or remove the statement "
        + "that drops the table."
    case .transactionLeftOpen:
      "the migration opened a transaction and did not end it; the transaction was rolled back. Commit it."
    case .mergesUnfinished(let unfinished):
      "it merges \(unfinished.quotedList), which \(unfinished.count == 1 ? "has" : "have") not finished. Let the "
        + "version of the program that contains \(unfinished.count == 1 ? "it" : "them") finish first."
    case .refusedStatement(let sql, let reason): "`\(sql)` was refused: \(reason)"
    case .replayFailed(let failure):
      "the migrations failed on an empty database, so it is unknown whether they have changed; nothing was "
        + "erased.\n\(failure.descriptionOfReplay)"
    case .erasureRefused(let refusal): refusal.description
    case .adoptionRefused(let refusal): refusal.description
    case .baselineRefused(let refusal): refusal.description
    }
  }
}

/// A failed migration, its position, and the resulting state of the database.
public struct MigrationFailure: Sendable, CustomStringConvertible {
  /// The identifier of the failed migration.
  public let identifier: String
  /// The migration's number among the pending migrations, from 1.
  public let index: Int
  /// The number of pending migrations at the start of the run.
  public let count: Int
  /// The underlying error: usually a ``DatabaseError``, a ``ForeignKeyViolationError``, or the migration's own error.
  public let underlying: any Error
  /// The migrations that the run had committed before the failure; they remain applied.
  public let appliedBefore: [String]
  /// The part of the migration's work that was undone.
  public let undone: Undone

  /// The part of a failed migration's work that was undone.
  public enum Undone: Sendable, Equatable {
    /// All of the migration's work.
    case everything
    /// The batch that failed; earlier batches remain, and the next run continues after them.
    case lastBatch
    /// Nothing: the migration runs without a transaction.
    case nothing
    /// Either everything or nothing: the connection was lost during the commit, and the ledger could not be read
    /// afterwards.
    case unknown
  }

  /// Whether all changes of the migration were undone.
  public var isRolledBack: Bool { undone == .everything }
  /// The statement that failed; nil if the error is not about a statement.
  public var sql: String? { (underlying as? DatabaseError)?.sql }
  /// The migration, the error, what was rolled back, what remains, and how to fix the problem.
  public var description: String { "\(title): \(underlying)\n\(outcome). \(Self.remedy)" }

  /// The migration, the error, and how to fix the problem, for a run on an empty scratch database, of which nothing remains.
  var descriptionOfReplay: String { "\(title): \(underlying)\n\(Self.remedy)" }

  fileprivate static let remedy = "Fix the problem and migrate again."

  fileprivate var title: String { "migration \"\(identifier)\" (\(index) of \(count) pending) failed" }

  fileprivate var outcome: String {
    let undone =
      switch undone {
      case .everything: "Its changes were rolled back"
      case .lastBatch: "Its last batch was rolled back, and the next run continues from there"
      case .nothing: "It runs without a transaction, so the changes that it committed before the error are kept"
      case .unknown: "Whether its changes were committed is unknown, because the connection was lost during the commit"
      }
    let before =
      switch appliedBefore.count {
      case 0: "no other migration was applied"
      case 1: "\"\(appliedBefore[0])\" stays applied"
      case 2...3: appliedBefore.map { "\"\($0)\"" }.joined(separator: ", ") + " stay applied"
      default: "the \(appliedBefore.count) migrations before it stay applied"
      }
    let after = index < count ? "; \(count - index) later \(count - index == 1 ? "one" : "ones") did not run" : ""
    return "\(undone); \(before)\(after)"
  }
}

extension MigrationError {
  /// A part of the state on which a plan depends.
  public enum PlanPart: String, Sendable, Hashable, CaseIterable {
    /// The identity of the database, such as the path of its file, and the file itself.
    case database
    /// The ledger and the schema.
    case history
    /// The migrations, with their sources.
    case migrations
    /// The target, and the settings with which the migrations are to run.
    case settings

    private var change: String {
      switch self {
      case .database: "it was made for another database, or the file was replaced"
      case .history: "migrations were applied, or the schema was changed"
      case .migrations: "a migration was added, removed or edited"
      case .settings: "the run has another target or other settings"
      }
    }

    /// Returns a clause about what has changed since a plan was made.
    package static func sentence(_ changed: [PlanPart]) -> String {
      changed.isEmpty ? "it was made for something else" : changed.map(\.change).joined(separator: "; ")
    }
  }
}

/// An error that adds a position to another error.
package protocol WrappingError: Error {
  /// The other error.
  var underlying: any Error { get }
}

extension Error {
  /// The cancellation or interruption that ended the work from outside; nil if the work itself failed.
  var interruption: (any Error)? {
    if self is CancellationError { return self }
    if let error = self as? DatabaseError { return error.condition == .interrupted ? error : nil }
    guard let error = self as? MigrationError, case .failed(let failure) = error else { return nil }
    return failure.underlying.interruption
  }
}

/// The text that `localizedDescription` shows in alerts and logs, without statements and values, which may be private.
extension MigrationError: LocalizedError {
  /// A description of the error and of the resulting state of the database.
  public var errorDescription: String? {
    switch self {
    case .failed(let failure): "\(failure.title). \(failure.outcome)."
    case .replayFailed(let failure): "\(failure.title) when it was replayed on an empty database; nothing was erased."
    case .refusedStatement(_, let reason): "a statement was refused: \(reason)"
    default: description
    }
  }

  /// The description of the error that made a migration fail; nil if no migration failed, or if that error has no
  /// description.
  public var failureReason: String? { (underlying as? any LocalizedError)?.errorDescription }

  /// A sentence that says how to fix the problem; nil if the description already says it.
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
