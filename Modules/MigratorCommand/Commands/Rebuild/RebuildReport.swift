/// The JSON of `rebuild` and `watch`.
struct RebuildReport: Encodable {
  var isRebuilt = false
  /// Why it had to be; empty when it did not, or because of `--force`.
  var reasons: [String] = []
  var lost: [DatabaseContents.Table] = []
  /// The previous file; nil when there was nothing to keep.
  var backup: String?
  var applied: [RunReporter.Applied] = []
  var seed: String?
  /// What became of the rows of each table; nil unless they were to be kept.
  var kept: [KeptRows.Outcome]?
  /// What the rebuild changed in the schema; nil outside of `watch`.
  var schema: SchemaDifferenceReport?
  var warnings: [String] = []
  /// How long the migrations took.
  var durationInSeconds: Double = 0
}

/// The state that one rebuild under `watch` leaves for the next.
final class RebuildSession {
  /// The database, whose key is asked for once.
  let database: DatabaseTarget
  /// Whether the user has agreed that the database is erased at each save.
  var isPermitted = false
  /// Whether the database is rebuilt although no migration changed: the seed did, or the last try failed half-way.
  var forces = false
  /// The rows that the migrations and the seed made in each table the last time; nil while that is unknown.
  var made: TableDigests?

  /// Begins a session.
  init(database: DatabaseTarget) { self.database = database }
}
