internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  /// Lists where every migration stands.
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
  ) { context throws(ToolFailure) in try StatusCommand(context).run() }
}

extension OptionSpecification {
  /// Makes the exit code tell whether the database is up to date.
  static let check = OptionSpecification(
    name: "check", group: .command, help: "exit with 1 when a migration is pending, edited or unknown")
}

/// `status`.
struct StatusCommand {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func run() throws(ToolFailure) -> ExitCode {
    let folder = context.tool.migrator == nil ? MigrationFolder(context.folderPath) : nil
    if let problem = folder?.listingProblem {
      throw context.failure(MigrationFolderError(folder: context.folderPath, problems: [problem]))
    }
    let target = try DatabaseTarget(context, creates: false)
    let migrator = context.tool.migrator ?? context.emptyMigrator
    let snapshot = try DatabaseSnapshot(target, migrator)
    let states =
      folder.map { MigrationStates($0, ledger: snapshot.ledger, begun: snapshot.begun) }
      ?? MigrationStates(migrator, ledger: snapshot.ledger, begun: snapshot.begun)
    if let folder { try check(folder, states) }
    print(states, folder, target, snapshot)
    context.output.json(StatusReport(states, target, snapshot, folder: folder?.path))
    guard context.arguments.contains(.check) else { return .done }
    return states.list.allSatisfy { $0.kind == .applied || $0.kind == .merged } ? .done : .checkFailed
  }

  /// Makes sure that the files can be run.
  ///
  /// A file that is as it was when it was applied had nothing wrong with it then, and is not parsed. All others are, and all
  /// of them where one may stand for an entry that no file is named after, or where there are notes on files to print.
  private func check(_ folder: MigrationFolder, _ states: MigrationStates) throws(ToolFailure) {
    let unchanged = Set(states.list.filter(\.isUnchanged).map(\.identifier))
    let parsesAll = context.output.isVerbose || states.list.contains { $0.file == nil }
    do {
      try folder.check { parsesAll || !unchanged.contains($0.identifier) }
    } catch {
      throw context.failure(error)
    }
  }

  private func print(
    _ states: MigrationStates, _ folder: MigrationFolder?, _ target: DatabaseTarget, _ snapshot: DatabaseSnapshot
  ) {
    let output = context.output
    if output.showsLines {
      var table = TextTable()
      for state in states.list { table.add(Self.row(state)) }
      output.lines(
        [heading(target, snapshot), ""] + table.lines(style: output.style) + ["", Self.summary(states)])
      if output.isVerbose { folder?.notices.forEach { output.detail("note: \($0)") } }
    }
    StateWarnings(states, toolName: context.toolName, takesOutOfOrder: false).all.forEach {
      output.warning($0.what, remedy: $0.remedy)
    }
  }

  private func heading(_ target: DatabaseTarget, _ snapshot: DatabaseSnapshot) -> String {
    guard let engine = snapshot.engine else {
      return target.file == .empty
        ? "\(target.path) is empty; `\(context.toolName) migrate` makes a database of it"
        : "\(target.path) does not exist yet; `\(context.toolName) migrate` creates it"
    }
    return "\(target.path) (\(engine.name) \(engine.version))"
  }

  private static func row(_ state: MigrationState) -> [TextTable.Cell] {
    let role: Style.Role =
      switch state.kind {
      case .applied, .merged: .good
      case .pending: .waiting
      case .edited, .unknown: .bad
      }
    return [
      .init(text: state.kind.rawValue, role: role), .init(text: state.identifier),
      .init(text: state.entry?.appliedAt.readableTime ?? note(state), role: .faint),
      .init(text: duration(state.entry), role: .faint, isRightAligned: true),
    ]
  }

  /// What there is to say of one that is not applied.
  private static func note(_ state: MigrationState) -> String {
    state.hasBegun ? "begun, not ended" : state.isOutOfOrder ? "out of order" : ""
  }

  /// How long it took; one that was marked as applied took no time at all, for it never ran.
  private static func duration(_ entry: LedgerEntry?) -> String {
    guard let duration = entry?.duration, duration != .zero else { return "" }
    return duration.shortText
  }

  private static func summary(_ states: MigrationStates) -> String {
    let kinds = states.list.map(\.kind)
    // Written in one go: to join a list, Swift looks through all conformances of the program.
    var summary = ""
    for kind in MigrationState.Kind.allCases {
      let count = kinds.count { $0 == kind }
      if count > 0 { summary += "\(summary.isEmpty ? "" : ", ")\(count) \(kind.rawValue)" }
    }
    return summary
  }
}

extension String {
  /// `2026-01-31T23:59:59.123Z` as people write it: `2026-01-31 23:59:59 UTC`.
  fileprivate var readableTime: String {
    // By bytes: each line of the report has one.
    let time = utf8.withContiguousStorageIfAvailable { bytes -> String? in
      let seconds = bytes.prefix(19)
      guard seconds.count == 19, seconds[10] == UInt8(ascii: "T"), bytes.last == UInt8(ascii: "Z"),
        seconds.allSatisfy({ $0 < 0x80 })
      else { return nil }
      return String(unsafeUninitializedCapacity: 23) { text in
        _ = text.initialize(fromContentsOf: seconds)
        text[10] = UInt8(ascii: " ")
        _ = text[19...].initialize(from: " UTC".utf8)
        return 23
      }
    }
    return (time ?? nil) ?? self
  }
}
