import Migrator
import TestEngines

extension WorkerTask {
  /// Runs the edited migrations of an app in development, which erases the database.
  static func erase(_ engine: TestEngine, _ path: String, named name: String) throws {
    guard let erasure = KilledErasure(rawValue: name) else { fail("unknown mode of erasure") }
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    try erasure.migrator(isEdited: true).migrate(dbQueue)
    try dbQueue.close()
  }

  /// Replaces a database by a backup.
  static func restore(_ engine: TestEngine, _ path: String, from backup: String) throws {
    try DatabaseQueue(engine.backend(path: path)).restore(backupAt: backup)
  }
}
