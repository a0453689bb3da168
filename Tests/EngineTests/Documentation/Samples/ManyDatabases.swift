import Migrator
import SQLiteBackend

/// The samples of "Many databases".
enum ManyDatabases {
  static func migrate(_ migrator: DatabaseMigrator, _ paths: [String]) async throws -> DatabaseFleet {
    // sample
    let fleet = DatabaseFleet(paths.map { path in SQLite(path: path) })
    for try await outcome in migrator.migrate(fleet, concurrency: 8, maximumFailures: 10) {
      switch outcome.result {
      case .success(.applied(let migrations)): print(outcome.database.label, "applied", migrations)
      case .success(.skipped): break
      case .failure(let error): print(outcome.database.label, error)
      }
    }
    // end of sample
    return fleet
  }

  static func counts(_ migrator: DatabaseMigrator, _ fleet: DatabaseFleet) async throws -> [String: Int] {
    // sample
    var counts: [String: Int] = [:]
    for try await outcome in migrator.appliedMigrations(fleet) {
      let version = try outcome.result.get().last ?? "none"
      counts[version, default: 0] += 1
    }
    // end of sample
    return counts
  }
}
