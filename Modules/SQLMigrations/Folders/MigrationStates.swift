package import Migrator

/// The state of one migration in a database.
package struct MigrationState: Sendable {
  /// The state as such.
  package enum Kind: String, Sendable, CaseIterable, Encodable {
    /// Applied as it is now.
    case applied
    /// Applied, but its file was changed since.
    case edited
    /// Replaced by a migration that merges it.
    case merged
    /// Not applied.
    case pending
    /// Applied, but not among the migrations.
    case unknown
  }

  /// The migration's identifier.
  package let identifier: String
  /// The state as such.
  package fileprivate(set) var kind: Kind
  /// The entry of the ledger; nil when it is pending.
  package fileprivate(set) var entry: LedgerEntry?
  /// The file; nil when there is none.
  package let file: MigrationFile?
  /// Whether it is pending although a later one is applied.
  package fileprivate(set) var isOutOfOrder = false
  /// Whether it is pending although it has begun: it runs without a transaction or in batches, and did not end.
  package fileprivate(set) var hasBegun = false
  /// The applied migration that has the same text and no file any longer: this one is pending because its file was
  /// renamed; nil for all others.
  package fileprivate(set) var appliedAs: String?

  /// Whether it is pending and runs nothing, although it does not say that this is meant.
  package var isLeftEmpty: Bool { kind == .pending && file?.isLeftEmpty ?? false }
  /// Whether it is applied, as it is now or as it was.
  package var isApplied: Bool { kind == .applied || kind == .edited }
  /// Whether the ledger says that it was applied as it is now.
  package var isUnchanged: Bool { kind == .applied && entry?.checksum == file?.checksum }
}

/// The states of all migrations in their order; those that are unknown here last, in the order of application.
package struct MigrationStates: Sendable {
  /// The states.
  package private(set) var list: [MigrationState]

  /// Compares the files of a folder, which are not parsed for that, with the database's ledger.
  ///
  /// - Parameters:
  ///   - ledger: The entries in the order of application; none for a database that does not exist.
  ///   - begun: The migrations that have begun and not ended.
  package init(_ folder: MigrationFolder, ledger: [LedgerEntry], begun: Set<String> = []) {
    let merged = Set(folder.files.flatMap(\.merges))
    self.init(folder.files.map { ($0.identifier, $0) }, isMerged: merged.contains, ledger, begun)
  }

  /// Compares migrations without files with the database's ledger.
  package init(_ migrator: DatabaseMigrator, ledger: [LedgerEntry], begun: Set<String> = []) {
    self.init(migrator.migrations.map { ($0, nil) }, isMerged: migrator.knows, ledger, begun)
  }

  private init(
    _ migrations: [(identifier: String, file: MigrationFile?)], isMerged: (String) -> Bool, _ ledger: [LedgerEntry],
    _ begun: Set<String>
  ) {
    var entries = Dictionary(ledger.map { ($0.identifier, $0) }) { first, _ in first }
    let lastApplied = migrations.lastIndex { entries[$0.identifier] != nil } ?? 0
    // Newer code may have merged what is a file here.
    let replaced = ledger.reduce(into: Set<String>()) { $0.formUnion($1.objects.replaced) }
    list = []
    for (index, migration) in migrations.enumerated() {
      var state = MigrationState(identifier: migration.identifier, kind: .pending, file: migration.file)
      if let entry = entries.removeValue(forKey: migration.identifier) {
        let isEdited = migration.file.map { entry.checksum != nil && entry.checksum != $0.checksum } ?? false
        state.kind = isEdited ? .edited : .applied
        state.entry = entry
      } else if replaced.contains(migration.identifier) {
        state.kind = .merged
      } else {
        state.isOutOfOrder = index < lastApplied
        state.hasBegun = begun.contains(migration.identifier)
      }
      list.append(state)
    }
    let unmatched = ledger.filter { entries[$0.identifier] != nil }
    let unknown = unmatched.filter { !isMerged($0.identifier) }
    if !unknown.isEmpty { findRenamed(among: unknown) }
    for entry in unmatched {
      list.append(
        MigrationState(
          identifier: entry.identifier, kind: isMerged(entry.identifier) ? .merged : .unknown, entry: entry, file: nil))
    }
  }

  private mutating func findRenamed(among unknown: [LedgerEntry]) {
    for index in list.indices where list[index].kind == .pending {
      guard let file = list[index].file, !file.isLeftEmpty else { continue }
      list[index].appliedAs = unknown.first { $0.checksum == file.checksum }?.identifier
    }
  }

  /// The migrations that stand somewhere.
  package func all(_ kind: MigrationState.Kind) -> [MigrationState] { list.filter { $0.kind == kind } }

  /// The identifiers of the migrations that stand somewhere.
  package func identifiers(_ kind: MigrationState.Kind) -> [String] {
    list.lazy.filter { $0.kind == kind }.map(\.identifier)
  }

  /// The pending migrations whose file was renamed after they were applied, and what they were applied as.
  package var renamed: [(identifier: String, appliedAs: String)] {
    list.compactMap { state in state.appliedAs.map { (state.identifier, $0) } }
  }

  /// The applied migrations that are not among the files under any name.
  package var gone: [String] {
    let renamed = Set(renamed.map(\.appliedAs))
    return identifiers(.unknown).filter { !renamed.contains($0) }
  }

  /// The pending migrations that come before an applied one, but for renamed ones.
  package var late: [MigrationState] { list.filter { $0.isOutOfOrder && $0.appliedAs == nil } }

  /// The identifiers of the pending migrations up to one of them, or of all.
  package func pending(upTo target: String?) -> [String] {
    guard let target, let end = list.firstIndex(where: { $0.identifier == target }) else {
      return identifiers(.pending)
    }
    return list[...end].filter { $0.kind == .pending }.map(\.identifier)
  }

  /// The first applied migration in the migrations' order that comes after a pending one; nil when there is no gap.
  package func appliedAfter(_ identifier: String) -> String? {
    guard let index = list.firstIndex(where: { $0.identifier == identifier }) else { return nil }
    return list[index...].first(where: \.isApplied)?.identifier
  }

  /// The last applied migration in the migrations' order; nil when there is none.
  package var lastApplied: MigrationState? { list.last(where: \.isApplied) }
}
