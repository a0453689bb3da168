internal import Migrator
internal import SQLMigrations

/// Runs migrations for a command: with reports, with Ctrl-C, with errors in the user's terms.
struct MigrationRunner {
  /// The command line and where words go.
  let context: CommandContext
  /// The migrations.
  let source: MigrationSource
  /// The bar that the migrations' statements move.
  let bar: ProgressBar
  /// The database's path.
  var path = ""
  /// What happened to the database before; see ``FailureReport/preface``.
  var preface: String?

  /// Reads the migrations that the command line names.
  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    let bar = ProgressBar(context.output)
    self.bar = bar
    source = try MigrationSource(context, onStatement: { bar.beginStatement($0) })
  }

  /// The report of what fails.
  var failures: FailureReport {
    var report = context.failures(of: source, path: path)
    report.preface = preface
    return report
  }

  /// Applies what is pending, up to a migration or all.
  func run(_ writer: any DatabaseWriter, upTo target: String? = nil) throws(ToolFailure) -> RunReporter {
    let reporter = RunReporter(context.output, bar: bar, source: source)
    try watched(writer, reporter) {
      try source.migrator.run(
        writer, upTo: target, rebuilding: .never, reportsProgress: bar.isEnabled, events: reporter.handle)
    }
    return reporter
  }

  /// Runs a seed file: all of it in one transaction, unless it says otherwise, or nothing.
  func seed(_ writer: any DatabaseWriter, _ file: MigrationFile) throws(ToolFailure) {
    bar.begin(file.path, index: 1, count: 1, statementCount: file.statements.count)
    try watched(writer, nil) { try fill(writer, from: file) }
  }

  /// Runs a seed file without a report.
  func fill(_ writer: any DatabaseWriter, from file: MigrationFile) throws {
    let run = FileRun(
      file: file, isInterrupted: { [context] in context.interrupt.hasArrived },
      onStatement: { [bar] in bar.beginStatement($0) })
    try writer.writeWithoutTransaction { db in
      guard file.runsInTransaction else { return try run.run(db) }
      let body = {
        try db.inTransaction(.immediate) {
          try run.run(db)
          try db.checkForeignKeys()
          return .commit
        }
      }
      try file.foreignKeyMode == .immediate ? body() : db.withoutForeignKeys(body)
    }
  }

  private func watched(
    _ writer: any DatabaseWriter, _ reporter: RunReporter?, _ body: () throws -> Void
  ) throws(ToolFailure) {
    defer { bar.end() }
    do {
      try context.interruptible(writer, body)
    } catch {
      bar.end()
      var report = failures
      report.current = reporter?.current
      report.applied = reporter?.applied.map(\.identifier) ?? []
      throw report.failure(error)
    }
  }
}
