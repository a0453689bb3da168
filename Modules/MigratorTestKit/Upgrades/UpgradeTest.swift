public import Foundation
public import Migrator

/// A test of an app's own migrations that upgrades databases from every earlier version.
///
/// It works with any test framework: a failure is thrown as an error that describes the problem.
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
  /// The configuration with which databases are opened.
  public let configuration: Configuration

  private let makeBackend: @Sendable () throws -> any DatabaseBackend

  /// Describes a test of migrations.
  ///
  /// - Parameters:
  ///   - migrator: The migrations under test.
  ///   - configuration: The configuration with which databases are opened.
  ///   - makeBackend: Returns a backend for a new, empty database on each call; an in-memory database is sufficient.
  public init(
    _ migrator: DatabaseMigrator, configuration: Configuration = Configuration(),
    makeBackend: @escaping @Sendable () throws -> any DatabaseBackend
  ) {
    self.migrator = migrator
    self.configuration = configuration
    self.makeBackend = makeBackend
  }

  /// Creates a database and migrates it to a version.
  ///
  /// - Parameters:
  ///   - version: The last migration to apply; nil for an empty database.
  ///   - older: The migrations that create the database, if they differ from those under test because some were merged.
  ///   - seed: Inserts rows into the database.
  /// - Throws: ``MigrationError``, any error of `seed`, or ``UpgradeFailure`` if the database is not empty.
  public func database(
    at version: String?, of older: DatabaseMigrator? = nil, seed: (Database) throws -> Void = { _ in }
  ) throws -> UpgradeDatabase {
    let queue = try newQueue()
    if let version { try (older ?? migrator).migrate(queue, upTo: version) }
    try queue.write { db in try seed(db) }
    return UpgradeDatabase(queue, at: version, test: self)
  }

  private func newQueue() throws -> DatabaseQueue {
    let queue = try DatabaseQueue(makeBackend(), configuration: configuration)
    guard try queue.read({ db in try db.schema().objects.isEmpty }) else {
      let reason = "makeBackend returned a database that is not empty; each call must return another, new one"
      throw UpgradeFailure(start: nil, end: migrator.migrations.last, reasons: [reason])
    }
    return queue
  }

  func freshSchema(upTo version: String) throws -> SchemaSnapshot {
    let queue = try newQueue()
    // If closing fails, the connection is released together with its queue.
    defer { try? queue.close() }
    try migrator.migrate(queue, upTo: version)
    return try queue.read { db in try db.schema() }
  }

  /// Upgrades databases of every version, including an empty one, to the last version, both at once and step by step.
  ///
  /// After each upgrade, the schema must equal that of a fresh install, no foreign key may be violated, and the file
  /// must be intact.
  ///
  /// - Parameters:
  ///   - seeds: By the name of a version, the closure that inserts rows at that version; without a closure, a database
  ///     contains only the rows that the migrations inserted.
  ///   - check: Checks the rows after an upgrade; `start` is the version from which the database was upgraded, nil for
  ///     an empty database.
  /// - Throws: ``UpgradeMatrixFailure`` with all failed upgrades, after all upgrades have run.
  /// - Precondition: Each version in `seeds` is the name of a registered migration.
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

/// The error that describes an upgrade whose result differs from a fresh install.
public struct UpgradeFailure: LocalizedError, Sendable, Hashable {
  /// The version from which the database was upgraded: its last migration; nil for an empty database.
  public var start: String?
  /// The version to which the database was upgraded: its last migration; nil if there are no migrations.
  public var end: String?
  /// The problems, each as a sentence without a period; never empty.
  public var reasons: [String]

  /// Creates a failure.
  public init(start: String?, end: String?, reasons: [String]) {
    self.start = start
    self.end = end
    self.reasons = reasons
  }
}

extension UpgradeFailure: CustomStringConvertible {
  /// The start and end version, and all problems, each on a separate line.
  public var description: String {
    func name(_ version: String?) -> String { version.map { "\"\($0)\"" } ?? "an empty database" }
    return "upgrading from \(name(start)) to \(name(end)):" + reasons.map { "\n- \($0)" }.joined()
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// The error that describes all upgrades whose results differ from a fresh install.
public struct UpgradeMatrixFailure: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The upgrades that failed, in ascending order of their start version; never empty.
  public let failures: [UpgradeFailure]

  /// Each upgrade that failed, with its reasons.
  public var description: String {
    "\(failures.count) \(failures.count == 1 ? "upgrade" : "upgrades") failed\n"
      + failures.map(\.description).joined(separator: "\n")
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
