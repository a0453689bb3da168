/// A registered migration.
package struct Migration: Sendable {
  /// The way in which foreign keys are checked.
  package enum ForeignKeyMode: Sendable, Equatable {
    /// Foreign keys are not enforced while the migration runs, but checked before it commits.
    case deferred
    /// Foreign keys are neither enforced nor checked.
    case unchecked
    /// Foreign keys are enforced at each statement.
    case immediate
  }

  /// The work of a migration, and the way in which it is committed.
  package enum Work: Sendable {
    /// The work runs in one transaction; the function receives the applied migrations among ``mergedIdentifiers``.
    case wrapped(@Sendable (Database, _ applied: Set<String>) throws -> Void)
    /// The work runs without a transaction; the function receives the same arguments as for `wrapped`.
    case unwrapped(@Sendable (Database, _ applied: Set<String>) throws -> Void)
    /// The work runs in one transaction per batch; the function receives the cursor that the previous batch returned.
    case batched(@Sendable (Database, _ cursor: DatabaseValue) throws -> BatchOutcome)
  }

  /// The migration's name in the ledger.
  package let identifier: String
  /// The way in which foreign keys are checked.
  package let mode: ForeignKeyMode
  /// The identifiers of the older migrations that this one replaces.
  package let mergedIdentifiers: Set<String>
  /// A digest of the migration's source; nil if the migration has no source.
  package let checksum: String?
  /// The migration's source as SQL; nil if there is none.
  package let text: String?
  /// The identifier of a later migration that repairs the foreign key violations that this migration leaves; nil if
  /// this migration must not leave any.
  ///
  /// If possible, all migrations from this one to the later one commit together. If that is not possible, this
  /// migration must not leave any violations.
  package let violationsUntil: String?
  /// The work of the migration, and the way in which it is committed.
  package internal(set) var work: Work

  /// Returns whether the source no longer matches the digest `recorded`; false if the source has no digest, or
  /// `recorded` is nil.
  package func isEdited(since recorded: String?) -> Bool {
    guard let recorded, let checksum else { return false }
    return recorded != checksum
  }

  /// Whether the migration runs in one transaction.
  var isTransactional: Bool { if case .wrapped = work { true } else { false } }

  /// The part of the work that is undone if the migration does not finish.
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
    checksum: String? = nil, text: String? = nil, violationsUntil: String? = nil,
    work: Work
  ) {
    self.identifier = identifier
    self.mode = mode
    self.mergedIdentifiers = mergedIdentifiers
    self.checksum = checksum
    self.text = text
    self.violationsUntil = violationsUntil
    self.work = work
  }
}

/// The outcome of one batch of a migration.
public struct BatchOutcome: Sendable {
  /// The start of the next batch; nil if there are no more batches.
  let cursor: DatabaseValue?
  /// The fraction of the work that is done, from 0 to 1; nil if it is unknown.
  let fraction: Double?
  /// An outcome after which there are no more batches: the migration is applied.
  public static let done = BatchOutcome(cursor: nil, fraction: 1)

  /// Returns an outcome after which there is another batch.
  ///
  /// - Parameters:
  ///   - cursor: The start of the next batch, such as the key of the last processed row. The next batch may belong to a
  ///     later run or another process.
  ///   - fraction: The fraction of the work that is done, from 0 to 1; nil if it is unknown. Values out of range are
  ///     clamped, and NaN, such as 0 / 0, counts as nil.
  public static func next(from cursor: some DatabaseValueConvertible, fraction: Double? = nil) -> BatchOutcome {
    let known = fraction.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
    return BatchOutcome(cursor: cursor.databaseValue, fraction: known)
  }
}
