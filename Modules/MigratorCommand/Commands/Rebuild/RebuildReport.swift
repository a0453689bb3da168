/// What `rebuild` says, as JSON.
struct RebuildReport: Encodable {
  /// The version of this format.
  var format = 1
  /// The command.
  var command = "rebuild"
  /// The database's path.
  var database: String
  /// The backend's name.
  var backend: String
  /// Whether the database was erased.
  var isRebuilt = false
  /// Why it had to be; empty when it did not, or because of `--force`.
  var reasons: [String] = []
  /// What was lost.
  var lost: [DatabaseContents.Table] = []
  /// The previous file; nil when there was nothing to keep.
  var backup: String?
  /// What was applied, in order.
  var applied: [RunReporter.Applied] = []
  /// The seed file that was run.
  var seed: String?
  /// What became of the rows of each table; nil unless they were to be kept.
  var kept: [RowKeeping.Outcome]?
  /// What the rebuild changed in the schema; nil outside of `watch`.
  var schema: SchemaDifferenceReport?
  /// What was noticed.
  var warnings: [String] = []
  /// How long the migrations took.
  var durationInSeconds: Double = 0

  init(_ target: DatabaseTarget) {
    database = target.path
    backend = target.backend.name
  }
}
