internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension CommandContext {
  /// Runs a command on its database, or on each database of a fleet if the options select several.
  ///
  /// - Parameters:
  ///   - look: A closure that returns the token of the database in the context, for a command that needs it.
  ///   - command: A closure that returns the result for the database in the context.
  func onEachDatabase(
    looking look: FleetCommand.Work? = nil, _ command: @escaping FleetCommand.Work
  ) throws(ToolFailure) -> ExitCode {
    guard isFleet || OptionSpecification.fleet.contains(where: { arguments.typed.contains($0.name) }) else {
      let report = try command(self, MigrationSource(self))
      json(report.json, report.database)
      return report.exitCode
    }
    var fleet = try FleetCommand(self, command, looking: look ?? command)
    return try fleet.run()
  }
}

/// A run of migrations for a command, which reports progress, handles Ctrl-C, and explains errors to the user.
struct MigrationRunner {
  let context: CommandContext
  let source: MigrationSource
  /// The migration given with `--to`; nil to apply all migrations.
  let target: String?
  let seed: MigrationFile?
  let database: DatabaseTarget
  var preface: String?
  var bar: ProgressBar? { context.output.bar }

  /// Reads the options and the seed file.
  ///
  /// - Parameters:
  ///   - creates: Whether the command creates a missing database.
  ///   - database: The database; nil for the database on the command line.
  init(
    _ context: CommandContext, _ source: MigrationSource, creates: Bool, database: DatabaseTarget? = nil
  ) throws(ToolFailure) {
    self.context = context
    var source = source
    if context.arguments.contains(.oneTransaction) { source.migrator.commits = .allOrNothing }
    self.source = source
    target = try source.target(context)
    seed = try context.arguments.value(of: .seed).map { path throws(ToolFailure) in try context.readScript(path) }
    let mustExist = context.arguments.contains(.mustExist)
    self.database = if let database { database } else { try DatabaseTarget(context, creates: creates && !mustExist) }
    if mustExist {
      try self.database.requireExisting("Check the path, or omit --must-exist to create the database.")
    }
  }

  var failures: FailureReport {
    var report = context.failures(of: source, path: database.path)
    report.preface = preface
    report.reviewCommand = context.reviewCommand
    report.openDatabase = database.openForLooking
    return report
  }

  /// The confirmation of the run by the token of a plan.
  var confirmation: PlanConfirmation {
    PlanConfirmation(context: context, database: database, migrator: source.migrator, target: target)
  }

  /// Applies the pending migrations up to the target.
  func run(
    _ writer: any DatabaseWriter, _ reporter: RunReporter, reviewing: RowLossReview? = nil,
    confirming: ((Database) throws -> Void)? = nil
  ) throws(ToolFailure) {
    var broken = BrokenObjects()
    try watched(writer, reporter) {
      try writer.read { db in try broken.look(db) }
      try source.migrator.run(
        writer, upTo: target, mayErase: false, reportsProgress: bar != nil, reviewing: reviewing,
        events: reporter.handle, confirming: confirming)
      // The migrations are applied, whatever this look meets; `verify` reports it.
      try? writer.read { db in try broken.look(db) }
    }
    for text in broken.new() { reporter.warn(text, remedy: BrokenObjects.remedy) }
  }

  /// Runs a seed file in one transaction, unless the file disables the transaction.
  func seed(_ writer: any DatabaseWriter, _ file: MigrationFile) throws(ToolFailure) {
    bar?.begin(file.path, index: 1, count: 1, statementCount: file.statements.count)
    try watched(writer, nil) { try fill(writer, from: file) }
  }

  func fill(_ writer: any DatabaseWriter, from file: MigrationFile) throws {
    let run = { (db: Database) in
      try file.run(db, isInterrupted: { context.interrupt.hasArrived }, onStatement: { bar?.beginStatement($0) })
    }
    try writer.writeWithoutTransaction { db in
      guard file.runsInTransaction else { return try run(db) }
      let body = {
        try db.inTransaction(.immediate) {
          try run(db)
          try db.checkForeignKeysOfRows()
          return .commit
        }
      }
      try file.foreignKeyMode == .immediate ? body() : db.withoutForeignKeys(body)
    }
  }

  private func watched(
    _ writer: any DatabaseWriter, _ reporter: RunReporter?, _ body: () throws -> Void
  ) throws(ToolFailure) {
    defer { bar?.end() }
    do {
      try context.interruptible(writer, body)
    } catch {
      var report = failures
      report.current = reporter?.current
      report.applied = reporter?.applied.map(\.identifier) ?? []
      throw report.failure(error)
    }
  }
}

/// The objects that can no longer be used after migrations: SQLite accepts some definitions, and changes of tables, without a
/// look at them.
struct BrokenObjects {
  static let remedy = "Recreate it, or what it refers to, with a migration."

  private var looks: [[(object: SchemaObject, fault: ObjectProbe.Fault)]] = []

