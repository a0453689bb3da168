internal import Migrator
internal import SQLMigrations

/// A command that runs on each database of a fleet.
struct FleetCommand {
  /// The outcome of the command on one database.
  struct Outcome: Sendable {
    let path: String
    let result: Result<DatabaseReport, ToolFailure>

    var failure: ToolFailure? {
      switch result {
      case .success(let report): report.failure
      case .failure(let failure): failure
      }
    }
  }

  private let context: CommandContext
  private let databases: FleetDatabases
  private let source: MigrationSource
  private let jobs: Int
  private let canaries: Int
  /// The number of failures after which no further database is attempted; nil for no limit.
  private let maximumFailures: Int?
  typealias Work = @Sendable (CommandContext, MigrationSource) throws(ToolFailure) -> DatabaseReport

  private let command: Work
  /// The work that only reads the token of a database.
  private let look: Work
  private let summary: Lock<FleetSummary>
  /// The tokens of the single databases by path, once the token of all was found to match; empty without one.
  private var tokens: [String: String] = [:]

  init(
    _ context: CommandContext, _ command: @escaping Work, looking look: @escaping Work
  ) throws(ToolFailure) {
    SystemCalls.shareHeap()
    var context = context
    let arguments = context.arguments
    let jobs = try arguments.number(.jobs) ?? SystemCalls.processorCount
    guard jobs > 0 else { throw .usage("--jobs cannot be \"0\"", remedy: "Give a number of at least 1.") }
    let canaries = try arguments.number(.canary) ?? 0
    let limit = try arguments.number(.maximumFailures) ?? (context.migrates ? 1 : 0)
    maximumFailures = limit == 0 ? nil : limit
    databases = try FleetDatabases(context)
    try context.requireUnguarded(databases.addresses)
    let databaseCount = databases.addresses.count
    self.jobs = min(jobs, max(1, databaseCount))
    self.canaries = context.migrates ? min(canaries, databaseCount) : 0
    // A file descriptor can be read only once.
    if let key = try KeySource(context.arguments) {
      let isRaw = context.arguments.contains(.rawKey)
      context.key = try KeyReader(environment: context.output.environment, isRaw: isRaw).key(from: key)
    }
    (self.context, self.command, self.look) = (context, command, look)
    // The bar shows the number of databases.
    let source = try MigrationSource(context, showsStatements: false)
    self.source = source
    _ = try source.target(context)
    summary = Lock(FleetSummary(migrations: source.migrator.migrations, databaseCount: databaseCount))
  }

  mutating func run() throws(ToolFailure) -> ExitCode {
    if context.migrates, context.requiresPlan || context.arguments.contains(.plan) { try confirm() }
    let start = ContinuousClock.now
    var rest = databases.addresses[...]
    while !rest.isEmpty {
      // A database in which nothing was pending does not show whether the migrations succeed.
      let missingCanaries = max(0, canaries - summary.withLock { $0.migratedCount })
      let part = missingCanaries > 0 ? rest.prefix(missingCanaries) : rest
      guard perform(part, maximumFailures: missingCanaries > 0 ? 1 : maximumFailures, command, report: report) else {
        if missingCanaries > 0 { summary.withLock { $0.canaryCount = canaries } }
        break
      }
      rest = rest.dropFirst(part.count)
    }
    context.output.bar?.end()
    var summary = summary.withLock { $0 }
    summary.duration = .now - start
    summary.print(on: context)
    guard let failure = summary.failure(context) else { return summary.exitCode }
    context.output.failure(failure.naming(nextIn: context.tool, context.arguments))
    return failure.exitCode
  }

  /// Runs work on databases; returns whether all were attempted.
  private func perform(
    _ addresses: ArraySlice<String>, maximumFailures: Int?, _ work: @escaping Work,
    report: @escaping @Sendable (Outcome) -> Void
  ) -> Bool {
    let run = FleetRun<String, Outcome>(concurrency: jobs, maximumFailures: maximumFailures) { outcome in
      outcome.failure.map { $0.isLocked ? .locked : .failed } ?? .succeeded
    } work: { [self] address, locked in
      let outcome = outcome(of: address, waits: locked != nil, work)
      return locked.map(outcome.adding) ?? outcome
    }
    let isComplete = context.interrupt.result {
      try await run.perform { add in
        for address in addresses { guard await add(address) else { return } }
      } report: { outcome in
        report(outcome)
      }
    }
    // The only error is cancellation, after which not all were begun.
    return (try? isComplete.get()) ?? false
  }

