internal import Migrator
internal import MigratorLint
internal import SQLMigrations
internal import SQLSyntax

struct MigrationState: Sendable {
  enum Kind: String, Sendable, CaseIterable, Encodable {
    case applied
    /// The migration is applied, but its file was changed afterwards.
    case edited
    /// The migration was merged into another one, which replaces it.
    case merged
    case pending
    /// The migration is applied, but the tool does not know it: its file or code is missing.
    case unknown
  }

  var identifier: String
  var kind: Kind
  var entry: LedgerEntry?
  var path: String?
  /// Whether the migration is pending although a later one is applied.
  var isOutOfOrder = false
  /// Whether the pending migration has started and did not finish; it runs without a transaction or in batches.
  var hasBegun = false
  /// The migration with the same statements as the pending one; nil if there is none.
  var twin: Twin?
  /// Whether the migration is pending and empty, without a comment that says it is intentionally empty.
  var isLeftEmpty = false
  var isApplied: Bool { kind == .applied || kind == .edited }

  /// A migration whose file has the same contents as that of an applied or earlier one.
  struct Twin: Sendable, CustomStringConvertible {
    let identifier: String
    let original: String
    /// Whether the original is applied and its file is missing, so that it seems to be renamed; otherwise, to be copied.
    let isRenamed: Bool

    var description: String {
      "migration \(identifier) is pending, but has the same contents as \(original)\(isRenamed ? ", which is applied" : "")"
    }
  }
}

/// The states of all migrations in order, followed by unknown migrations in the order of their application.
struct MigrationStates: Sendable {
  let list: [MigrationState]
  /// The histories of other tools, if the ledger contains none of the migrations.
  private let histories: [FoundHistory]
  /// A warning about triggers of the ledger that may refuse or change the record of a migration; nil if there are none.
  private var triggerWarning: (what: String, remedy: String)?

  /// Compares the migrations with the ledger, which is empty if there is no database.
  init(_ source: MigrationSource, ledger all: [LedgerEntry], histories: [FoundHistory] = []) {
    self.histories = histories
    let ledger = all.filter { $0.duration != nil }
    let begun = Set(all.lazy.filter { $0.duration == nil }.map(\.identifier))
    let replaced = all.reduce(into: Set<String>()) { $0.formUnion($1.replaced) }
    let entries = Dictionary(zip(ledger.map(\.identifier), ledger.indices)) { first, _ in first }
    let migrator = source.migrator
    let lastApplied = migrator.migrations.lastIndex { entries[$0] != nil }
    let others = ledger.filter { migrator.index(of: $0.identifier) == nil }
    let unknown = others.filter { !migrator.knows($0.identifier) }
    let twins = source.folder?.twins ?? [:]
    let known = migrator.migrations.enumerated().map { index, identifier in
      let file = source.file(identifier)
      var state = MigrationState(identifier: identifier, kind: .pending, path: file?.path)
      if let entry = entries[identifier].map({ ledger[$0] }) {
        state.kind = migrator.registered[index].isEdited(since: entry.checksum) ? .edited : .applied
        state.entry = entry
      } else if replaced.contains(identifier) {
        // Newer code may have merged migrations for which there are still separate files here.
        state.kind = .merged
      } else {
        state.isLeftEmpty = file?.isLeftEmpty ?? false && !source.allowances.acceptsForFolder(.emptyMigration)
        state.isOutOfOrder = lastApplied.map { index < $0 } ?? false
        state.hasBegun = begun.contains(identifier)
        let renamed = unknown.first { entry in
          guard let file, !file.statements.isEmpty, entry.checksum != nil else { return false }
          return !file.isEdited(since: entry.checksum)
        }
        let others = twins[identifier] ?? []
        let copied = others.first { entries[$0] != nil } ?? others.first { migrator.index(of: $0) ?? .max < index }
        state.twin = (renamed?.identifier ?? copied).map {
          MigrationState.Twin(identifier: identifier, original: $0, isRenamed: renamed != nil)
        }
      }
      return state
    }
    list =
      known
      + others.map { entry in
        MigrationState(
          identifier: entry.identifier, kind: migrator.knows(entry.identifier) ? .merged : .unknown, entry: entry)
      }
  }

