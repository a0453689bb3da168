public import Migrator

/// Tests of an app's own migrations, by upgrading databases of every earlier version.
///
/// No test framework is needed; failures are errors that describe the problem.
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
  /// The configuration for opening databases.
  public let configuration: Configuration

  private let makeBackend: @Sendable () throws -> any DatabaseBackend

  /// Describes a test.
  ///
  /// - Parameters:
  ///   - migrator: The migrations under test.
  ///   - configuration: The configuration for opening databases.
  ///   - makeBackend: Returns a backend for a new, empty database on each call; an in-memory one is sufficient.
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
  ///   - version: The last migration to apply; nil for an empty database.
  ///   - older: The migrations that build it, if they are no longer those under test: old ones that were merged.
  ///   - seed: Fills the database with rows.
  /// - Throws: ``MigrationError``; any error of `seed`.
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
    // A database that fails to close is released with its queue.
    defer { try? queue.close() }
    try migrator.migrate(queue, upTo: version)
    return try queue.read { db in try db.schema() }
  }

  /// Upgrades a database of every version, including the empty one, to the last version, both at once and step by step.
  ///
  /// After each upgrade, the schema must match a fresh install, foreign keys must not be violated, and the file must be
  /// intact.
  ///
  /// - Parameters:
  ///   - seeds: The closures that fill the database at a version with rows, by the version's name; versions without a
  ///     seed contain only rows that the migrations inserted.
  ///   - check: Checks the rows after an upgrade; receives the version that the database was built at, nil for the
  ///     empty one.
  /// - Throws: ``UpgradeMatrixFailure`` with all failed upgrades. The rest of the matrix has also run.
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

/// An upgrade whose result differs from a fresh install.
public struct UpgradeFailure: Error, Sendable, Hashable {
  /// The version that the database was built at: its last migration; nil for an empty database.
  public var start: String?
  /// The version that it was upgraded to; nil for an empty database.
  public var end: String?
  /// The problems, each as a sentence without a period; at least one.
  public var reasons: [String]

  /// Creates a failure.
  public init(start: String?, end: String?, reasons: [String]) {
    self.start = start
    self.end = end
    self.reasons = reasons
  }
}

extension UpgradeFailure: CustomStringConvertible {
  /// The start and end versions, and all problems, one per line.
  public var description: String {
    func name(_ version: String?) -> String { version.map { "\"\($0)\"" } ?? "an empty database" }
    return "upgrading from \(name(start)) to \(name(end)):" + reasons.map { "\n- \($0)" }.joined()
  }
}

/// Upgrades whose results differ from a fresh install.
public struct UpgradeMatrixFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The upgrades that failed, from the oldest version on; at least one.
  public let failures: [UpgradeFailure]

  /// Each upgrade that failed, with its reasons.
  public var description: String {
    "\(failures.count) \(failures.count == 1 ? "upgrade" : "upgrades") failed\n"
      + failures.map(\.description).joined(separator: "\n")
  }
}
