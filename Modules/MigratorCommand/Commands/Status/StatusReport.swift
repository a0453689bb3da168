internal import Migrator

struct StatusReport: Encodable {
  struct Entry: Encodable {
    var identifier: String
    /// Where it stands: applied, edited, merged, pending or unknown.
    var state: MigrationState.Kind
    var appliedAt: String?
    var durationInSeconds: Double?
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
