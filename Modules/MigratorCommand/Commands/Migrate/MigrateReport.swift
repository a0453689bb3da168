/// What `migrate` says, as JSON.
struct MigrateReport: Encodable {
  /// The version of this format.
  var format = 1
  /// The command.
  var command = "migrate"
  /// The database's path.
  var database: String
  /// The backend's name.
  var backend: String
  /// What was applied, in order.
  var applied: [RunReporter.Applied] = []
  /// What was noticed.
  var warnings: [String] = []
  /// How long it took.
  var durationInSeconds: Double = 0

  /// The report of a run.
  ///
  /// - Parameter reporter: Nil when nothing was pending.
  init(_ target: DatabaseTarget, reporter: RunReporter?, warnings: [String]) {
    database = target.path
    backend = target.backend.name
    applied = reporter?.applied ?? []
    self.warnings = warnings + (reporter?.warnings ?? [])
    durationInSeconds = reporter?.duration.roundedSeconds ?? 0
  }
}
