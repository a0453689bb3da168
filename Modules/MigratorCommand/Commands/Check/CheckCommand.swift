internal import Migrator
internal import MigratorLint
internal import SQLMigrations

extension ToolCommand {
  static let check = ToolCommand(
    name: "check",
    summary: "check the migrations in CI, before you ship them",
    details: [
      "Checks that all files can be read, that their order is unambiguous, that the schema file is up to date (--schema), that lint "
        + "finds nothing, and that every upgrade path ends in the same schema and rows: for each migration, an empty database is "
        + "migrated up to that one, and then to the end. With --database, also checks that the applied migrations are unedited, "
        + "known, and without gaps.",
      "Works in memory and writes nothing. Exits with 1 when a check fails, and lists every failure. --format sarif prints "
        + "the failures as SARIF 2.1.0, --format github as annotations of a GitHub workflow.",
    ],
    examples: [
      Example("check --schema schema.sql", "in CI, on every commit"),
      Example("check --database copy.sqlite", "against a copy of the production database"),
      Example("check --json", "for a program"),
    ],
    options: [.schemaFile, .since, .function, .findingFormat]
  ) { context throws(ToolFailure) in try CheckCommand(context: context).run() }
}

extension OptionSpecification {
  static let schemaFile = OptionSpecification(
    name: "schema", placeholder: "FILE", help: "a dump that must match the schema that the migrations create",
    completion: .file)
}

