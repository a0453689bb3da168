/// A migration recorded in a database.
package struct LedgerEntry: Sendable, Equatable {
  /// The position of an entry whose migration was not registered when the entry was added to the ledger.
  ///
  /// Such a migration does not count as removed or renamed.
  static let neverRegistered = -1

  /// The migration's identifier.
  package var identifier: String
  /// The migration's position in the registration order when it was applied, from 0; negative if it was not registered.
  package var position: Int
  /// The time at which the migration was applied: UTC, as `2026-01-31T23:59:59.123Z`.
  package var appliedAt: String
  /// The migration's duration; nil for a migration that has begun but not ended.
  package var duration: Duration?
  /// A digest of the schema after the migration; nil if unknown.
  package var fingerprint: String?
  /// A digest of the migration's source; nil if the migration has no source.
  package var checksum: String?
  var objectsText: String
  /// The objects that the migration created and removed; parsed at each call, since few callers need them.
  package var objects: ObjectChanges { ObjectChanges(text: objectsText) }
  /// The migrations that this migration merged, and the migrations that those had merged.
  package var replaced: Set<String> { objectsText.utf8.contains(UInt8(ascii: "=")) ? objects.replaced : [] }
  /// Whether the entry was adopted from a history that does not record the objects of migrations.
  var isOfUnknownWork: Bool {
    duration != nil && fingerprint == nil && (objectsText.isEmpty || ["~", "<"].contains(objectsText.first))
  }
}
