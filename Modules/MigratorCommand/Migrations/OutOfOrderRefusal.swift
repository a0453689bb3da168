internal import SQLMigrations

/// That a pending migration comes before an applied one, which is refused unless somebody allows it.
struct OutOfOrderRefusal {
  private let states: MigrationStates
  private let late: [MigrationState]

  /// Looks for such migrations among those up to a target, or all.
  init(_ states: MigrationStates, upTo target: String?) {
    self.states = states
    let pending = Set(states.pending(upTo: target))
    late = states.list.filter { $0.isOutOfOrder && pending.contains($0.identifier) }
  }

  /// Whether there are any.
  var applies: Bool { !late.isEmpty }

  /// What the user reads.
  var failure: ToolFailure {
    let first = late.first?.identifier ?? "a migration"
    let applied = states.appliedAfter(first) ?? "a later one"
    var failure = ToolFailure.refused(
      "\(first) is pending, but \(applied), which comes after it, is applied",
      why: late.count > 1 ? ["the same is true of \(listed(late.dropFirst().map(\.identifier)))"] : [],
      remedy:
        "Nothing was changed. If the order between them does not matter, add --allow-out-of-order; else "
        + "\(Self.renaming(states)).")
    failure.migration = first
    return failure
  }

  /// How to make a file come after all that are applied.
  static func renaming(_ states: MigrationStates) -> String {
    guard let last = states.lastApplied, last.file != nil, MigrationVersion(prefixOf: last.identifier) == nil else {
      return "give the file a later number"
    }
    return "give the file a name that sorts after \(last.identifier) (\(MigrationNaming.unnumberedOrder))"
  }
}
