internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

/// The outcomes of a fleet: counts by result and by version, and failures, warnings and losses grouped by cause.
struct FleetSummary: Sendable {
  private static let mostExamples = 3
  private static let mostCauses = 10

  /// Databases with the same failure, warning or loss.
  private struct Group: Sendable, Encodable {
    var cause: String
    var count = 0
    var examples: [String] = []
    /// The failure of the first database; nil for a warning or a loss.
    var failure: ToolFailure?

    private enum CodingKeys: CodingKey { case cause, count, examples }

    mutating func add(_ path: String) {
      count += 1
      if examples.count < FleetSummary.mostExamples { examples.append(path) }
    }

    /// The other databases with the same failure or warning; nil when there are none.
    var others: String? {
      guard count > 1 else { return nil }
      let named = examples.dropFirst().map(\.oneLine).joined(separator: ", ")
      return "\(counted(count - 1, "other database")): \(named)"
        + (count > examples.count ? ", and \(count - examples.count) more" : "")
    }
  }

  /// The names of all migrations, in order.
  let migrations: [String]
  /// The number of databases in the fleet.
  let databaseCount: Int
  var duration = Duration.zero
  private(set) var begunCount = 0
  private(set) var failedCount = 0
  private(set) var migratedCount = 0
  private(set) var exitCode = ExitCode.done
  /// The number of canaries, if one of them failed; otherwise nil.
  var canaryCount: Int?
  private var interruptedCount = 0
  private var missingCount = 0
  private var unknownCount = 0
  private var outcomes: [String: Int] = [:]
  /// The number of databases by their last applied migration; the empty name stands for databases without one.
  private var versions: [String: Int] = [:]
  private var failures: [String: Group] = [:]
  private var warnings: [String: Group] = [:]
  private var losses: [String: Group] = [:]
  /// The tokens of the databases whose plan succeeded.
  private var tokens: [PlanToken] = []
  private var isPending = false

  init(migrations: [String], databaseCount: Int) { (self.migrations, self.databaseCount) = (migrations, databaseCount) }

  mutating func add(_ outcome: FleetCommand.Outcome) {
    begunCount += 1
    switch outcome.result {
    case .success(let report):
      if report.exists { versions[report.version ?? "", default: 0] += 1 } else { missingCount += 1 }
      if report.isMigrated { migratedCount += 1 }
      if report.exitCode == .checkFailed { exitCode = .checkFailed }
      for warning in report.warnings { warnings[warning, default: Group(cause: warning)].add(outcome.path) }
      for loss in report.losses { losses[loss, default: Group(cause: loss)].add(outcome.path) }
      if report.failure == nil { outcomes[report.outcome, default: 0] += 1 }
      if let token = report.token { tokens.append(token) }
      if report.isPending { isPending = true }
    case .failure(let failure):
      if let version = failure.version { versions[version, default: 0] += 1 } else { unknownCount += 1 }
    }
    guard let failure = outcome.failure else { return }
    guard failure.exitCode != .interrupted else {
      interruptedCount += 1
      return
    }
    failedCount += 1
    let cause = failure.cause(leavingOut: outcome.path)
    failures[cause.key, default: Group(cause: cause.text, failure: failure.naming(outcome.path))].add(outcome.path)
  }

  // MARK: Text and JSON

  func print(on context: CommandContext) {
    let output = context.output
    for group in sorted(warnings) {
      let others = group.others.map { "\nthe same in \($0)" } ?? ""
      output.warning("\(group.examples.first?.oneLine ?? ""): \(group.cause)" + others)
    }
    output.json(["summary": report], of: context.command, isLine: true)
    if databaseCount == 0, let shard = context.arguments.value(of: .shard) {
      return output.line("There are no databases in part \(shard).")
    }
    var results = outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
    if failedCount > 0 { results.append("\(failedCount) failed") }
    if interruptedCount > 0 { results.append("\(interruptedCount) interrupted") }
    if notBegunCount > 0 { results.append("\(notBegunCount) not started") }
    output.line("\(counted(databaseCount, "database")) in \(duration.shortText): \(results.joined(separator: ", "))")
    var rows = sortedVersions.map { ($0.databases, $0.migration.map { "at \($0)" } ?? "without a migration") }
    rows += [(missingCount, "missing"), (unknownCount, "unknown")].filter { $0.0 > 0 }
    if !rows.isEmpty {
      var table = TextTable()
      for (count, text) in rows {
        table.add([.init(text: String(count), isRightAligned: true), .init(text: text)])
      }
      output.lines([""] + table.lines(style: output.style))
    }
    if !losses.isEmpty {
      output.lines(
        [""]
          + sorted(losses).map { loss in
            output.style("! \(loss.cause.oneLine) (in \(counted(loss.count, "database")))", .bad)
          })
    }
    guard let token else { return }
    output.lines(["", "To apply exactly this: `\(context.confirmedCommand(token))`"])
  }

  /// The token of the plans of all databases; nil if one of them failed, or if nothing is pending.
  private var token: PlanToken? {
    isPending && tokens.count == databaseCount ? PlanToken(of: tokens) : nil
  }

