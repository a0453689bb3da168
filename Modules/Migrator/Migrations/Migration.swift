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

  /// What the migration is called in the ledger.
  package let identifier: String
  /// How foreign keys are checked.
  package let mode: ForeignKeyMode
  /// Older migrations that this one replaces.
  package let mergedIdentifiers: Set<String>
  /// A digest of the migration's source, nil when it has none.
  package let checksum: String?
  /// Whether the migration runs in a transaction.
  package let isTransactional: Bool
  /// The migration itself; it is told which of ``mergedIdentifiers`` were applied.
  package let body: @Sendable (Database, _ applied: Set<String>) throws -> Void

  /// Creates a migration.
  package init(
    identifier: String, mode: ForeignKeyMode = .deferred, mergedIdentifiers: Set<String> = [],
    checksum: String? = nil, isTransactional: Bool = true,
    body: @escaping @Sendable (Database, _ applied: Set<String>) throws -> Void
  ) {
    self.identifier = identifier
    self.mode = mode
    self.mergedIdentifiers = mergedIdentifiers
    self.checksum = checksum
    self.isTransactional = isTransactional
    self.body = body
  }
}
