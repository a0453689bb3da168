public import Migrator

/// Tests of an app's own migrations: databases of every earlier version, upgraded.
///
/// No test framework is needed; failures are errors that say what is wrong.
///
/// ```swift
/// let test = UpgradeTest(migrator) { SQLite.inMemory }
/// try test.runMatrix(seeds: [
///   "Create authors": { db in try db.execute(sql: "INSERT INTO author (name) VALUES ('Ada')") }
/// ])
/// ```
public struct UpgradeTest: Sendable {
  /// The migrations under test.
  public let migrator: DatabaseMigrator
  /// How databases are opened.
  public let configuration: Configuration

  private let makeBackend: @Sendable () throws -> any DatabaseBackend

  /// Describes a test.
  ///
  /// - Parameters:
  ///   - migrator: The migrations under test.
  ///   - configuration: How databases are opened.
  ///   - makeBackend: Makes a backend for a new, empty database with each call; one in memory will do.
  public init(
    _ migrator: DatabaseMigrator, configuration: Configuration = Configuration(),
    makeBackend: @escaping @Sendable () throws -> any DatabaseBackend
  ) {
    self.migrator = migrator
    self.configuration = configuration
    self.makeBackend = makeBackend
  }

  /// Builds a database at a version.
  ///
  /// - Parameters:
  ///   - version: The last migration that it has; nil for an empty database.
  ///   - older: The migrations that build it, where they are not those under test any more: old ones that were merged.
  ///   - seed: Fills it with rows.
  /// - Throws: ``MigrationError``; what `seed` throws.
  public func database(
    at version: String?, of older: DatabaseMigrator? = nil, seed: (Database) throws -> Void = { _ in }
  ) throws -> UpgradeDatabase {
    let queue = try DatabaseQueue(makeBackend(), configuration: configuration)
    if let version { try (older ?? migrator).migrate(queue, upTo: version) }
    try queue.write { db in try seed(db) }
    return UpgradeDatabase(queue, at: version, test: self)
  }

  func freshSchema(upTo version: String) throws -> SchemaSnapshot {
    let queue = try DatabaseQueue(makeBackend(), configuration: configuration)
    // A database that cannot be closed in good order is released with its queue.
    defer { try? queue.close() }
    try migrator.migrate(queue, upTo: version)
    return try queue.read { db in try db.schema() }
  }

  /// Upgrades a database of every version, the empty one included, to the last version, at once and step by step.
  ///
  /// After each upgrade the schema must be that of a fresh install, no row may refer to nothing, and the file must be sound.
  ///
  /// - Parameters:
  ///   - seeds: What fills the database at a version with rows, by the version's name; versions without a seed hold only
  ///     what the migrations put there.
  ///   - check: Looks at what became of the rows; is told the version that the database was built at, nil for the empty
  ///     one.
  /// - Throws: ``UpgradeMatrixFailure`` with all upgrades that failed. The rest of the matrix has run, too.
  /// - Precondition: Each seed's version is a registered migration.
  public func runMatrix(
    seeds: [String: (Database) throws -> Void] = [:], check: (Database, _ start: String?) throws -> Void = { _, _ in }
  ) throws {
    let versions = migrator.migrations
    for version in seeds.keys {
      precondition(versions.contains(version), "There is a seed for \"\(version)\", which is not registered.")
    }
    guard let last = versions.last else { return }
    let fresh = try freshSchema(upTo: last)
    var failures: [UpgradeFailure] = []
    for start in [nil] + versions.map(Optional.some) {
      do {
        for isStepwise in [false, true] {
          let database = try database(at: start, seed: start.flatMap { seeds[$0] } ?? { _ in })
          defer { database.close() }
          try database.finish(isStepwise: isStepwise, fresh: fresh) { db in try check(db, start) }
        }
      } catch let failure as UpgradeFailure {
        failures.append(failure)
      } catch {
        failures.append(UpgradeFailure(start: start, end: last, reasons: ["\(error)"]))
      }
    }
    guard failures.isEmpty else { throw UpgradeMatrixFailure(failures: failures) }
  }
}

/// An upgrade that did not end as a fresh install does.
public struct UpgradeFailure: Error, Sendable, Hashable {
  /// The version that the database was built at: its last migration; nil for an empty database.
  public var start: String?
  /// The version that it was brought to; nil for an empty database.
  public var end: String?
  /// What is wrong, each as a sentence without a full stop; at least one.
  public var reasons: [String]

  /// Creates a failure.
  public init(start: String?, end: String?, reasons: [String]) {
    self.start = start
    self.end = end
    self.reasons = reasons
  }
}

extension UpgradeFailure: CustomStringConvertible {
  /// From where to where, and all that is wrong, a line each.
  public var description: String {
    func name(_ version: String?) -> String { version.map { "\"\($0)\"" } ?? "an empty database" }
    return "upgrading from \(name(start)) to \(name(end)):" + reasons.map { "\n- \($0)" }.joined()
  }
}

/// Upgrades that did not end as a fresh install does.
public struct UpgradeMatrixFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The upgrades that failed, from the oldest version on; at least one.
  public let failures: [UpgradeFailure]

  /// Each upgrade that failed, with its reasons.
  public var description: String {
    "\(failures.count) \(failures.count == 1 ? "upgrade" : "upgrades") failed\n"
      + failures.map(\.description).joined(separator: "\n")
  }
}
