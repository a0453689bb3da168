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

  /// Whether everything that the migration did was undone; false only for one that runs without a transaction.
  public let isRolledBack: Bool

  /// The statement that failed, nil when it was none.
  public var sql: String? { (underlying as? DatabaseError)?.sql }
}

extension MigrationFailure: CustomStringConvertible {
  /// Which migration failed with what, what was rolled back, what stays, and what to do.
  public var description: String {
    let undone =
      isRolledBack
      ? "Its changes were rolled back"
      : "It runs without a transaction, so that what it did before the error stays"
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
