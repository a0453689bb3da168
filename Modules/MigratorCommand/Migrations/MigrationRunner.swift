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
  let path: String
  /// What happened to the database before; see ``MigrationErrorReport/preface``.
  var preface: String?

  /// Reads the migrations that the command line names.
  init(_ context: CommandContext) throws(ToolFailure) {
    let bar = ProgressBar(context.output)
    self.init(
      context: context, source: try MigrationSource(context, onStatement: { bar.beginStatement($0) }), bar: bar,
      path: "")
  }

  private init(context: CommandContext, source: MigrationSource, bar: ProgressBar, path: String) {
    self.context = context
    self.source = source
    self.bar = bar
    self.path = path
  }

  /// The same migrations for a database.
  func at(_ path: String) -> MigrationRunner {
    MigrationRunner(context: context, source: source, bar: bar, path: path)
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
    let run = { (db: Database) in
      try file.run(db, isInterrupted: { context.interrupt.hasArrived }, onStatement: { bar.beginStatement($0) })
    }
    try writer.writeWithoutTransaction { db in
      guard file.runsInTransaction else { return try run(db) }
      let body = {
        try db.inTransaction(.immediate) {
          try run(db)
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
      try context.interrupt.whileWatching(onArrival: { writer.interrupt() }, body)
    } catch {
      bar.end()
      throw MigrationErrorReport(
        source: source, context: context, path: path, current: reporter?.current,
        applied: reporter?.applied.map(\.identifier) ?? [], preface: preface
      ).failure(error)
    }
  }
}
