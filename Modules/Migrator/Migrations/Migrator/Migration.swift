/// A registered migration.
package struct Migration: Sendable {
  /// How foreign keys are checked.
  package enum ForeignKeyMode: Sendable, Hashable {
    /// Not enforced while the migration runs; checked before it commits.
    case deferred
    /// Not enforced and not checked.
    case unchecked
    /// Enforced at each statement.
    case immediate
  }

  /// The work of a migration, and how it is committed.
  package enum Work: Sendable {
    /// All in one transaction; the function gets those of ``mergedIdentifiers`` that were applied.
    case wrapped(@Sendable (Database, _ applied: Set<String>) throws -> Void)
    /// Without a transaction; the function gets the same.
    case unwrapped(@Sendable (Database, _ applied: Set<String>) throws -> Void)
    /// In many transactions, one a batch; the function gets the cursor that the last batch returned.
    case batched(@Sendable (Database, _ cursor: DatabaseValue) throws -> BatchOutcome)
  }

  /// The migration's name in the ledger.
  package let identifier: String
  /// How foreign keys are checked.
  package let mode: ForeignKeyMode
  /// Older migrations that this one replaces.
  package let mergedIdentifiers: Set<String>
  /// A digest of the migration's source, nil when it has none.
  package let checksum: String?
  /// The work of the migration.
  package internal(set) var work: Work

  /// Whether the migration runs in one transaction.
  package var isTransactional: Bool { if case .wrapped = work { true } else { false } }

  /// How much of its work is undone when it does not come to its end.
  package var undoneOnFailure: MigrationFailure.Undone {
    switch work {
    case .wrapped: .everything
    case .unwrapped: .nothing
    case .batched: .lastBatch
    }
  }

  /// Whether the source is another one than that of the digest, which the ledger holds; false when one of them has none.
  package func isEdited(since old: String?) -> Bool {
    guard let checksum, let old else { return false }
    return checksum != old
  }

  /// Creates a migration.
  package init(
    identifier: String, mode: ForeignKeyMode = .deferred, mergedIdentifiers: Set<String> = [],
    checksum: String? = nil, work: Work
  ) {
    self.identifier = identifier
    self.mode = mode
    self.mergedIdentifiers = mergedIdentifiers
    self.checksum = checksum
    self.work = work
  }
}

/// The outcome of one batch of a migration.
public struct BatchOutcome: Sendable {
  /// Where the next batch begins; nil when all is done.
  let cursor: DatabaseValue?
  /// How much of the whole is done, from 0 to 1; nil when the migration does not know.
  let fraction: Double?
  /// All is done: the migration is applied.
  public static let done = BatchOutcome(cursor: nil, fraction: 1)

  /// There is more to do.
  ///
  /// - Parameters:
  ///   - cursor: Is given to the next batch, also to that of a later run or of another process: the key of the last
  ///     row that was handled, for example.
  ///   - fraction: How much of the whole is done, from 0 to 1; nil when that is not known. A number beyond these limits
  ///     counts as the nearer one, and one that is not a number, such as 0 / 0, as nil.
  public static func next(from cursor: some DatabaseValueConvertible, fraction: Double? = nil) -> BatchOutcome {
    let known = fraction.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
    return BatchOutcome(cursor: cursor.databaseValue, fraction: known)
  }
}
