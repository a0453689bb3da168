import Migrator
import TestEngines

extension TestEngine {
  /// The path of a database that does not exist yet, in a folder of its own.
  func temporaryPath() throws -> String { try TemporaryFolder.forThisRun() + "/test.db" }

  /// A database that does not exist yet.
  func temporaryBackend() throws -> any DatabaseBackend { backend(path: try temporaryPath()) }

  /// A new database.
  func temporaryQueue(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    try DatabaseQueue(temporaryBackend(), configuration: configuration)
  }
}
