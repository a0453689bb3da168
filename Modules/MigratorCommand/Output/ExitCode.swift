/// What the tool's exit code says.
package enum ExitCode: Int32, Sendable {
  /// Everything that was asked for is done.
  case done = 0
  /// A check failed, or something is pending under `--check`.
  case checkFailed = 1
  /// The command line, or the folder that it names, cannot be used. Nothing was changed.
  case usage = 2
  /// The database cannot be opened: missing, not a database, wrong key, no permission, locked.
  case cannotOpen = 3
  /// A migration failed and was rolled back.
  case migrationFailed = 4
  /// Refused for safety. Nothing was changed.
  case refused = 5
  /// Interrupted, and rolled back.
  case interrupted = 130
}