  /// Compares the migrations with the ledger of a database; if it contains none of them, finds the histories of other
  /// tools.
  ///
  /// - Parameter withUnfinished: Whether to read which migrations have started but did not finish.
  init(_ source: MigrationSource, in db: Database, withUnfinished: Bool = false) throws {
    let ledger = try source.migrator.history(db, withUnfinished: withUnfinished)
    let knows = source.migrator.knows
    let isStarted = ledger.contains { knows($0.identifier) || $0.replaced.contains(where: knows) }
    let hasHistories = try !isStarted && !db.connection.schema().objects.isEmpty
    self.init(
      source, ledger: ledger,
      histories: hasHistories ? try FoundHistory.all(in: db, for: source.migrator, isLedgerEmpty: ledger.isEmpty) : [])
    triggerWarning = try Self.triggerWarning(source, in: db)
  }

  /// Returns a warning about triggers of the ledger that may refuse or change the record of a migration, so that each one
  /// fails; nil if there are none.
  static func triggerWarning(_ source: MigrationSource, in db: Database) throws -> (what: String, remedy: String)? {
    let table = source.migrator.ledgerTable
    let triggers = try Row.fetchAll(
      db, sql: "SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE",
      arguments: [table])
    let names = try triggers.compactMap { row -> String? in
      let tokens = SQLSource(try row["sql"] as String).tokens.drop { !$0.isWord("begin") }
      let interferes = tokens.contains { $0.isWord("raise") || $0.folded == table.asciiLowercased }
      return interferes ? try row["name"] : nil
    }
    guard !names.isEmpty else { return nil }
    return (
      "\(listed(names.map { "trigger \"\($0)\"" })) of the table with the record of migrations may make each migration fail",
      "Drop \(names.count == 1 ? "it" : "them"), unless you know that records stay as they are written."
    )
  }

  /// The last applied migration in the order of the files; nil for none.
  var version: String? { version(with: []) }

  /// Returns the last migration, in the order of the files, that the ledger or `applied` contains; nil for none.
  func version(with applied: [String]) -> String? {
    list.last { $0.isApplied || applied.contains($0.identifier) }?.identifier
  }

  func all(_ kind: MigrationState.Kind) -> [MigrationState] { list.filter { $0.kind == kind } }

  func identifiers(_ kind: MigrationState.Kind) -> [String] {
    list.compactMap { $0.kind == kind ? $0.identifier : nil }
  }

  /// Returns the pending migrations up to the target, or all, whose files have the contents of other ones.
  func twins(upTo target: String? = nil) -> [MigrationState.Twin] {
    let pending = Set(pending(upTo: target))
    return list.compactMap { pending.contains($0.identifier) ? $0.twin : nil }
  }

  var gone: [String] {
    let renamed = Set(twins().filter(\.isRenamed).map(\.original))
    return identifiers(.unknown).filter { !renamed.contains($0) }
  }

  var late: [MigrationState] { list.filter { $0.isOutOfOrder && $0.twin?.isRenamed != true } }

  func pending(upTo target: String?) -> [String] {
    guard let target, let end = list.firstIndex(where: { $0.identifier == target }) else {
      return identifiers(.pending)
    }
    return list[...end].filter { $0.kind == .pending }.map(\.identifier)
  }

  /// Returns the first applied migration that comes after a pending one; nil if there is none.
  func appliedAfter(_ identifier: String) -> String? {
    guard let index = list.firstIndex(where: { $0.identifier == identifier }) else { return nil }
    return list[index...].first(where: \.isApplied)?.identifier
  }
}

extension MigrationStates {
  /// A command that warns about the states.
  enum WarningCommand: Equatable {
    case status
    /// Applies the migrations up to the target, or all, or shows what that would do. Refuses to run because of some states,
    /// so that a warning about these would repeat the refusal.
    case migrate(upTo: String?)
  }

