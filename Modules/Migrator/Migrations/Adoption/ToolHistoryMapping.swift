/// A map from the entries of another tool's history to migrations.
struct ToolHistoryMapping {
  private let history: AdoptedHistory
  private let migrator: DatabaseMigrator
  private var mapped: [VersionNumber: String] = [:]
  /// The registered migrations, keyed by the number with which their identifiers begin.
  private var numbered: [VersionNumber: [String]] = [:]

  init(_ history: AdoptedHistory, _ migrator: DatabaseMigrator) {
    self.history = history
    self.migrator = migrator
    guard !history.format.isByName else { return }
    for (version, identifier) in history.identifiers {
      if let number = VersionNumber(version) { mapped[number] = identifier }
    }
    guard history.format != .userVersion else { return }
    for identifier in migrator.migrations {
      let number = VersionNumber(leading: identifier, skippingDashes: history.format == .diesel)
      if let number { numbered[number, default: []].append(identifier) }
    }
  }

  /// Returns the migrations of a history, without duplicates, in the order in which they were applied.
  func entries(_ content: AdoptedHistory.Content) throws -> [ToolHistoryEntry] {
    var entries: [ToolHistoryEntry] = []
    var unmapped: [String] = []
    for var entry in steps(content) {
      let ownName = history.unmappedEntries == .keep ? ownName(entry.version) : nil
      guard let identifier = try identifier(entry.version) ?? ownName else {
        unmapped.append(entry.version)
        continue
      }
      entry.version = identifier
      entries.append(entry)
    }
    guard unmapped.isEmpty || history.unmappedEntries == .leaveOut else {
      throw MigrationError.adoptionRefused(.unmapped(history: history.table, entries: unmapped))
    }
    return entries
  }

  /// Returns the individual entries of a history, also for a history that records only its last version.
  private func steps(_ content: AdoptedHistory.Content) -> [ToolHistoryEntry] {
    switch content {
    case .entries(let entries): return entries
    case .upTo(let last):
      guard let limit = VersionNumber(last.version) else { return [last] }
      let known = Set(mapped.keys).union(numbered.keys).sorted()
      let steps = known.filter { $0 <= limit }.map { ToolHistoryEntry(version: $0.digits, appliedAt: nil) }
      // A sequence may leave out numbers, but must not end below the database's; files have each version that was
      // reached.
      let isKnown = history.format == .userVersion ? known.last.map { $0 >= limit } ?? false : known.contains(limit)
      return isKnown ? steps : steps + [last]
    }
  }

  /// Returns the migration that an entry maps to; nil if the migrator knows no such migration.
  private func identifier(_ version: String) throws -> String? {
    let number = VersionNumber(version)
    if let identifier = history.identifiers[version] ?? number.flatMap({ mapped[$0] }) {
      guard migrator.knows(identifier) || history.unmappedEntries != .refuse else {
        throw MigrationError.adoptionRefused(
          .unregistered(history: history.table, entry: version, identifier: identifier))
      }
      return migrator.knows(identifier) ? identifier : nil
    }
    guard history.format != .userVersion else { return nil }
    if migrator.knows(version) { return version }
    if history.format == .sqlMigrate, version.hasSuffix(".sql"), case let name = String(version.dropLast(4)) {
      return migrator.knows(name) ? name : nil
    }
    guard let number, let candidates = numbered[number] else { return nil }
    guard candidates.count == 1 else {
      throw MigrationError.adoptionRefused(.ambiguous(history: history.table, entry: version, identifiers: candidates))
    }
    return candidates.first
  }

  /// Returns the ledger's name for an entry that does not map to a known migration.
  private func ownName(_ version: String) -> String {
    if let identifier = history.identifiers[version] { return identifier }
    return history.format == .userVersion ? "user_version \(version)" : version
  }
}

/// A version number of any length, such as 7 or 20260131235959.
struct VersionNumber: Hashable, Comparable {
  /// Decimal digits without leading zeros; "0" for zero.
  let digits: String

  init?(_ text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy(Self.isDigit) else { return nil }
    let significant = text.drop { $0 == "0" }
    digits = significant.isEmpty ? "0" : String(significant)
  }

  /// Parses the number at the start of an identifier, which may follow a `v` and may contain dashes.
  init?(leading identifier: String, skippingDashes: Bool) {
    let text = identifier.hasPrefix("v") || identifier.hasPrefix("V") ? identifier.dropFirst() : identifier[...]
    let number = text.utf8.prefix { Self.isDigit($0) || (skippingDashes && $0 == UInt8(ascii: "-")) }
    self.init(String(decoding: number.filter(Self.isDigit), as: UTF8.self))
  }

  static func < (one: VersionNumber, other: VersionNumber) -> Bool {
    (one.digits.utf8.count, one.digits) < (other.digits.utf8.count, other.digits)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
