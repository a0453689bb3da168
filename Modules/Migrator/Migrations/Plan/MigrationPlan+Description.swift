extension MigrationPlan: CustomStringConvertible {
  /// The plan as text with several lines.
  public var description: String { lines.joined(separator: "\n") }

  var lines: [String] {
    var lines = [headline]
    for refusal in refusals { lines.append("Refused: \(refusal)") }
    if let erasure { lines += erasure.lines }
    if !adopted.isEmpty { lines.append("The history of another tool would be adopted: \(adopted.quotedList)") }
    for entry in entries { lines += entry.lines(of: entries.count, showsGroup: groupCount < entries.count) }
    if !unknown.isEmpty { lines.append("Unknown migrations in the ledger: \(unknown.quotedList)") }
    return lines
  }

  private var headline: String {
    let upTo = target.map { " up to \"\($0)\"" } ?? ""
    guard refusals.isEmpty else { return "Nothing would be done\(upTo): the run would be refused." }
    let erased = erasure == nil ? "" : "The database would be ERASED, then "
    guard !entries.isEmpty else {
      return erased.isEmpty ? "No migration is pending\(upTo)." : "\(erased)no migration would run\(upTo)."
    }
    let count = entries.count == 1 ? "1 migration" : "\(entries.count) migrations"
    return "\(erased)\(count) would run\(upTo)\(erased.isEmpty ? "; \(applied.count) already applied." : ".")"
  }
}

extension MigrationPlan.Erasure {
  fileprivate var lines: [String] {
    var lines = ["The database would be erased because"]
    for reason in reasons { lines.append("  - \(reason.description.indentedFurtherLines(by: 4))") }
    lines.append(losses.isEmpty ? "No table would be lost." : "These tables would be lost with their rows:")
    for loss in losses {
      lines.append("  - table \"\(loss.table)\": \(loss.count.map(\.rowsText) ?? "an unknown number of rows")")
    }
    return lines
  }
}

extension MigrationPlan.Entry {
  fileprivate func lines(of count: Int, showsGroup: Bool) -> [String] {
    let shared = showsGroup ? ", in commit \(group)" : ""
    return [
      "  \(index) of \(count)  \"\(identifier)\": \(reasons.map(\.phrase).joined(separator: "; "))",
      "    \(commits.phrase)\(shared); \(foreignKeyChecks.phrase)",
    ]
  }
}

extension MigrationPlan.Reason {
  /// The reason as a phrase.
  package var phrase: String {
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
  /// The way in which the migration is committed, as a phrase.
  package var phrase: String {
    switch self {
    case .once: "one transaction"
    case .eachBatch: "a transaction for each batch"
    case .byItself: "no transaction"
    }
  }
}

extension MigrationPlan.ForeignKeyChecks {
  /// The time at which foreign keys are checked, as a phrase.
  package var phrase: String {
    switch self {
    case .deferred: "foreign keys checked before the commit"
    case .deferredInWholeDatabase: "foreign keys of the whole database checked before the commit"
    case .immediate: "foreign keys enforced at each statement"
    case .none: "foreign keys not checked"
    case .notEnforced: "foreign keys not enforced"
    }
  }
}
