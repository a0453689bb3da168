internal import SQLMigrations

/// That the file of an applied migration was renamed, so that it would run a second time.
struct RenamedRefusal {
  private let renamed: [(identifier: String, appliedAs: String)]

  /// Looks for such migrations among those up to a target, or all.
  init(_ states: MigrationStates, upTo target: String?) {
    let pending = Set(states.pending(upTo: target))
    renamed = states.renamed.filter { pending.contains($0.identifier) }
  }

  /// Whether there are any.
  var applies: Bool { !renamed.isEmpty }

  /// What is said of each.
  var reasons: [String] {
    renamed.map { "\($0.identifier) is pending, but has the text of \($0.appliedAs), which is applied" }
  }

  /// What the user reads; nil when there are none.
  func failure(toolName: String) -> ToolFailure? {
    guard let first = renamed.first, let reason = reasons.first else { return nil }
    let others = renamed.dropFirst().map { "\($0.identifier) has that of \($0.appliedAs)" }
    var failure = ToolFailure.refused(
      reason, why: others,
      remedy:
        "Nothing was changed. If the file was renamed, give it its old name back, or rebuild a development database "
        + "with `\(toolName) rebuild`. If it is meant to run as well, change its text, by a comment for one.")
    failure.migration = first.identifier
    return failure
  }
}
