internal import SQLMigrations

/// What the user should know about where the migrations stand, although nothing is wrong enough to stop.
struct StateWarnings {
  /// One warning.
  struct Warning {
    /// What is the case.
    var what: String
    /// What can be done about it.
    var remedy: String
  }

  /// The warnings.
  private(set) var all: [Warning] = []

  /// Looks for edited, unknown and empty migrations.
  ///
  /// - Parameter takesOutOfOrder: Whether gaps and renamed files are told of otherwise, as what the command refuses.
  init(_ states: MigrationStates, toolName: String, takesOutOfOrder: Bool) {
    let edited = states.identifiers(.edited)
    if !edited.isEmpty {
      all.append(
        Warning(
          what:
            "\(listed(edited)) \(edited.count == 1 ? "was" : "were") edited after being applied; the database has what "
            + "the earlier text did",
          remedy: "Undo the edit and write a new migration for the change; a development database can be rebuilt with "
            + "`\(toolName) rebuild`."))
    }
    for (identifier, appliedAs) in states.renamed where !takesOutOfOrder {
      all.append(
        Warning(
          what: "\(identifier) is pending, but has the text of \(appliedAs), which is applied",
          remedy:
            "`\(toolName) migrate` refuses it, as a file that was renamed: give it its old name back, or change its "
            + "text if it is meant to run as well."))
    }
    let unknown = states.gone
    if !unknown.isEmpty {
      all.append(
        Warning(
          what: "\(listed(unknown)) \(unknown.count == 1 ? "is" : "are") applied, but not among the migrations",
          remedy:
            "The database was migrated by newer code, or a migration was renamed or removed: update your copy, or "
            + "bring the file back."))
    }
    let empty: [String] = states.list.lazy.filter(\.isLeftEmpty).map(\.identifier)
    if !empty.isEmpty {
      all.append(
        Warning(
          what:
            "\(listed(empty)) \(empty.count == 1 ? "holds" : "hold") no statement: applying records no more than "
            + "\(empty.count == 1 ? "its name" : "their names"), and what is written into the file afterwards is not run",
          remedy: "Write the migration first. If it is meant to be empty, say so in the file: "
            + "-- migrator: allow empty-migration REASON"))
    }
    guard !takesOutOfOrder, let late = states.late.first else { return }
    all.append(
      Warning(
        what:
          "\(late.identifier) is pending, although \(states.appliedAfter(late.identifier) ?? "a later one"), which comes "
          + "after it, is applied",
        remedy:
          "`\(toolName) migrate` refuses such a gap: \(OutOfOrderRefusal.renaming(states)), or add "
          + "--allow-out-of-order."))
  }
}
