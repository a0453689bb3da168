internal import Migrator

/// Pending migrations that the histories of other tools record as applied, or may record.
struct RecordedMigrations: CustomStringConvertible {
  let histories: [FoundHistory]
  /// The migrations, in order; empty if the entries of the histories do not map to migrations clearly.
  let migrations: [String]

  private var tables: String { listed(histories.map(\.table)) }

  var description: String {
    guard let first = migrations.first else {
      return "another tool recorded migrations in \(tables), and it is unknown which of the pending ones are among them"
    }
    return migrations.count == 1
      ? "migration \(first) is pending, but another tool recorded it as applied in \(tables)"
      : "migrations \(listed(migrations)) are pending, but another tool recorded them as applied in \(tables)"
  }

  /// Returns the refusal to apply the migrations, since they would run a second time.
  func refusal(toolName: String) -> ToolFailure {
    .refused(
      description, why: ["running them a second time would fail, or change rows that they have changed already"],
      remedy: "Nothing was changed. " + remedy(toolName: toolName))
  }

  func remedy(toolName: String) -> String {
    let isOne = histories.count == 1
    let others =
      "If \(tables) \(isOne ? "is" : "are") not about these migrations, rename or drop "
      + "\(isOne ? "that table" : "these tables")."
    guard histories.allSatisfy(\.canBeAdopted) else {
      return "Record the migrations in a separate ledger: run `\(toolName) adopt --ledger NAME`, and give the same "
        + "option to the other commands. \(others)"
    }
    return "Import that history with `\(toolName) adopt`, or record the migrations without running them with "
      + "`\(toolName) baseline`. \(others)"
  }
}
