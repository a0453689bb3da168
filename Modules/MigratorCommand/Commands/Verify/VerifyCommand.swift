internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  /// Checks a database.
  static let verify = ToolCommand(
    name: "verify",
    summary: "check pages, foreign keys, and the schema against the history",
    details: [
      "Checks that the file is whole (the engine's integrity check, and the cipher's where there is one), that no row refers to "
        + "one that does not exist, and that what the applied migrations make on an empty database is there as they make it.",
      "Reads every page, and writes nothing. Ends with 1 when a check fails.",
    ],
    examples: [
      Example("verify --database app.sqlite", "before a release, or after a crash"),
      Example("verify --database secret.db --key-file key --json", "an encrypted one, for a program"),
    ]
  ) { context throws(ToolFailure) in try VerifyCommand(context).run() }
}

/// `verify`.
struct VerifyCommand {
  /// How many findings of a check are told.
  private static let limit = 20

  private let context: CommandContext
  private let source: MigrationSource
  private let database: DatabaseTarget

  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    source = try MigrationSource(context)
    database = try DatabaseTarget(context, creates: false)
  }

  func run() throws(ToolFailure) -> ExitCode {
    try database.requireExisting("Check the path; there is nothing to verify.")
    let (engine, findings) = try look()
    let report = VerifyReport(database, engine: engine, checks: findings)
    print(report)
    context.output.json(report)
    return report.isSound ? .done : .checkFailed
  }

  private func look() throws(ToolFailure) -> (EngineDescription, [VerifyReport.Check]) {
    let queue = try database.openForReading()
    let bar = ProgressBar(context.output)
    defer { bar.end() }
    let checks = [Self.integrity] + database.backend.checks + [Self.foreignKeys, history]
    do {
      let findings = try context.interrupt.whileWatching(onArrival: { queue.interrupt() }) {
        try queue.read { db in
          try checks.enumerated().map { index, check in
            bar.begin("checking \(check.name)", index: index + 1, count: checks.count, statementCount: 0)
            return VerifyReport.Check(check.name, try outcome(of: check, db))
          }
        }
      }
      let engine = try queue.read { $0.engine }
      try queue.close()
      return (engine, findings)
    } catch {
      bar.end()
      throw MigrationErrorReport(source: source, context: context, path: database.path).failure(error)
    }
  }

  /// What an error says of the file is a finding; what it says of others is none.
  private func outcome(of check: ToolCheck, _ db: Database) throws -> ToolCheck.Outcome {
    do {
      return try check.check(db)
    } catch let error as DatabaseError where error.condition != .busy && error.condition != .interrupted {
      return .failed([ErrorReport.reason(error)])
    }
  }

  // MARK: Checks

  /// https://www.sqlite.org/pragma.html#pragma_integrity_check, which does not look for foreign keys.
  private static let integrity = ToolCheck(name: "integrity") { db in
    let rows = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(limit + 1))")
    return rows == ["ok"] ? .passed("tables and indexes are sound") : .failed(rows)
  }

  private static let foreignKeys = ToolCheck(name: "foreign keys") { db in
    do {
      try db.checkForeignKeys()
      return .passed("no row refers to one that does not exist")
    } catch let error as ForeignKeyViolationError {
      let rest = error.violationCount - error.places.count
      return .failed(error.places + (rest > 0 ? ["and \(rest) more"] : []))
    }
  }

  private var history: ToolCheck {
    ToolCheck(name: "history") { [source] db in
      let entries = try source.migrator.history(db)
      guard !entries.isEmpty else { return .skipped("no migration is applied") }
      do {
        let reasons = try source.migrator.schemaChanges(db)
        guard reasons.isEmpty else { return .failed(reasons.map(\.description)) }
        // What others made besides does not count.
        let makes = entries.count == 1 ? "makes is there as it makes it" : "make is there as they make it"
        return .passed("what \(counted(entries.count, "applied migration")) \(makes)")
      } catch MigrationError.replayFailed(let failure) {
        return .failed(["\(failure.identifier) does not run on an empty database any more: \(failure.underlying)"])
      } catch let error as MigrationError {
        return .failed([error.description])
      }
    }
  }

  // MARK: Words

  private func print(_ report: VerifyReport) {
    let output = context.output
    if output.isQuiet { output.finding(report.checks.failed.lines(style: output.style, limit: Self.limit)) }
    output.line("\(report.database) (\(report.engine))")
    output.line()
    output.lines(report.checks.lines(style: output.style, limit: Self.limit))
    output.line()
    output.line(
      report.isSound ? "All is well." : "\(counted(report.checks.failed.count, "check")) failed.")
  }
}

/// What `verify` says, as JSON.
struct VerifyReport: Encodable {
  /// What one check found.
  struct Check: Encodable {
    /// What was checked.
    var name: String
    /// ok, failed or skipped.
    var outcome: String
    /// What that means.
    var note: String
    /// What is wrong; empty unless it failed.
    var findings: [String]

    init(_ name: String, _ result: ToolCheck.Outcome) {
      self.name = name
      switch result {
      case .passed(let note): (outcome, self.note, findings) = ("ok", note, [])
      case .failed(let findings): (outcome, note, self.findings) = ("failed", "", findings)
      case .skipped(let note): (outcome, self.note, findings) = ("skipped", note, [])
      }
    }

    /// The colour of the outcome.
    var role: Style.Role { outcome == "ok" ? .good : outcome == "failed" ? .bad : .faint }
  }

  /// The version of this format.
  var format = 1
  /// The command.
  var command = "verify"
  /// The database's path.
  var database: String
  /// The backend's name.
  var backend: String
  /// The engine with its version.
  var engine: String
  /// Whether no check failed.
  var isSound: Bool
  /// The checks in their order.
  var checks: [Check]

  init(_ target: DatabaseTarget, engine: EngineDescription, checks: [Check]) {
    database = target.path
    backend = target.backend.name
    self.engine = "\(engine.name) \(engine.version)"
    self.checks = checks
    isSound = checks.allSatisfy(\.findings.isEmpty)
  }
}

extension [VerifyReport.Check] {
  /// Those that failed.
  var failed: [VerifyReport.Check] { filter { !$0.findings.isEmpty } }

  /// A line for each check, and below it what it found.
  ///
  /// - Parameter limit: How many findings of each are told.
  func lines(style: Style, limit: Int = .max) -> [String] {
    var table = TextTable()
    for check in self {
      table.add([
        .init(text: check.outcome, role: check.role), .init(text: check.name), .init(text: check.note, role: .faint),
      ])
    }
    return zip(table.lines(style: style), self).flatMap { line, check in
      [line] + check.findings.prefix(limit).map { "    " + $0.replacing("\n", with: "\n    ") }
        + (check.findings.count > limit ? ["    and more"] : [])
    }
  }
}
