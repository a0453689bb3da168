internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let status = ToolCommand(
    name: "status",
    summary: "list applied, pending and unknown migrations",
    details: [
      "Lists every migration and its state: applied (with time and duration), edited (applied, but its file changed afterwards), "
        + "pending (not applied), or unknown (applied, but not among the migrations). A pending migration that runs without a "
        + "transaction, or in batches, may have started but not finished.",
      "Writes nothing: does not create a missing database. A database without applied migrations is not an error.",
      fleetDetails,
    ],
    examples: [
      Example("status --database app.sqlite", "list the state of every migration"),
      Example(
        "status --database app.sqlite --check --quiet", "for scripts: exit with 1 unless all migrations are applied"),
    ],
    options: [.check] + OptionSpecification.fleetReading
  ) { context throws(ToolFailure) in
    try context.onEachDatabase { context, source throws(ToolFailure) in
      try StatusCommand(context: context).report(source)
    }
  }
}

extension OptionSpecification {
  static let check = OptionSpecification(
    name: "check", help: "exit with 1 when a migration is pending, edited or unknown")
}

struct StatusCommand {
  let context: CommandContext

  func report(_ source: MigrationSource) throws(ToolFailure) -> DatabaseReport {
    let target = try DatabaseTarget(context, creates: false)
    let (states, engine) = try target.states(of: source)
    let engineName = engine.map { "\($0.name) \($0.version)" }
    print(states, source, heading(target, engineName))
    let isCurrent = states.list.allSatisfy { $0.kind == .applied || $0.kind == .merged }
    return DatabaseReport(
      database: target, json: StatusReport(states, engine: engineName, folder: source.folder?.path),
      exitCode: isCurrent || !context.arguments.contains(.check) ? .done : .checkFailed,
      outcome: target.file == .missing
        ? "missing" : isCurrent ? "up to date" : "with " + Self.summary(states, leavingOut: [.applied, .merged]),
      version: states.version,
      warnings: states.warnings(context, of: .status).map(\.what),
      exists: target.file != .missing)
  }

  private func print(_ states: MigrationStates, _ source: MigrationSource, _ heading: String) {
    let output = context.output
    if output.showsLines {
      var table = TextTable()
      for state in states.list { table.add(Self.row(state)) }
      output.lines([heading, ""] + table.lines(style: output.style) + ["", Self.summary(states)])
      if output.isVerbose { source.folder?.notices.forEach { output.detail("note: \($0)") } }
    }
    for warning in states.warnings(context, of: .status) {
      output.warning(warning.what, remedy: warning.remedy)
    }
  }

  private func heading(_ target: DatabaseTarget, _ engine: String?) -> String {
    if let engine { return "\(target.path.oneLine) (\(engine))" }
    let migrate = context.output.completed("`\(context.toolName) migrate`")
    return target.file == .empty
      ? "\(target.path.oneLine) is an empty file; \(migrate) creates the database in it"
      : "\(target.path.oneLine) does not exist yet; \(migrate) creates it"
  }

  private static func row(_ state: MigrationState) -> [TextTable.Cell] {
    let role: Style.Role =
      switch state.kind {
      case .applied, .merged: .good
      case .pending: .waiting
      case .edited, .unknown: .bad
      }
    let note = state.hasBegun ? "started, not finished" : state.isOutOfOrder ? "out of order" : ""
    // A migration that was only recorded as applied has no duration.
    let duration = state.entry?.duration.flatMap { $0 == .zero ? nil : $0.shortText } ?? ""
    return [
      .init(text: state.kind.rawValue, role: role), .init(text: state.identifier),
      .init(text: state.entry?.appliedAt.readableTime ?? note, role: .faint),
      .init(text: duration, role: .faint, isRightAligned: true),
    ]
  }

  private static func summary(_ states: MigrationStates, leavingOut other: [MigrationState.Kind] = []) -> String {
    MigrationState.Kind.allCases.compactMap { kind in
      let count = states.all(kind).count
      return count > 0 && !other.contains(kind) ? "\(count) \(kind.rawValue)" : nil
    }.joined(separator: ", ")
  }
}

struct StatusReport: Encodable, Sendable {
  struct Entry: Encodable, Sendable {
    var identifier: String
    var state: MigrationState.Kind
    var appliedAt: String?
    var durationInSeconds: Double?
    var file: String?
    var isOutOfOrder: Bool?
    /// Whether the pending migration has started, but did not finish or is still running; nil if it is not pending.
    var hasBegun: Bool?
  }

  /// Whether the database exists; an empty file is not a database.
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
    counts = Dictionary(uniqueKeysWithValues: Set(states.list.map(\.kind)).map { ($0.rawValue, states.all($0).count) })
  }
}

extension String {
  /// Converts a time such as `2026-01-31T23:59:59.123Z` to a readable form: `2026-01-31 23:59:59 UTC`.
  fileprivate var readableTime: String {
    let (date, time) = (utf8.prefix(10), utf8.dropFirst(11).prefix(8))
    guard utf8.count > 19, utf8.last == UInt8(ascii: "Z"), utf8.dropFirst(10).first == UInt8(ascii: "T") else {
      return self
    }
    return "\(Substring(date)) \(Substring(time)) UTC"
  }
}
