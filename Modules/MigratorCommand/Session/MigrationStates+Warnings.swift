internal import SQLMigrations

/// A remark on where the migrations stand, although nothing is wrong enough to stop.
struct StateWarning {
  /// What is the case.
  var what: String
  /// What can be done about it.
  var remedy: String
}

extension MigrationStates {
  /// The warnings about edited, unknown and empty migrations.
  ///
  /// - Parameter refusesGaps: Whether the command itself refuses gaps and renamed files, so that no warning is due.
  func warnings(toolName: String, refusesGaps: Bool) -> [StateWarning] {
    var all: [StateWarning] = []
    let edited = identifiers(.edited)
    if !edited.isEmpty {
      all.append(
        StateWarning(
          what:
            "\(listed(edited)) \(edited.count == 1 ? "was" : "were") edited after being applied; the database has what "
            + "the earlier text did",
          remedy: "Undo the edit and write a new migration for the change; a development database can be rebuilt with "
            + "`\(toolName) rebuild`."))
    }
    if !refusesGaps {
      all += renamed.map {
        StateWarning(
          what: Self.renaming($0),
          remedy:
            "`\(toolName) migrate` refuses it, as a file that was renamed: give it its old name back, or change its "
            + "text if it is meant to run as well.")
      }
    }
    let gone = gone
    if !gone.isEmpty {
      all.append(
        StateWarning(
          what: "\(listed(gone)) \(gone.count == 1 ? "is" : "are") applied, but not among the migrations",
          remedy:
            "The database was migrated by newer code, or a migration was renamed or removed: update your copy, or "
            + "bring the file back."))
    }
    let empty = list.filter(\.isLeftEmpty).map(\.identifier)
    if !empty.isEmpty {
      all.append(
        StateWarning(
          what:
            "\(listed(empty)) \(empty.count == 1 ? "holds" : "hold") no statement: applying records no more than "
            + "\(empty.count == 1 ? "its name" : "their names"), and what is written into the file afterwards is not run",
          remedy: "Write the migration first. If it is meant to be empty, say so in the file: "
            + "-- migrator: allow empty-migration REASON"))
    }
    guard !refusesGaps, let late = late.first else { return all }
    all.append(
      StateWarning(
        what:
          "\(late.identifier) is pending, although \(appliedAfter(late.identifier) ?? "a later one"), which comes "
          + "after it, is applied",
        remedy: "`\(toolName) migrate` refuses such a gap: \(laterName), or add --allow-out-of-order."))
    return all
  }

  /// The refusal to apply migrations that come before an applied one; nil when there are none up to the target.
  func outOfOrderRefusal(upTo target: String?) -> ToolFailure? {
    let pending = Set(pending(upTo: target))
    let late = list.filter { $0.isOutOfOrder && pending.contains($0.identifier) }.map(\.identifier)
    guard let first = late.first else { return nil }
    var failure = ToolFailure.refused(
      "\(first) is pending, but \(appliedAfter(first) ?? "a later one"), which comes after it, is applied",
      why: late.count > 1 ? ["the same is true of \(listed(Array(late.dropFirst())))"] : [],
      remedy:
        "Nothing was changed. If the order between them does not matter, add --allow-out-of-order; else \(laterName).")
    failure.migration = first
    return failure
  }

  /// The refusal to apply files of applied migrations that were renamed, so that they would run a second time; nil when
  /// there are none up to the target.
  func renamedRefusal(upTo target: String?, toolName: String) -> ToolFailure? {
    let renamed = renamed(upTo: target)
    guard let first = renamed.first else { return nil }
    var failure = ToolFailure.refused(
      Self.renaming(first), why: renamed.dropFirst().map { "\($0.identifier) has that of \($0.appliedAs)" },
      remedy:
        "Nothing was changed. If the file was renamed, give it its old name back, or rebuild a development database "
        + "with `\(toolName) rebuild`. If it is meant to run as well, change its text, by a comment for one.")
    failure.migration = first.identifier
    return failure
  }

  /// Each renamed migration up to a target, as a sentence.
  func renamings(upTo target: String?) -> [String] { renamed(upTo: target).map(Self.renaming) }

  private func renamed(upTo target: String?) -> [(identifier: String, appliedAs: String)] {
    let pending = Set(pending(upTo: target))
    return renamed.filter { pending.contains($0.identifier) }
  }

  private static func renaming(_ renamed: (identifier: String, appliedAs: String)) -> String {
    "\(renamed.identifier) is pending, but has the text of \(renamed.appliedAs), which is applied"
  }

  /// Why a number does not help after a file that has none.
  static let unnumberedOrder = "names without a number come after all numbered ones, in alphabetical order"

  /// How to make a file come after all that are applied.
  private var laterName: String {
    guard let last = lastApplied, last.path != nil, !MigrationName.hasNumber(last.identifier) else {
      return "give the file a later number"
    }
    return "give the file a name that sorts after \(last.identifier) (\(Self.unnumberedOrder))"
  }
}
