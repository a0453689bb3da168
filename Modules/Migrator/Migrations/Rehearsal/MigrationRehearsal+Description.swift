extension MigrationRehearsal: CustomStringConvertible {
  /// The plan and its outcome, as text with many lines.
  public var description: String {
    var lines = plan.lines
    guard !plan.isWithoutEffect else { return lines.joined(separator: "\n") }
    lines.append("")
    lines.append("Rehearsed on a copy of \(copy.text)\(plan.erasure == nil ? "" : ", erased"): \(outcome)")
    lines += section("Missing from the copy:", gaps.map(\.description))
    lines += section(
      "Destructive:", destructiveStatements.map { "\"\($0.migration)\" \($0.effect): \($0.sql.onOneLineOfSQL)" })
    lines += section("Schema:", schemaDifference?.lines ?? [])
    lines += section("Rows:", rowCounts.map(\.text))
    lines.append("Foreign keys: \(foreignKeys.text)")
    lines += section("Statements:", statementLines)
    return lines.joined(separator: "\n")
  }

  private var outcome: String {
    if let failure { return "FAILED\n\(failure)" }
    return applied.count == 1 ? "1 migration applied" : "\(applied.count) migrations applied"
  }

  private var statementLines: [String] {
    var lines: [String] = []
    var migration: String?
    for statement in statements {
      if statement.migration != migration { lines.append("\"\(statement.migration)\"") }
      migration = statement.migration
      lines.append(
        "  \(statement.sql.onOneLineOfSQL)" + (statement.runCount == 1 ? "" : "  (\(statement.runCount) times)"))
    }
    if omittedRunCount > 0 { lines.append("and \(omittedRunCount) more") }
    return lines
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [title] + lines.map { "  " + $0.indentedFurtherLines(by: 4) }
  }
}

extension RehearsalCopy {
  fileprivate var text: String {
    switch self {
    case .schemaOnly: "the schema without rows"
    case .rows(let limit): "the schema and at most \(limit.rowsText) of each table"
    case .allRows: "the schema and all rows"
    }
  }
}

extension MigrationRehearsal.RowCounts {
  fileprivate var text: String {
    let inCopy = "\(before.map(String.init) ?? "-") -> \(after.map(String.init) ?? "-")"
    let isPart = inDatabase != before
    return "\(table): \(inCopy)" + (isPart ? "  (\(inDatabase.map(String.init) ?? "none") in the database)" : "")
  }
}

extension MigrationRehearsal.ForeignKeyVerdict {
  fileprivate var text: String {
    switch self {
    case .notEnforced: "not enforced on this connection"
    case .passed(0): "no violation"
    case .passed(let old): "no new violation; \(old) existed before"
    case .violated(let violations): "\(violations.count) new \(violations.count == 1 ? "violation" : "violations")"
    case .undecided: "unknown"
    }
  }
}
