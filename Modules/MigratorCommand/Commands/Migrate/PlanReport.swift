internal import Migrator
internal import SQLMigrations

struct PlanReport: Encodable, Sendable {
  struct Entry: Encodable, Sendable {
    var identifier: String
    var file: String?
    var reasons: [String]
    var commits: String
    var foreignKeys: String
    /// The statements in the order of their first execution; empty when the migration did not run on the copy.
    var statements: [Statement]
    var destructive: [Destruction]
  }

  struct Statement: Encodable, Sendable {
    /// The SQL, without bound values.
    var sql: String
    var runCount: Int
  }

  struct Destruction: Encodable, Sendable {
    var sql: String
    var effect: String
  }

  struct Rows: Encodable, Sendable {
    var table: String
    /// The number of rows in the database; nil when the table does not exist, or its rows cannot be counted.
    var inDatabase: Int?
    var before: Int?
    var after: Int?
  }

  var exists: Bool
  var engine: String
  var target: String?
  var appliedCount: Int
  var wouldApply: [String]
  var migrations: [Entry]
  var refusals: [String]
  /// A description of the rows in the scratch copy; nil when nothing ran on a copy.
  var copy: String?
  var rehearsed: [String]
  /// The parts of the database that the copy lacks.
  var gaps: [String]
  var schema: SchemaDifferenceReport?
  var rows: [Rows]
  var warnings: [String]
  var error: ToolFailure?

  init(
    _ plan: MigrationPlan, _ rehearsal: MigrationRehearsal?, refusals: [String], engine: EngineDescription,
    exists: Bool, source: MigrationSource, warnings: [String], copy: String
  ) {
    self.copy = rehearsal == nil ? nil : copy
    rehearsed = rehearsal?.applied ?? []
    self.exists = exists
    self.engine = "\(engine.name) \(engine.version)"
    target = plan.target
    appliedCount = plan.applied.count
    wouldApply = refusals.isEmpty ? plan.entries.map(\.identifier) : []
    migrations = plan.entries.map { Self.entry($0, rehearsal, source) }
    self.refusals = refusals
    gaps = rehearsal?.gaps.map(\.description) ?? []
    schema = rehearsal?.schemaDifference.map(SchemaDifferenceReport.init)
    rows = (rehearsal?.rowCounts ?? []).map { counts in
      Rows(table: counts.table, inDatabase: counts.inDatabase, before: counts.before, after: counts.after)
    }
    rows.removeAll { $0.table == DevelopmentMark.tableName }
    self.warnings = warnings + (rehearsal?.warnings.map(\.description) ?? [])
  }

  private static func entry(
    _ entry: MigrationPlan.Entry, _ rehearsal: MigrationRehearsal?, _ source: MigrationSource
  ) -> Entry {
    Entry(
      identifier: entry.identifier, file: source.file(entry.identifier)?.path, reasons: entry.reasons.map(\.phrase),
      commits: entry.commits.phrase, foreignKeys: entry.foreignKeyChecks.phrase,
      statements: (rehearsal?.statements ?? []).filter { $0.migration == entry.identifier }.map {
        Statement(sql: $0.sql, runCount: $0.runCount)
      },
      destructive: (rehearsal?.destructiveStatements ?? []).filter { $0.migration == entry.identifier }.map {
        Destruction(sql: $0.sql, effect: $0.effect.description)
      })
  }
}

extension MigrationPlan.Reason {
  fileprivate var phrase: String {
    switch self {
    case .neverApplied: "never applied"
    case .outOfOrder(let later):
      "out of order: \(listed(later)), which \(later.count == 1 ? "comes" : "come") later, "
        + "\(later.count == 1 ? "is" : "are") applied"
    case .replaces(let applied): "replaces \(listed(applied))"
    case .unfinished: "started but not finished"
    case .erased: "applied again after the database is erased"
    }
  }
}

extension MigrationPlan.Commits {
  fileprivate var phrase: String {
    switch self {
    case .once: "one transaction"
    case .eachBatch: "a transaction for each batch"
    case .byItself: "no transaction"
    }
  }
}