  /// Compares the state of all databases with the typed token, and keeps the token of each, which its run compares again.
  private mutating func confirm() throws(ToolFailure) {
    let found = Lock<[String: DatabaseReport]>([:])
    let failure = Lock<ToolFailure?>(nil)
    _ = perform(databases.addresses[...], maximumFailures: 1, look) { outcome in
      if case .success(let report) = outcome.result { found.withLock { $0[outcome.path] = report } }
      if let first = outcome.failure { failure.withLock { $0 = $0 ?? first } }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    let reports = found.withLock { $0 }
    guard reports.count == databases.addresses.count else {
      throw ToolFailure(exitCode: .interrupted, what: "interrupted", rolledBack: "nothing; no database was changed")
    }
    guard let typed = context.arguments.value(of: .plan) else {
      if reports.values.contains(where: \.isPending) { throw context.missingToken }
      return
    }
    do throws(MigrationError) {
      try PlanToken(of: reports.values.compactMap(\.token)).require(typed)
    } catch {
      throw context.tokenFailure(error)
    }
    tokens = reports.compactMapValues { $0.token?.text }
  }

  /// Runs a command on one database, without printing anything.
  private func outcome(
    of address: String, waits: Bool,
    _ command: (CommandContext, MigrationSource) throws(ToolFailure) -> DatabaseReport
  ) -> Outcome {
    var context = context
    context.output = context.output.silenced
    context.waitsForLocks = waits
    context.arguments.values[OptionSpecification.database.name] = [address]
    let path = databases.path(of: address)
    // A database without a token must not run unconfirmed.
    if context.arguments.contains(.plan) {
      context.arguments.values[OptionSpecification.plan.name] = [tokens[path] ?? ""]
    }
    if waits, !self.context.output.isQuiet {
      self.context.output.complain(
        "note: \(path.oneLine) was locked by another connection; trying again "
          + "(--lock-timeout SECONDS sets how long to wait)")
    }
    if let key = context.keyFile(of: path), FileSystem.exists(key) {
      context.arguments.values[OptionSpecification.keyFile.name] = [key]
      context.arguments.given.insert(OptionSpecification.keyFile.name)
    } else if context.arguments.contains(.keyFolder) {
      // The file decides whether the database is encrypted; these options concern the encrypted ones.
      for option in [.rawKey] + CipherOptions.specifications { context.arguments.remove(option) }
    }
    // The next step is about this database.
    var own = context.arguments
    for option in OptionSpecification.fleet { own.remove(option) }
    own.typed.subtract(OptionSpecification.fleet.map(\.name))
    own.typed.formUnion([OptionSpecification.database, .keyFile].map(\.name).filter { own.values[$0] != nil })
    do throws(ToolFailure) {
      var report = try command(context, source)
      report.failure = report.failure?.naming(nextIn: context.tool, own)
      return Outcome(path: path, result: .success(report))
    } catch {
      return Outcome(path: path, result: .failure(error.naming(nextIn: context.tool, own)))
    }
  }

  private func report(_ outcome: Outcome) {
    let (done, failed) = summary.withLock { summary in
      summary.add(outcome)
      return (summary.begunCount, summary.failedCount)
    }
    let total = databases.addresses.count
    // A narrow terminal shows only the beginning of the note.
    context.output.bar?.show(
      context.command, Int64(done), of: Int64(total), "",
      note: (failed > 0 ? "\(failed) failed, " : "") + "\(done) of \(counted(total, "database"))")
    print(outcome, on: context.output)
  }

  private func print(_ outcome: Outcome, on output: Output) {
    switch outcome.result {
    case .success(let report):
      let line = "\(outcome.path): \(report.failure?.what ?? report.outcome)".oneLine
      // The summary names the failures.
      if report.exitCode == .checkFailed, report.failure == nil { output.line(line) } else { output.detail(line) }
      output.json(
        report.json, of: context.command, database: outcome.path, backend: report.database.backend.name, isLine: true)
    case .failure(let failure):
      output.detail("\(outcome.path): \(failure.what)".oneLine)
      output.json(["error": failure], of: context.command, database: outcome.path, isLine: true)
    }
  }
}

extension CommandContext {
  /// Whether the command migrates databases, rather than only reading them.
  var migrates: Bool { command == "migrate" && !arguments.contains(.dryRun) }
}

extension ToolCommand {
  /// The paragraph of the help about many databases.
  static let fleetDetails =
    "With --databases or --databases-from, works on many databases and prints a summary. Exits with 4 when the command "
    + "fails for any of them, or with 1 when only checks fail. --json then prints a line for each database, and a last one with the summary."
}
