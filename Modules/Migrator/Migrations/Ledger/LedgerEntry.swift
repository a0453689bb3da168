/// A migration that a database remembers.
package struct LedgerEntry: Sendable, Hashable {
  /// The migration.
  package var identifier: String
  /// Its place among the registered migrations when it was applied, from 0; negative when it was not among them.
  package var position: Int
  /// When it was applied: UTC, as `2026-01-31T23:59:59.123Z`.
  package var appliedAt: String
  /// How long it took; nil for one without a transaction that has begun and not ended.
  package var duration: Duration?
  /// A digest of the schema after it; nil when it is not known.
  package var fingerprint: String?
  /// A digest of its source; nil when it has none.
  package var checksum: String?
  /// The objects that it made and removed, as the ledger has them.
  let objectsText: String

  /// The objects that it made and removed; read from the ledger's text at each call, since few ask for them.
  package var objects: ObjectChanges { ObjectChanges(text: objectsText) }

  /// Whether it was taken over from a record that does not tell what its migrations made.
  var isOfUnknownWork: Bool { duration != nil && fingerprint == nil && objectsText.isEmpty }

  /// Creates an entry.
  ///
  /// - Parameter objects: ``ObjectChanges/text``.
  package init(
    identifier: String, position: Int, appliedAt: String, duration: Duration?, fingerprint: String?,
    checksum: String?, objects: String
  ) {
    self.identifier = identifier
    self.position = position
    self.appliedAt = appliedAt
    self.duration = duration
    self.fingerprint = fingerprint
    self.checksum = checksum
    objectsText = objects
  }
}