  /// Returns warnings about edited, unknown and empty migrations, each with a remedy.
  ///
  /// Includes edited files, renamed files, and migrations that are out of order, only if the command does not refuse to run
  /// because of them.
  func warnings(_ context: CommandContext, of command: WarningCommand) -> [(what: String, remedy: String)] {
    let toolName = context.toolName
    var all: [(what: String, remedy: String)] = []
    func warn(_ what: String, _ remedy: String) { all.append((what, remedy)) }
    if let recorded = recorded(upTo: nil) {
      if command == .status {
        warn(recorded.description, "`migrate` will refuse to run. " + recorded.remedy(toolName: toolName))
      }
    } else if !histories.isEmpty {
      warn(
        "the migrations that another tool recorded in \(listed(histories.map(\.table))) do not count as applied until they "
          + "are imported",
        "Import them with `\(toolName) adopt`.")
    }
    if let triggerWarning { all.append(triggerWarning) }
    let edited = identifiers(.edited)
    if !edited.isEmpty, editedRefusal(context) == nil {
      warn(
        "\(listed(edited)) \(edited.count == 1 ? "was" : "were") edited after being applied; the database still reflects "
          + "the earlier version",
        "Undo the edit and write a new migration for the change. If this is a development database, you can rebuild it with "
          + "`\(toolName) rebuild`.")
    }
    for twin in command == .status ? twins() : [] {
      warn(twin.description, "`migrate` will refuse to run. " + remedy(twin, toolName: toolName))
    }
    let gone = gone
    if !gone.isEmpty {
      warn(
        "\(gone.count == 1 ? "migration" : "migrations") \(listed(gone)) "
          + "\(gone.count == 1 ? "is" : "are") applied, but your source code does not contain \(gone.count == 1 ? "it" : "them")",
        "If newer code migrated the database, update your source code. If a migration was renamed or removed, "
          + "restore it.")
    }
    if let warning = emptyWarning(of: command) { all.append(warning) }
    if command == .status, let warning = outOfOrder(late.map(\.identifier)) {
      warn(warning.what, "`migrate` will refuse to run. " + warning.remedy)
    }
    return all
  }

  /// Returns the warning about pending migrations without statements; nil if there are none.
  private func emptyWarning(of command: WarningCommand) -> (what: String, remedy: String)? {
    let target: String? = if case .migrate(let target) = command { target } else { nil }
    let pending = Set(pending(upTo: target))
    let empty = list.filter { $0.isLeftEmpty && pending.contains($0.identifier) }.map(\.identifier)
    guard !empty.isEmpty else { return nil }
    return (
      "\(empty.count == 1 ? "migration \(listed(empty)) contains" : "migrations \(listed(empty)) contain") no statements; "
        + "statements that are added to a file after it was applied do not run",
      "Write the statements first or, in a file that is applied, in a new migration. If it is intentionally empty, add this "
        + "comment: -- migrator: allow empty-migration REASON"
    )
  }

  /// Returns the refusal to apply the pending migrations up to the target; nil if there is no reason to refuse.
  func refusal(_ context: CommandContext, upTo target: String?) -> ToolFailure? {
    let allowsGaps = context.arguments.contains(.allowOutOfOrder)
    return editedRefusal(context) ?? recorded(upTo: target)?.refusal(toolName: context.toolName)
      ?? twinRefusal(upTo: target, toolName: context.toolName)
      ?? (allowsGaps ? nil : outOfOrderRefusal(upTo: target))
  }

  /// Returns the refusal to apply migrations that precede an applied one; nil if there are none up to the target.
  private func outOfOrderRefusal(upTo target: String?) -> ToolFailure? {
    let pending = Set(pending(upTo: target))
    let late = list.filter { $0.isOutOfOrder && pending.contains($0.identifier) }.map(\.identifier)
    guard let (what, remedy) = outOfOrder(late) else { return nil }
    var failure = ToolFailure.refused(what, remedy: "Nothing was changed. " + remedy)
    failure.migration = late.first
    return failure
  }

