/// A map from the entries of another tool's history to migrations.
struct ToolHistoryMapping {
  private let history: AdoptedHistory
  private let migrator: DatabaseMigrator
  private var mapped: [MigrationVersion: String] = [:]
  /// The registered migrations, keyed by the number with which their identifiers begin.
  private var numbered: [MigrationVersion: [String]] = [:]

  init(_ history: AdoptedHistory, _ migrator: DatabaseMigrator) {
    self.history = history
    self.migrator = migrator
    guard !history.format.isByName else { return }
    for (version, identifier) in history.identifiers {
      if let number = number(version) { mapped[number] = identifier }
    }
    guard history.format != .userVersion else { return }
    for identifier in migrator.migrations {
      let number = MigrationVersion(
        leading: identifier, skippingDashes: history.format == .diesel, separators: history.format.versionSeparators)
      if let number { numbered[number, default: []].append(identifier) }
    }
  }

  /// Maps the entries of a history to migrations, and returns the entries in the order in which the migrations were
  /// applied.
  ///
  /// - Throws: ``MigrationError/adoptionRefused(_:)``.
  func entries(_ content: [ToolHistoryEntry]) throws -> [ToolHistoryEntry] {
    let checksums =
      content.contains { $0.checksum != nil } ? history.format.checksum?.values(of: migrator.registered) : nil
    let named = history.format == .drizzle ? identified(content, checksums ?? [:]) : content
    var entries: [ToolHistoryEntry] = []
    var unmapped: [String] = []
    var edited: [String] = []
    for var entry in named.flatMap(steps) {
      let ownName = history.unmappedEntries == .keep ? ownName(entry.version) : nil
      guard let identifier = try identifier(entry.version) ?? ownName else {
        unmapped.append(entry.version)
        continue
      }
      entry.version = identifier
      if let recorded = entry.checksum, let possible = checksums?[identifier] {
        entry.isCompared = true
        if !possible.contains(recorded) { edited.append(identifier) }
      }
      entries.append(entry)
    }
    guard unmapped.isEmpty || history.unmappedEntries == .leaveOut else {
      throw MigrationError.adoptionRefused(.unmapped(history: history.table, entries: unmapped))
    }
    guard edited.isEmpty || history.acceptsEdits else {
      throw MigrationError.adoptionRefused(.edited(history: history.table, identifiers: edited))
    }
    return entries
  }

  /// Returns the entries of Drizzle with the identifiers of migrations instead of times.
  ///
  /// Drizzle applies its files in order. If the texts of several migrations have an entry's checksum, the migration at
  /// the entry's position is preferred. If no text has the checksum, the entry maps to the migration at its position.
  private func identified(
    _ entries: [ToolHistoryEntry], _ checksums: [String: Set<String>]
  ) -> [ToolHistoryEntry] {
    var entries = entries
    var free = Set(migrator.migrations)
    for hasItsText in [true, false] {
      for (index, entry) in entries.enumerated() where !migrator.knows(entry.version) && !isMapped(entry.version) {
        let place = migrator.migrations.indices.contains(index) ? [migrator.migrations[index]] : []
        let identifier = (hasItsText ? place + migrator.migrations : place).first { identifier in
          let hasText = entry.checksum.map { checksums[identifier]?.contains($0) ?? false } ?? false
          return free.contains(identifier) && hasText == hasItsText
        }
        guard let identifier else { continue }
        entries[index].version = identifier
        free.remove(identifier)
      }
    }
    return entries
  }

  private func isMapped(_ version: String) -> Bool { history.identifiers[version] != nil }

  /// Returns an entry for each migration that the given entry records as applied.
  private func steps(_ last: ToolHistoryEntry) -> [ToolHistoryEntry] {
    guard last.coversEarlier, let limit = number(last.version) else { return [last] }
    let known = Set(mapped.keys).union(numbered.keys).sorted()
    let steps = known.filter { $0 <= limit }.map { ToolHistoryEntry(version: $0.description) }
    // A sequence may leave out numbers, but must not end below the database's; files have each version that was
    // reached, but a baseline may have any version.
    let isKnown =
      switch history.format {
      case .userVersion: known.last.map { $0 >= limit } ?? false
      case .flyway, .atlas: true
      default: known.contains(limit)
      }
    return isKnown ? steps : steps + [last]
  }

  /// Returns the migration that an entry maps to; nil if the migrator knows no such migration.
  private func identifier(_ version: String) throws -> String? {
    let number = number(version)
    if let identifier = history.identifiers[version] ?? number.flatMap({ mapped[$0] }) {
      guard migrator.knows(identifier) || history.unmappedEntries != .refuse else {
        throw MigrationError.adoptionRefused(
          .unregistered(history: history.table, entry: version, identifier: identifier))
      }
      return migrator.knows(identifier) ? identifier : nil
    }
    guard history.format != .userVersion else { return nil }
    if let identifier = names(version).first(where: migrator.knows) { return identifier }
    guard let number, let candidates = numbered[number] else { return nil }
    guard candidates.count == 1 else {
      throw MigrationError.adoptionRefused(.ambiguous(history: history.table, entry: version, identifiers: candidates))
    }
    return candidates.first
  }

  /// Returns the identifiers that an entry may stand for: its text or, if it is the name or path of a file, the file's
  /// name without its extension.
  private func names(_ version: String) -> [String] {
    let file = version.split(separator: "/").last.map(String.init) ?? version
    return switch history.format {
    case .column: [version] + ["", ".up.sql", ".sql"].filter(file.hasSuffix).map { String(file.dropLast($0.count)) }
    case .sqlMigrate where version.hasSuffix(".sql"): [version, String(version.dropLast(4))]
    default: [version]
    }
  }

  private func number(_ version: String) -> MigrationVersion? {
    MigrationVersion(version, separators: history.format.versionSeparators)
  }

  /// Returns the identifier under which the ledger records an entry that does not map to a known migration.
  private func ownName(_ version: String) -> String {
    if let identifier = history.identifiers[version] { return identifier }
    return history.format == .userVersion ? "user_version \(version)" : version
  }
}