  /// Returns the failure of the whole command; nil when no database failed and none was left out.
  func failure(_ context: CommandContext) -> ToolFailure? {
    guard failedCount > 0 || interruptedCount > 0 || notBegunCount > 0 else { return nil }
    let groups = sorted(failures)
    let parts = groups.prefix(Self.mostCauses).compactMap { group -> ToolFailure? in
      var part = group.failure
      part?.also = group.others
      return part
    }
    let isCheck = groups.allSatisfy { $0.failure?.exitCode == .checkFailed }
    let isInterrupted = interruptedCount > 0 || context.interrupt.hasArrived
    var failure = ToolFailure(
      exitCode: isInterrupted ? .interrupted : isCheck ? .checkFailed : .migrationFailed,
      what: headline(isInterrupted: isInterrupted), parts: parts)
    if groups.count > parts.count {
      failure.why.append("there are \(groups.count - parts.count) more causes; --json lists them")
    }
    guard context.migrates else { return failure }
    let isPiped = context.arguments.value(of: .databasesFrom) == "-"
    let descriptor = context.arguments.value(of: .keyDescriptor).map { " \($0)<FILE" } ?? ""
    failure.remedy =
      (canaryCount != nil && !isInterrupted ? "Correct the cause. " : "")
      + (isPiped ? "Pipe the same list into" : "Run")
      + " `\(context.commandLine(adding: descriptor))` again; it skips databases that are already done."
    guard notBegunCount > 0, !isInterrupted else { return failure }
    var changes = canaryCount == nil ? [] : ["omit --canary"]
    switch context.arguments.value(of: .maximumFailures) {
    case "0": break
    case let limit: changes.append("\(limit == nil ? "add" : "set") --max-failures 0 (no limit)")
    }
    failure.remedy? += " To continue despite failures, \(changes.joined(separator: " and "))."
    return failure
  }

  private func headline(isInterrupted: Bool) -> String {
    var clauses: [String] = []
    if isInterrupted {
      clauses.append(
        "interrupted" + (interruptedCount > 0 ? " while working on \(counted(interruptedCount, "database"))" : ""))
    }
    if failedCount > 0 {
      let example = sorted(failures).first?.examples.first?.oneLine ?? ""
      let clause =
        switch canaryCount {
        case nil: "\(failedCount) of \(counted(databaseCount, "database")) failed"
        case 1: "\(example), the canary, failed"
        case let count? where failedCount == 1: "\(example), among the \(count) canaries, failed"
        case let count?: "\(failedCount) of the \(count) canaries failed"
        }
      clauses.append(clause)
    }
    if notBegunCount > 0 {
      clauses.append("\(counted(notBegunCount, "database")) \(notBegunCount == 1 ? "was" : "were") not started")
    }
    return clauses.joined(separator: "; ")
  }

  private var notBegunCount: Int { databaseCount - begunCount }

  private func sorted(_ groups: [String: Group]) -> [Group] {
    groups.values.sorted { ($1.count, $0.cause) < ($0.count, $1.cause) }
  }

  /// Returns the versions in the order of the migrations, unknown ones last.
  private var sortedVersions: [Report.Version] {
    let places = Dictionary(migrations.enumerated().map { ($1, $0) }) { first, _ in first }
    let place = { (version: String) in version.isEmpty ? -1 : places[version] ?? .max }
    return versions.sorted { (place($0.key), $0.key) < (place($1.key), $1.key) }.map {
      Report.Version(migration: $0.key.isEmpty ? nil : $0.key, databases: $0.value)
    }
  }

  private var report: Report {
    Report(
      databases: databaseCount, succeeded: begunCount - failedCount - interruptedCount, failed: failedCount,
      interrupted: interruptedCount, notBegun: notBegunCount, outcomes: outcomes, versions: sortedVersions,
      missing: missingCount, unknown: unknownCount, failures: sorted(failures), warnings: sorted(warnings),
      losses: sorted(losses), token: token?.text, durationInSeconds: duration.roundedSeconds)
  }

  private struct Report: Encodable {
    struct Version: Encodable {
      /// The last applied migration; nil for databases without one.
      var migration: String?
      var databases: Int
    }

    var databases: Int
    var succeeded: Int
    var failed: Int
    var interrupted: Int
    var notBegun: Int
    var outcomes: [String: Int]
    var versions: [Version]
    /// The number of databases that do not exist.
    var missing: Int
    /// The number of databases whose version could not be read.
    var unknown: Int
    var failures: [Group]
    var warnings: [Group]
    var losses: [Group]
    var token: String?
    var durationInSeconds: Double
  }
}

extension ToolFailure {
  /// Returns the cause as text, and a key that is equal for databases that fail for the same cause.
  fileprivate func cause(leavingOut path: String) -> (text: String, key: String) {
    let what = migration.map { "migration \($0) failed" } ?? what.replacing(path, with: "the database")
    let why = why.first?.replacing(path, with: "the database")
    let text = [what, place?.description, why].compactMap(\.self).joined(separator: ": ")
    // Messages of the same cause differ in numbers, such as rowids.
    return (text, (migration ?? "") + String(text.filter { !$0.isNumber }))
  }

  /// Returns the failure with the database in its message.
  fileprivate func naming(_ path: String) -> ToolFailure {
    var failure = self
    let name = path.oneLine
    // The message about a migration contains numbers, and a database may have a number as its name.
    let isOfMigration = migration.map { what.hasPrefix("migration \($0)") } ?? false
    failure.what = isOfMigration || !what.contains(path) ? "\(name): \(what)" : what.replacing(path, with: name)
    return failure
  }
}