extension MigrationPlan.ForeignKeyChecks {
  fileprivate var phrase: String {
    switch self {
    case .deferred: "foreign keys checked before the commit"
    case .deferredInWholeDatabase: "foreign keys of the whole database checked before the commit"
    case .immediate: "foreign keys enforced at each statement"
    case .none: "foreign keys not checked"
    case .notEnforced: "foreign keys not enforced"
    }
  }
}

struct PlanText {
  let report: PlanReport
  let path: String
  let output: Output
  private var style: Style { output.style }

  func print() {
    output.line(heading)
    guard report.refusals.isEmpty, !report.migrations.isEmpty else { return }
    for (index, entry) in report.migrations.enumerated() { self.print(entry, number: index + 1) }
    output.line()
    if let copy = report.copy { printRehearsal(copy) }
    output.line("Nothing was changed.")
  }

  private func printRehearsal(_ copy: String) {
    let isWhole = report.rehearsed.count == report.migrations.count
    let outcome =
      isWhole ? style("\(counted(report.rehearsed.count, "migration")) applied", .good) : style("failed", .bad)
    output.line("Ran on a scratch copy with \(copy): \(outcome)")
    section("The copy lacks", report.gaps)
    section("Schema", report.schema?.lines(style: style) ?? [])
    // After a failure, the row counts of a half-done migration would be misleading.
    if isWhole { section("Rows", rowLines) }
  }

  private var heading: String {
    let place = "\(path) (\(report.exists ? "" : "new, ")\(report.engine))"
    let target = report.target.map { " up to \($0)" } ?? ""
    guard report.refusals.isEmpty else { return "\(place): migrate would refuse to run" }
    guard !report.migrations.isEmpty else {
      return
        "Nothing to do: \(path) has \(counted(report.appliedCount, "applied migration"))\(target), and none is pending"
    }
    let applied = report.appliedCount == 0 ? "" : "; \(report.appliedCount) already applied"
    return "\(place): \(counted(report.migrations.count, "migration")) would run\(target)\(applied)"
  }

  private func print(_ entry: PlanReport.Entry, number: Int) {
    output.line()
    output.line("  \(number)  " + style(entry.identifier.oneLine, .strong))
    output.line("     " + style((entry.reasons + [entry.commits, entry.foreignKeys]).joined(separator: "; "), .faint))
    for destruction in entry.destructive { output.line("     " + style("! \(destruction.effect.oneLine)", .bad)) }
    let limit = output.isVerbose ? Int.max : 20
    for statement in entry.statements.prefix(limit) { output.line("       " + self.line(statement)) }
    let rest = entry.statements.count - limit
    if rest > 0 { output.line(style("       and \(counted(rest, "more statement")); --verbose shows all", .faint)) }
  }

  private func line(_ statement: PlanReport.Statement) -> String {
    let text = statement.sql.onOneLineOfSQL.harmless()
    let size = max(20, output.environment.width - 12)
    let isCut = !output.isVerbose && output.environment.isOutputTerminal && text.columns > size
    let shown = isCut ? text.prefix(columns: size - 3) + "..." : text[...]
    return shown + (statement.runCount > 1 ? style("  (\(statement.runCount) times)", .faint) : "")
  }

  private var rowLines: [String] {
    var table = TextTable()
    for rows in report.rows where rows.before != nil || rows.after != nil {
      let isChanged = rows.before != rows.after
      guard isChanged || output.isVerbose else { continue }
      let isPart = rows.before != rows.inDatabase
      table.add([
        .init(text: rows.table),
        .init(text: rows.before.map(String.init) ?? "none", isRightAligned: true), .init(text: "->"),
        .init(text: rows.after.map(String.init) ?? "none", role: isChanged ? .waiting : nil, isRightAligned: true),
        .init(text: isPart ? "of \(rows.inDatabase.map(String.init) ?? "none") in the database" : "", role: .faint),
      ])
    }
    let lines = table.lines(style: style).map { String($0.dropFirst(2)) }
    return lines.isEmpty ? ["no table gains or loses rows"] : lines
  }

  private func section(_ title: String, _ lines: [String]) {
    guard !lines.isEmpty else { return }
    output.lines([style(title, .strong)] + lines.map { "  " + $0 })
  }
}
