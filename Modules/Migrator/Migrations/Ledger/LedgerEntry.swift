/// A migration recorded in a database.
package struct LedgerEntry: Sendable, Hashable {
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
  /// The objects that the migration created and removed, as text in the ledger.
  let objectsText: String
  /// The objects that the migration created and removed; parsed at each call, since few callers need them.
  package var objects: ObjectChanges { ObjectChanges(text: objectsText) }
  /// The migrations that this migration merged, and the migrations that those had merged.
  package var replaced: Set<String> { objectsText.utf8.contains(UInt8(ascii: "=")) ? objects.replaced : [] }
  /// The size of the texts in bytes.
  fileprivate var size: Int {
    [identifier, appliedAt, fingerprint ?? "", checksum ?? "", objectsText].reduce(0) { $0 + $1.utf8.count }
  }
  /// Whether the entry was adopted from a history that does not record the objects of migrations.
  var isOfUnknownWork: Bool {
    duration != nil && fingerprint == nil && (objectsText.isEmpty || ["~", "<"].contains(objectsText.first))
  }
}

/// The entries of a ledger that its migrator needs, in the order in which the migrations were applied.
///
/// These are the entries of all known migrations and of the first unknown ones. A ledger may have any number of unknown
/// migrations, which must not fill the memory.
package struct LedgerEntries: RandomAccessCollection, Sendable {
  /// The number of unknown entries that are retained; of those that were never registered, the same number again.
  package static let unknownLimit = 1000
  /// The total size of the unknown entries that are retained, in bytes of text.
  private static let unknownSizeLimit = 2 * Ledger.longestCell

  private var entries: [LedgerEntry] = []
  /// The number of unknown applied migrations whose entries are left out.
  package private(set) var omittedCount = 0
  /// The known migrations whose entries were replaced by any entries of the ledger.
  package private(set) var replaced: Set<String> = []
  private var known: Set<String> = []
  /// The checksums of registered migrations that no unknown entry has.
  private var checksums: Set<String>
  private var (unknownCount, neverRegisteredCount, unknownSize) = (0, 0, 0)

  /// Creates a collection without entries.
  ///
  /// - Parameter checksums: The checksums of the registered migrations. The first unknown entry with one of them is
  ///   always retained, since it shows that a migration was renamed.
  package init(checksums: Set<String> = []) { self.checksums = checksums }

  /// Appends an entry, or only counts it; returns false for a second entry of a known migration, which only a damaged
  /// ledger has.
  mutating func append(_ entry: LedgerEntry, isKnown: (String) -> Bool) -> Bool {
    replaced.formUnion(entry.replaced.filter(isKnown))
    if isKnown(entry.identifier) {
      guard known.insert(entry.identifier).inserted else { return false }
      entries.append(entry)
    } else if retainsUnknown(entry) {
      entries.append(entry)
    } else if entry.duration != nil {
      omittedCount += 1
    }
    return true
  }

  private mutating func retainsUnknown(_ entry: LedgerEntry) -> Bool {
    if let checksum = entry.checksum, checksums.remove(checksum) != nil { return true }
    unknownSize += entry.size
    guard unknownSize <= Self.unknownSizeLimit else { return false }
    // Counted separately: they are no schema changes, and must not hide the others, which are.
    guard entry.position != LedgerEntry.neverRegistered else {
      neverRegisteredCount += 1
      return neverRegisteredCount <= Self.unknownLimit
    }
    unknownCount += 1
    return unknownCount <= Self.unknownLimit
  }

  /// The position of the first entry.
  package var startIndex: Int { entries.startIndex }
  /// The position after the last entry.
  package var endIndex: Int { entries.endIndex }
  /// The entry at a position.
  package subscript(_ index: Int) -> LedgerEntry { entries[index] }
}
