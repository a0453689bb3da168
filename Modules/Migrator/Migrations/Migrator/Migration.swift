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

  /// What a migration does, and how it is committed.
  package enum Work: Sendable {
    /// All in one transaction; the function is told which of ``mergedIdentifiers`` were applied.
    case wrapped(@Sendable (Database, _ applied: Set<String>) throws -> Void)
    /// Without a transaction; the function is told the same.
    case unwrapped(@Sendable (Database, _ applied: Set<String>) throws -> Void)
    /// In many transactions, one a batch; the function is told where the last batch ended.
    case batched(@Sendable (Database, _ cursor: DatabaseValue) throws -> BatchOutcome)
  }

  /// What the migration is called in the ledger.
  package let identifier: String
  /// How foreign keys are checked.
  package let mode: ForeignKeyMode
  /// Older migrations that this one replaces.
  package let mergedIdentifiers: Set<String>
  /// A digest of the migration's source, nil when it has none.
  package let checksum: String?
  /// What the migration does.
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
