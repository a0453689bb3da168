internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let status = ToolCommand(
    name: "status",
    summary: "list applied, pending and unknown migrations",
    details: [
      "Lists every migration and where it stands: applied (with the time and how long it took), edited (applied, but its "
        + "file was changed since), pending (not applied), or unknown (applied, but not among the migrations). A pending "
        + "one that runs without a transaction, or in batches, may have begun and not ended.",
      "Writes nothing: a database that does not exist is not created, and one with nothing applied is no error.",
    ],
    examples: [
      Example("status --database app.sqlite", "where every migration stands"),
      Example("status --database app.sqlite --check --quiet", "for scripts: exit with 1 unless all is applied"),
    ],
    options: [.check]
  ) { context throws(ToolFailure) in try StatusCommand(context: context).run() }
}

extension OptionSpecification {
  static let check = OptionSpecification(
    name: "check", help: "exit with 1 when a migration is pending, edited or unknown")
}

struct StatusCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let source = try MigrationSource(context)
    let target = try DatabaseTarget(context, creates: false)
    let (ledger, begun, engine) = try target.ledger(source.migrator)
    let states = MigrationStates(source, ledger: ledger, begun: begun)
    let engineName = engine.map { "\($0.name) \($0.version)" }
    print(states, source, heading(target, engineName))
    context.json(StatusReport(states, engine: engineName, folder: source.folder?.path), target)
    let isCurrent = states.list.allSatisfy { $0.kind == .applied || $0.kind == .merged }
    return isCurrent || !context.arguments.contains(.check) ? .done : .checkFailed
  }

  private func print(_ states: MigrationStates, _ source: MigrationSource, _ heading: String) {
    let output = context.output
    if output.showsLines {
      var table = TextTable()
      for state in states.list { table.add(Self.row(state)) }
      output.lines([heading, ""] + table.lines(style: output.style) + ["", Self.summary(states)])
      source.folder?.notices.forEach { output.detail("note: \($0)") }
    }
    for warning in states.warnings(toolName: context.toolName, refusesGaps: false) {
      output.warning(warning.what, remedy: warning.remedy)
    }
  }

  private func heading(_ target: DatabaseTarget, _ engine: String?) -> String {
    if let engine { return "\(target.path) (\(engine))" }
    return target.file == .empty
      ? "\(target.path) is empty; `\(context.toolName) migrate` makes a database of it"
      : "\(target.path) does not exist yet; `\(context.toolName) migrate` creates it"
  }

  private static func row(_ state: MigrationState) -> [TextTable.Cell] {
    let role: Style.Role =
      switch state.kind {
      case .applied, .merged: .good
      case .pending: .waiting
      case .edited, .unknown: .bad
      }
    let note = state.hasBegun ? "begun, not ended" : state.isOutOfOrder ? "out of order" : ""
    // One that was marked as applied took no time at all, for it never ran.
    let duration = state.entry?.duration.flatMap { $0 == .zero ? nil : $0.shortText } ?? ""
    return [
      .init(text: state.kind.rawValue, role: role), .init(text: state.identifier),
      .init(text: state.entry?.appliedAt.readableTime ?? note, role: .faint),
      .init(text: duration, role: .faint, isRightAligned: true),
    ]
  }

  private static func summary(_ states: MigrationStates) -> String {
    MigrationState.Kind.allCases.compactMap { kind in
      let count = states.all(kind).count
      return count > 0 ? "\(count) \(kind.rawValue)" : nil
    }.joined(separator: ", ")
  }
}

struct StatusReport: Encodable {
  struct Entry: Encodable {
    var identifier: String
    var state: MigrationState.Kind
    var appliedAt: String?
    var durationInSeconds: Double?
    var file: String?
    var isOutOfOrder: Bool?
    /// Whether it is pending although it has begun: it did not end, or runs at this moment.
    var hasBegun: Bool?
  }

  /// Whether the database exists; an empty file is none yet.
  var exists: Bool
  var engine: String?
  var migrationsFolder: String?
  var migrations: [Entry]
  var counts: [String: Int]

  init(_ states: MigrationStates, engine: String?, folder: String?) {
    exists = engine != nil
    self.engine = engine
    migrationsFolder = folder
    migrations = states.list.map { state in
      Entry(
        identifier: state.identifier, state: state.kind, appliedAt: state.entry?.appliedAt,
        durationInSeconds: state.entry?.duration?.roundedSeconds, file: state.path,
        isOutOfOrder: state.kind == .pending ? state.isOutOfOrder : nil,
        hasBegun: state.kind == .pending ? state.hasBegun : nil)
    }
    counts = Dictionary(grouping: states.list, by: \.kind.rawValue).mapValues(\.count)
  }
}

extension String {
  /// `2026-01-31T23:59:59.123Z` as people write it: `2026-01-31 23:59:59 UTC`.
  fileprivate var readableTime: String {
    let parts = prefix(19).split(separator: "T")
    guard hasSuffix("Z"), count > 19, parts.map(\.count) == [10, 8] else { return self }
    return "\(parts[0]) \(parts[1]) UTC"
  }
}
