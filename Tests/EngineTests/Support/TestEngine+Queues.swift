import Migrator
import TestEngines

extension TestEngine {
  /// Returns the path of a database that does not exist yet, in a separate folder.
  func temporaryPath() throws -> String { try TemporaryFolder.forThisRun() + "/test.db" }

  /// Returns a backend for a database that does not exist yet.
  func temporaryBackend() throws -> any DatabaseBackend { backend(path: try temporaryPath()) }

  /// Returns a queue on a new database.
  func temporaryQueue(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    try DatabaseQueue(temporaryBackend(), configuration: configuration)
  }
}