struct CheckCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let folder = context.tool.migrator == nil ? context.folderPath : nil
    let report = CheckReport(try checks(SchemaReader(context)), migrationsFolder: folder)
    let annotations = AnnotationReport(
      context: context, annotations: report.checks.flatMap(\.annotations),
      checks: CheckReport.rules, summary: report.summary)
    if try annotations.print() { return report.isSound ? .done : .checkFailed }
    report.print(
      heading: folder.map { "Migrations in \($0.oneLine)" } ?? "Migrations of \(context.toolName)", on: context.output)
    context.json(report)
    return report.isSound ? .done : .checkFailed
  }

  private func checks(_ reader: SchemaReader) throws(ToolFailure) -> [CheckReport.Entry] {
    let source: MigrationSource
    do {
      source = try MigrationSource(context)
    } catch {
      // A missing folder is a usage error; unreadable files in it are findings of this check.
      guard error.place?.line != nil || !error.parts.isEmpty else { throw error }
      let parts = error.parts.isEmpty ? [error] : error.parts
      var entry = CheckReport.Entry("files", .failed(parts.map(Self.line)))
      entry.annotations = parts.map { Annotation($0, rule: entry.rule) }
      return [entry]
    }
    let count = counted(source.migrator.migrations.count, "migration")
    let parts = source.folder?.files.compactMap(\.skippedPart) ?? []
    let skipped = (source.folder?.warnings ?? []).map { "\($0.what). \($0.remedy)" }
    let states = try states(source, reader.scratch.target)
    let linted = try lint(source, reader.scratch)
    var upgrades = UpgradePaths(context: context, source: source, scratch: reader.scratch)
    let paths = try upgrades.outcome()
    let file =
      if case .passed = paths {
        try schemaFile(reader, source)
      } else {
        ToolCheck.Outcome.skipped("the migrations do not run")
      }
    let next = states.map { _ in "`\(context.toolName) status` explains each migration, and names the next step." }
    var order = CheckReport.Entry("order", order(states, source.folder))
    var edited = CheckReport.Entry("edited files", edited(source, states, reader.scratch.target))
    if !order.findings.isEmpty { order.remedy = next } else if !edited.findings.isEmpty { edited.remedy = next }
    return [
      CheckReport.Entry(
        "files",
        skipped.isEmpty
          ? .passed(parts.isEmpty ? "\(count) can be read" : "\(count) can be read; \(listed(parts, limit: 3))")
          : .failed(skipped)),
      order, edited, linted, CheckReport.Entry("upgrade paths", paths), CheckReport.Entry("schema file", file),
    ].map { entry in
      var entry = entry.annotated(files: source.folder?.files ?? [])
      entry.remedy = entry.remedy.map(context.output.completed)
      return entry
    }
  }

  // MARK: Checks

  private func states(_ source: MigrationSource, _ target: DatabaseTarget?) throws(ToolFailure) -> MigrationStates? {
    guard let target, !target.file.isNew else { return nil }
    return try target.states(of: source).states
  }

  private func order(_ states: MigrationStates?, _ folder: MigrationFolder?) -> ToolCheck.Outcome {
    let copies = folder?.repetitions.map {
      MigrationState.Twin(identifier: $0.identifier, original: $0.original, isRenamed: false)
    }
    var findings = (states?.twins() ?? copies ?? []).map {
      "\($0)\($0.isRenamed ? ": it seems to be renamed" : ", which migrate refuses")"
    }
    if let recorded = states?.recorded(upTo: nil) { findings.append(recorded.description) }
    for state in states?.late ?? [] {
      let later = states?.appliedAfter(state.identifier) ?? "a later one"
      findings.append("\(state.identifier) has not been applied, but \(later), which comes after it, has")
    }
    findings += (states?.gone ?? []).map { "\($0) is applied, but is no longer among the migrations" }
    guard findings.isEmpty else { return .failed(findings) }
    return .passed(
      states == nil ? "the order is unambiguous" : "the order is unambiguous, and no migration was left out")
  }

  private func edited(
    _ source: MigrationSource, _ states: MigrationStates?, _ target: DatabaseTarget?
  ) -> ToolCheck.Outcome {
    guard let states else { return .skipped(target?.absence ?? "no database was given") }
    guard source.folder != nil else { return .skipped("the migrations are Swift code") }
    let edited = states.identifiers(.edited)
    guard edited.isEmpty else { return .failed(edited.map { "\($0) was changed after it was applied" }) }
    return .passed("\(counted(states.all(.applied).count, "applied file")) unchanged")
  }

  private func lint(_ source: MigrationSource, _ scratch: ScratchDatabase) throws(ToolFailure) -> CheckReport.Entry {
    guard let folder = source.folder else {
      return CheckReport.Entry("lint", .skipped("the migrations are Swift code"))
    }
    var report = try LintInspection(context: context, source: source, folder: folder, scratch: scratch).report()
    // Edited files are a separate check.
    report.findings.removeAll { $0.rule == .editedMigration }
    let allowed = report.allowed.isEmpty ? "" : ", \(report.allowed.count) allowed"
    var entry = CheckReport.Entry(
      "lint",
      report.findings.isEmpty
        ? .passed("no findings" + allowed)
        : .failed(report.findings.map { "\($0.place): \($0.rule.name): \($0.reason)" }))
    entry.annotations = (report.findings + report.allowed).map(Annotation.init)
    if !report.findings.isEmpty {
      entry.remedy = ["`\(context.toolName) lint` shows each finding with its remedy.", report.acceptance]
        .compactMap(\.self).joined(separator: " ")
    }
    return entry
  }

  private func schemaFile(
    _ reader: SchemaReader, _ source: MigrationSource
  ) throws(ToolFailure) -> ToolCheck.Outcome {
    guard let path = context.arguments.value(of: .schemaFile) else { return .skipped("--schema was not given") }
    let dump = "`\(context.toolName) dump --from migrations\(context.migrationsOption) --output \(path.shellWord)`"
    guard FileSystem.exists(path) else { return .failed(["there is no file \(path): create it with \(dump)"]) }
    let wanted = try reader.schema(of: source)
    let found: String
    do {
      found = try ScriptFile.text(at: path)
    } catch {
      let failure = FailureReport.problem(error, toolName: context.toolName)
      return .failed(["\(Self.line(failure)): \(failure.why.joined(separator: "; "))"])
    }
    guard found != SchemaDump.text(of: wanted.schema) else { return .passed("\(path) matches the migrations") }
    let difference = (try? reader.file(path)).map {
      SchemaDifferenceReport(SchemaDifference(from: $0.schema, to: wanted.schema))
    }
    if difference?.isEmpty ?? false { return .passed("\(path) creates the schema of the migrations") }
    // `dump` overwrites only files that it wrote itself, so advice to run it would not help.
    let remedy =
      found.isEmpty || SchemaDump.isDump(found)
      ? "\(path) is out of date: run \(dump)"
      : "\(path) was not written by `dump`, which does not overwrite it: name another file"
    // A file that cannot be read is out of date, too.
    return .failed([remedy] + (difference?.lines(style: Style(usesColor: false)) ?? []))
  }

  private static func line(_ failure: ToolFailure) -> String {
    [failure.place.map { "\($0)" }, failure.what].compactMap(\.self).joined(separator: ": ")
  }
}
