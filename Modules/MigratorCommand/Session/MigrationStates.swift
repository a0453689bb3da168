internal import Migrator
internal import SQLMigrations

/// Where one migration stands.
struct MigrationState: Sendable {
  /// Where it stands.
  enum Kind: String, Sendable, CaseIterable, Encodable {
    /// Applied as it is now.
    case applied
    /// Applied, but its file was changed since.
    case edited
    /// Replaced by a migration that merges it.
    case merged
    /// Not applied.
    case pending
    /// Applied, but nobody knows it here.
    case unknown
  }

  /// The migration's identifier.
  var identifier: String
  /// Where it stands.
  var kind: Kind
  /// What the ledger says; nil when it is pending.
  var entry: LedgerEntry?
  /// The file's path; nil when there is none.
  var path: String?
  /// Whether it is pending although a later one is applied.
  var isOutOfOrder = false
  /// Whether it is pending although it has begun: it runs without a transaction or in batches, and did not end.
  var hasBegun = false
  /// The applied migration that has the same text and no file any more: this one is pending because its file was
  /// renamed; nil for all others.
  var appliedAs: String?
  /// Whether it is pending and runs nothing, although it does not say that this is meant.
  var isLeftEmpty = false
  /// Whether it is applied, as it is now or as it was.
  var isApplied: Bool { kind == .applied || kind == .edited }
}

/// Where all migrations stand, in their order; those that are unknown here last, in the order of application.
struct MigrationStates: Sendable {
  /// The states.
  let list: [MigrationState]

  /// Compares the migrations with the database's ledger, which is empty for a database that does not exist.
  ///
  /// - Parameter begun: The migrations that have begun and not ended.
  init(_ source: MigrationSource, ledger: [LedgerEntry], begun: Set<String> = []) {
    var entries = Dictionary(ledger.map { ($0.identifier, $0) }) { first, _ in first }
    let migrations = source.migrator.migrations
    let lastApplied = migrations.lastIndex { entries[$0] != nil }
    // Newer code may have merged what is a file here.
    let replaced = ledger.reduce(into: Set<String>()) { $0.formUnion($1.objects.replaced) }
    var list: [MigrationState] = []
    for (index, identifier) in migrations.enumerated() {
      let file = source.file(identifier)
      var state = MigrationState(identifier: identifier, kind: .pending, path: file?.path)
      if let entry = entries.removeValue(forKey: identifier) {
        let isEdited = file.map { entry.checksum != nil && entry.checksum != $0.checksum } ?? false
        state.kind = isEdited ? .edited : .applied
        state.entry = entry
      } else if replaced.contains(identifier) {
        state.kind = .merged
      } else {
        state.isLeftEmpty = file?.isLeftEmpty ?? false
        state.isOutOfOrder = lastApplied.map { index < $0 } ?? false
        state.hasBegun = begun.contains(identifier)
      }
      list.append(state)
    }
    let others = ledger.filter { entries[$0.identifier] != nil }
    let unknown = others.filter { !source.migrator.knows($0.identifier) }
    for (index, state) in list.enumerated() where state.kind == .pending && !state.isLeftEmpty {
      guard let checksum = source.file(state.identifier)?.checksum else { continue }
      list[index].appliedAs = unknown.first { $0.checksum == checksum }?.identifier
    }
    for entry in others {
      let kind: MigrationState.Kind = source.migrator.knows(entry.identifier) ? .merged : .unknown
      list.append(MigrationState(identifier: entry.identifier, kind: kind, entry: entry))
    }
    self.list = list
  }

  /// The migrations that stand somewhere.
  func all(_ kind: MigrationState.Kind) -> [MigrationState] { list.filter { $0.kind == kind } }

  /// The identifiers of the migrations that stand somewhere.
  func identifiers(_ kind: MigrationState.Kind) -> [String] {
    list.lazy.filter { $0.kind == kind }.map(\.identifier)
  }

  /// The pending migrations whose file was renamed after they were applied, and what they were applied as.
  var renamed: [(identifier: String, appliedAs: String)] {
    list.compactMap { state in state.appliedAs.map { (state.identifier, $0) } }
  }

  /// The applied migrations that are not among the files under any name.
  var gone: [String] {
    let renamed = Set(renamed.map(\.appliedAs))
    return identifiers(.unknown).filter { !renamed.contains($0) }
  }

  /// The pending migrations that come before an applied one, but for renamed ones.
  var late: [MigrationState] { list.filter { $0.isOutOfOrder && $0.appliedAs == nil } }

  /// The identifiers of the pending migrations up to one of them, or of all.
  func pending(upTo target: String?) -> [String] {
    guard let target, let end = list.firstIndex(where: { $0.identifier == target }) else {
      return identifiers(.pending)
    }
    return list[...end].filter { $0.kind == .pending }.map(\.identifier)
  }

  /// The first applied migration in the migrations' order that comes after a pending one; nil when there is no gap.
  func appliedAfter(_ identifier: String) -> String? {
    guard let index = list.firstIndex(where: { $0.identifier == identifier }) else { return nil }
    return list[index...].first(where: \.isApplied)?.identifier
  }

  /// The last applied migration in the migrations' order; nil when there is none.
  var lastApplied: MigrationState? { list.last(where: \.isApplied) }
}