  /// Describes migrations that precede an applied one; nil if there are none.
  private func outOfOrder(_ late: [String]) -> (what: String, remedy: String)? {
    guard let first = late.first else { return nil }
    return (
      late.count == 1
        ? "migration \(first) is pending, but \(appliedAfter(first) ?? "a later one"), which comes after it, "
          + "has already been applied"
        : "migrations \(listed(late)) are pending, but migrations that come after them have already been applied",
      "If their order does not matter, add --allow-out-of-order; otherwise \(laterName(late.count))."
    )
  }

  /// Returns the refusal to migrate a database whose applied migrations were edited; nil if there are none, or if
  /// `--strict` is not given.
  private func editedRefusal(_ context: CommandContext) -> ToolFailure? {
    let edited = identifiers(.edited)
    guard context.arguments.contains(.strict), !edited.isEmpty else { return nil }
    return .refused(
      "\(listed(edited)) \(edited.count == 1 ? "was" : "were") edited after being applied",
      remedy: "Nothing was changed. Undo the edit and write a new migration for the change, or omit --strict.")
  }

  /// Returns the refusal to apply migrations whose files were renamed or copied, such as `2_seed - Copy.sql`, since they
  /// would run a second time; nil if there are none up to the target.
  private func twinRefusal(upTo target: String?, toolName: String) -> ToolFailure? {
    let twins = twins(upTo: target)
    guard let first = twins.first(where: \.isRenamed) ?? twins.first else { return nil }
    let alike = twins.filter { $0.isRenamed == first.isRenamed }
    var failure = ToolFailure.refused(
      alike.count == 1
        ? first.description
        : "\(alike.count) pending migrations have the same contents as \(first.isRenamed ? "applied" : "other") ones",
      why: alike.count == 1 ? [] : alike.map(\.description),
      remedy: "Nothing was changed. " + remedy(first, toolName: toolName))
    failure.migration = first.identifier
    return failure
  }

  private func remedy(_ twin: MigrationState.Twin, toolName: String) -> String {
    twin.isRenamed
      ? "If the file was renamed, restore its old name, add the line `-- migrator: merges \(twin.original)` to it or, in "
        + "development, run `\(toolName) rebuild`. "
        + "If it is meant to run as well, add a statement such as `SELECT 1` to it."
      : "If the file is a copy, delete it. If it is meant to run as well, add the line `-- migrator: not-a-copy` to it."
  }

  /// Returns the reasons for which `migrate` refuses to run whatever its options, as sentences.
  func refusals(upTo target: String?) -> [String] {
    (recorded(upTo: target).map { [$0.description] } ?? []) + twins(upTo: target).map(\.description)
  }

  static let unnumberedOrder = "names without a number are in alphabetical order"

  private func laterName(_ count: Int) -> String {
    let file = count == 1 ? "the pending migration" : "each of these migrations"
    guard let last = list.last(where: \.isApplied), last.path != nil, MigrationVersion(prefixOf: last.identifier) == nil
    else {
      return "give \(file) a later number"
    }
    return
      "rename \(file) so that it sorts after \"\(last.identifier)\", the last applied migration (\(Self.unnumberedOrder))"
  }

  /// Returns the pending migrations up to the target that other tools recorded as applied, or may have recorded; nil if
  /// there are none.
  func recorded(upTo target: String?) -> RecordedMigrations? {
    let pending = pending(upTo: target)
    guard !pending.isEmpty else { return nil }
    let records: [(history: FoundHistory, migrations: [String])] = histories.compactMap { history in
      guard let recorded = history.migrations else { return (history, []) }
      let migrations = pending.filter(recorded.contains)
      return migrations.isEmpty ? nil : (history, migrations)
    }
    guard !records.isEmpty else { return nil }
    // Two histories may have the same migration.
    let recorded = Set(records.flatMap(\.migrations))
    return RecordedMigrations(histories: records.map(\.history), migrations: pending.filter(recorded.contains))
  }
}
