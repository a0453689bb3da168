/// What the tool's exit code says.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// Everything that was asked for is done.
  case done = 0
  /// A check failed, or something is pending under `--check`.
  case checkFailed = 1
  /// The command line, or a folder or an output that it names, cannot be used.
  case usage = 2
  /// The database cannot be opened: missing, not a database, wrong key, no permission, locked.
  case cannotOpen = 3
  /// A migration failed and was rolled back.
  case migrationFailed = 4
  /// Refused for safety. Nothing was changed.
  case refused = 5
  /// Interrupted, and rolled back.
  case interrupted = 130

  /// What the code says, for the help.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .checkFailed: "a check failed, or something is pending under --check"
    case .usage: "wrong usage, or the report cannot be written"
    case .cannotOpen: "the database cannot be opened: missing, not a database, wrong key, no permission, locked"
    case .migrationFailed: "a migration failed and was rolled back"
    case .refused: "refused for safety"
    case .interrupted: "interrupted, and rolled back"
    }
  }
}
