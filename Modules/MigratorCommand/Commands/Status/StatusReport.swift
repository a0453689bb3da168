internal import Migrator

/// The JSON of `status`.
struct StatusReport: Encodable {
  /// One migration.
  struct Entry: Encodable {
    /// The identifier.
    var identifier: String
    /// Where it stands: applied, edited, merged, pending or unknown.
    var state: MigrationState.Kind
    /// When it was applied, UTC.
    var appliedAt: String?
    /// How long it took.
    var durationInSeconds: Double?
    /// The file's path.
    var file: String?
    /// Whether it is pending although a later one is applied.
    var isOutOfOrder: Bool?
    /// Whether it is pending although it has begun: it did not end, or runs at this moment.
    var hasBegun: Bool?
  }

  /// Whether the database exists; an empty file is none yet.
  var exists: Bool
  /// The engine with its version; nil when the database does not exist.
  var engine: String?
  /// The folder of SQL files.
  var migrationsFolder: String?
  /// The migrations in their order, unknown ones last.
  var migrations: [Entry]
  /// How many migrations stand where; states without a migration are left out.
  var counts: [String: Int]

  init(_ states: MigrationStates, engine: String?, folder: String?) {
    exists = engine != nil
    self.engine = engine
    migrationsFolder = folder
    migrations = states.list.map { state in
      Entry(
        identifier: state.identifier, state: state.kind, appliedAt: state.entry?.appliedAt,
        durationInSeconds: state.entry?.duration?.roundedSeconds, file: state.path,
        isOutOfOrder: state.kind == .pending ? state.isOutOfOrder : nil,
        hasBegun: state.kind == .pending ? state.hasBegun : nil)
    }
    counts = Dictionary(grouping: states.list, by: \.kind.rawValue).mapValues(\.count)
  }
}
