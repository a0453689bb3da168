internal import Migrator
internal import SQLMigrations

struct PlanText {
  private let report: PlanReport
  private let path: String
  private let output: Output
  private let style: Style

  init(_ report: PlanReport, _ path: String, _ output: Output) {
    self.report = report
    self.path = path
    self.output = output
    style = output.style
  }

  func print() {
    output.line(heading)
    guard report.refusals.isEmpty else { return }
    for (index, entry) in report.migrations.enumerated() { self.print(entry, number: index + 1) }
    guard !report.migrations.isEmpty else { return }
    output.line()
    if let copy = report.copy { printRehearsal(copy) }
    output.line("Nothing was changed.")
  }

  private func printRehearsal(_ copy: String) {
    let isWhole = report.rehearsed.count == report.migrations.count
    let outcome =
      isWhole ? style("\(counted(report.rehearsed.count, "migration")) applied", .good) : style("failed", .bad)
    output.line("Tried on a scratch copy with \(copy): \(outcome)")
    section("The copy lacks", report.gaps)
    section("Schema", report.schema?.lines(style: style) ?? [])
    // What a failing migration left half done says nothing of what would be.
    if isWhole { section("Rows", rowLines) }
  }

  private var heading: String {
    let place = "\(path) (\(report.exists ? "" : "new, ")\(report.engine))"
    let target = report.target.map { " up to \($0)" } ?? ""
    guard report.refusals.isEmpty else { return "\(place): migrate would be refused" }
    guard !report.migrations.isEmpty else {
      return
        "Nothing to do: \(path) has \(counted(report.appliedCount, "migration"))\(target), and none is pending"
    }
    let applied = report.appliedCount == 0 ? "" : "; \(report.appliedCount) applied already"
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
    return lines.isEmpty ? ["no table gains or loses a row"] : lines
  }

  private func section(_ title: String, _ lines: [String]) {
    guard !lines.isEmpty else { return }
    output.lines([style(title, .strong)] + lines.map { "  " + $0 })
  }
}