  /// Looks at the database, before the migrations and after them.
  mutating func look(_ db: Database) throws {
    let objects = try db.connection.schema().objects
    try looks.append(objects.isEmpty ? [] : ObjectProbe.faults(of: objects, db))
  }

  /// The objects that the second look has found and the first one has not, with the reasons; empty after one look.
  ///
  /// - Parameters:
  ///   - findings: Findings of `lint`, which may name an object already.
  ///   - gaps: The parts of the database that a copy lacks.
  func new(besides findings: [LintFinding] = [], gaps: [RehearsalGap] = []) -> [String] {
    guard looks.count == 2 else { return [] }
    let old = Set(looks[0].map(\.object.title))
    let known = findings.filter { $0.rule == .brokenObject }.map(\.reason)
    return looks[1].filter { look in
      !old.contains(look.object.title) && !known.contains { $0.contains(" \(look.object.title) ") }
        && !gaps.contains { $0.names(objectIn: look.fault.reason) }
    }.map { object, fault in
      "the \(object.kind.rawValue) \"\(object.name)\" \(object.kind == .table && !fault.isOfRows ? "refuses rows" : "cannot be used") after the "
        + "migrations: \(fault.reason)" + (fault.advice.map { ". \($0)" } ?? "")
    }
  }
}

/// An object that reports the progress of a run, and records the results.
final class RunReporter {
  struct Applied: Encodable, Sendable {
    var identifier: String
    var durationInSeconds: Double
  }

  private(set) var applied: [Applied] = []
  /// The migrations that another process applied in the meantime.
  private(set) var skipped: [String] = []
  private(set) var warnings: [String] = []
  private(set) var duration = Duration.zero
  /// The migration that is running; after a failed run, the migration that failed.
  private(set) var current: String?
  var summary: String { "Applied \(counted(applied.count, "migration")) in \(duration.shortText)." }

  private let output: Output
  private let source: MigrationSource
  private var width = 0
  /// The notes about files that were printed, without the places.
  private var notes: Set<String> = []

  init(_ output: Output, _ source: MigrationSource) { (self.output, self.source) = (output, source) }

  func handle(_ event: MigrationEvent) {
    output.bar?.show(event, of: source)
    switch event {
    case .copying, .erasing, .erased, .running: break
    case .planned(let identifiers):
      width = identifiers.map(\.oneLine.columns).max() ?? 0
    case .started(let identifier, _, _):
      current = identifier
      guard let file = source.file(identifier) else { break }
      output.detail("  \(file.path): \(counted(file.statements.count, "statement"))")
      // What is the same in many files is said once.
      let new = file.notices.filter { notes.insert($0.replacing(#/^.*?:[0-9]+: /#, with: "")).inserted }
      output.lines(new.map { output.style("  note: \($0)", .faint) })
    case .backedUp(let path, _, let duration):
      output.detail("  backup written to \(path) in \(duration.shortText)")
    case .committed(let identifier, _, _, let duration):
      current = nil
      applied.append(Applied(identifier: identifier, durationInSeconds: duration.roundedSeconds))
      let isEmpty = source.file(identifier)?.statements.isEmpty ?? false
      output.line(
        isEmpty
          ? line(identifier, "recorded only: the file contains no statements", .waiting)
          : line(identifier, duration.shortText, .good))
    case .skipped(let identifier, _, _):
      current = nil
      skipped.append(identifier)
      output.line(line(identifier, "already applied by another process", .faint))
    case .warning(let warning): warn(warning.description)
    case .progress(let identifier, let fraction, let elapsed):
      guard let fraction else { break }
      output.detail("  \(identifier): \(Int(fraction * 100)) % in \(elapsed.shortText)")
    case .checkedForeignKeys(let identifier, let duration):
      output.detail("  \(identifier): foreign keys checked in \(duration.shortText)")
    case .finished(_, let duration):
      self.duration = duration
    }
  }

  func warn(_ text: String, remedy: String? = nil) {
    warnings.append(text)
    output.warning(text, remedy: remedy)
  }

  private func line(_ identifier: String, _ note: String, _ role: Style.Role) -> String {
    let name = identifier.oneLine
    return "  " + output.style(name, role) + String(repeating: " ", count: max(0, width - name.columns)) + "  " + note
  }
}

extension ProgressBar {
  func show(_ event: MigrationEvent, of source: MigrationSource) {
    switch event {
    case .copying(let rowCount, let totalRowCount, _):
      show("copying", Int64(rowCount), of: Int64(totalRowCount), "rows")
    case .planned(let identifiers) where !identifiers.isEmpty:
      // The first migration starts when no other connection is writing, which may take a while.
      begin("waiting to write", index: 1, count: identifiers.count, statementCount: 0)
    case .started(let identifier, let index, let count):
      begin(identifier, index: index, count: count, statementCount: source.file(identifier)?.statements.count ?? 0)
    case .progress(_, let fraction?, _): show(fraction: fraction)
    case .running(_, let elapsed, _, let changedRowCount): show(changedRowCount: changedRowCount, after: elapsed)
    default: break
    }
  }
}
