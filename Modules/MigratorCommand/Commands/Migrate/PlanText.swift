internal import Migrator
internal import MigratorLint
internal import SQLMigrations

/// A plan as text: by default, one line per migration and all destructive changes; with `--verbose`, everything.
struct PlanText {
  let report: PlanReport
  let path: String
  let output: Output
  /// The command that applies the plan.
  let command: String
  let hasFailed: Bool
  private var style: Style { output.style }

  func print() {
    output.line(heading)
    guard report.refusals.isEmpty, !report.migrations.isEmpty else { return }
    if output.isVerbose { printEntries() } else { printShortEntries() }
    output.line()
    if let copy = report.copy { printRehearsal(copy) }
    let rest = output.isVerbose ? "" : " --verbose shows statements, schema and row counts."
    output.line("Nothing was changed." + rest)
    if report.token != nil { output.line("To apply exactly this: `\(command)`") }
  }

  private var heading: String {
    let place = "\(path.oneLine) (\(report.exists ? "" : "new, ")\(report.engine))"
    let target = report.target.map { " up to \($0)" } ?? ""
    guard report.refusals.isEmpty else { return "\(place): migrate would refuse to run" }
    guard !report.migrations.isEmpty else {
      return
        "Nothing to do: \(path.oneLine) has \(counted(report.appliedCount, "applied migration"))\(target), and none is pending"
    }
    let applied = report.appliedCount == 0 ? "" : "; \(report.appliedCount) already applied"
    return "\(place): \(counted(report.migrations.count, "migration")) would run\(target)\(applied)"
  }

  // MARK: Migrations

  private func printShortEntries() {
    var table = TextTable()
    for (index, entry) in report.migrations.enumerated() {
      let size = entry.statements.isEmpty ? [] : [counted(entry.statements.count, "statement")]
      table.add([
        .init(text: String(index + 1), isRightAligned: true), .init(text: entry.identifier, role: .strong),
        .init(text: (size + entry.remarks).joined(separator: "; "), role: .faint),
      ])
    }
    output.line()
    for (line, entry) in zip(table.lines(style: style), report.migrations) {
      output.line(line)
      printDestructions(of: entry)
    }
  }

  private func printEntries() {
    for (index, entry) in report.migrations.enumerated() {
      output.line()
      output.line("  \(index + 1)  " + style(entry.identifier.oneLine, .strong))
      let modes = entry.reasons + [entry.commits, entry.foreignKeys]
      output.line("     " + style(modes.joined(separator: "; "), .faint))
      printDestructions(of: entry)
      for statement in entry.statements {
        let count = statement.runCount > 1 ? style("  (\(statement.runCount) times)", .faint) : ""
        output.line("       " + statement.sql.onOneLineOfSQL.shortened(to: 2000).harmless() + count)
      }
    }
  }

  private func printDestructions(of entry: PlanReport.Entry) {
    for harm in entry.harms { output.line("     " + style("! \(harm.oneLine)", .bad)) }
  }

  // MARK: Effects

  private func printRehearsal(_ copy: String) {
    let isWhole = report.rehearsed.count == report.migrations.count
    let all = counted(report.migrations.count, "migration")
    let applied = isWhole ? all : "\(report.rehearsed.count) of \(all)"
    let outcome = hasFailed ? style("failed", .bad) : style("\(applied) applied", isWhole ? .good : .waiting)
    output.line("Ran on a scratch copy with \(copy): \(outcome)")
    section("The copy lacks", report.gaps)
    if let schema = report.schema, !schema.isEmpty {
      output.lines(
        output.isVerbose
          ? [style("Schema", .strong)] + schema.lines(style: style).map { "  " + $0 }
          : [style("Schema", .strong) + ": " + schema.summary] + schema.removedLines(style: style).map { "  " + $0 })
    }
    // The row counts of a half-done migration would be misleading.
    if isWhole { section("Rows", rowLines) }
  }

  private var rowLines: [String] {
    var table = TextTable()
    for rows in report.rows where rows.before != nil || rows.after != nil {
      let losesRows = rows.before ?? 0 > rows.after ?? 0
      guard losesRows || output.isVerbose else { continue }
      let isChanged = rows.before != rows.after
      let isPart = rows.before != rows.inDatabase
      table.add([
        .init(text: rows.table),
        .init(text: rows.before.map(String.init) ?? "none", isRightAligned: true), .init(text: "->"),
        .init(text: rows.after.map(String.init) ?? "none", role: isChanged ? .waiting : nil, isRightAligned: true),
        .init(text: isPart ? "of \(rows.inDatabase.map(String.init) ?? "none") in the database" : "", role: .faint),
      ])
    }
    return table.lines(style: style).map { String($0.dropFirst(2)) }
  }

  private func section(_ title: String, _ lines: [String]) {
    guard !lines.isEmpty else { return }
    output.lines([style(title, .strong)] + lines.map { "  " + $0 })
  }
}
