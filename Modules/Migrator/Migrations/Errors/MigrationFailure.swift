/// A migration that failed, with its place and what became of the database.
public struct MigrationFailure: Sendable {
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
    /// The batch that failed; the ones before it stay, and the next run goes on behind them.
    case lastBatch
    /// Nothing: it runs without a transaction.
    case nothing
  }

  /// Whether everything that the migration did was undone.
  public var isRolledBack: Bool { undone == .everything }

  /// The statement that failed, nil when it was none.
  public var sql: String? { (underlying as? DatabaseError)?.sql }
}

extension MigrationFailure: CustomStringConvertible {
  /// Which migration failed with what, what was rolled back, what stays, and what to do.
  public var description: String {
    let undone =
      switch undone {
      case .everything: "Its changes were rolled back"
      case .lastBatch: "Its last batch was rolled back, and the next run goes on from there"
      case .nothing: "It runs without a transaction, so that what it did before the error stays"
      }
    let before =
      switch appliedBefore.count {
      case 0: "no other was applied"
      case 1...3: appliedBefore.map { "\"\($0)\"" }.joined(separator: ", ") + " stay applied"
      default: "the \(appliedBefore.count) migrations before it stay applied"
      }
    let after = index < count ? "; \(count - index) later \(count - index == 1 ? "one" : "ones") did not run" : ""
    return "migration \"\(identifier)\" (\(index) of \(count)) failed: \(underlying)\n"
      + "\(undone); \(before)\(after). Correct what the error names and migrate again."
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
