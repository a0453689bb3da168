internal import Migrator
internal import SQLMigrations

extension ToolCommand {
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
  ) { context throws(ToolFailure) in try VerifyCommand(runner: MigrationRunner(context, creates: false)).run() }
}

struct VerifyCommand {
  private static let limit = 20

  let runner: MigrationRunner
  private var database: DatabaseTarget { runner.database }

  func run() throws(ToolFailure) -> ExitCode {
    let context = runner.context
    try database.requireExisting("Check the path; there is nothing to verify.")
    let report = try report()
    report.print(heading: "\(database.path) (\(report.engine ?? ""))", on: context.output, limit: Self.limit)
    context.json(report, database)
    return report.isSound ? .done : .checkFailed
  }

  private func report() throws(ToolFailure) -> CheckReport {
    let queue = try database.openForReading()
    defer { runner.bar.end() }
    let checks = [Self.integrity] + database.backend.checks + [Self.foreignKeys, history]
    return try runner.failures.catching {
      let findings = try runner.context.interruptible(queue) {
        try queue.read { db in
          try checks.enumerated().map { index, check in
            runner.bar.begin("checking \(check.name)", index: index + 1, count: checks.count, statementCount: 0)
            return CheckReport.Entry(check.name, try outcome(of: check, db))
          }
        }
      }
      let engine = try queue.read { "\($0.engine.name) \($0.engine.version)" }
      try queue.close()
      return CheckReport(findings, engine: engine)
    }
  }

  /// Returns an error about the file itself as a finding; one about other connections is none.
  private func outcome(of check: ToolCheck, _ db: Database) throws -> ToolCheck.Outcome {
    do {
      return try check.check(db)
    } catch let error as DatabaseError where error.condition != .busy && error.condition != .interrupted {
      return .failed([error.reason])
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
    ToolCheck(name: "history") { [source = runner.source] db in
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
}
