import Migrator
import TestEngines

extension TestEngine {
  /// Returns a pool on a new database.
  func temporaryPool(_ configuration: Configuration = Configuration()) throws -> DatabasePool {
    try DatabasePool(temporaryBackend(), configuration: configuration)
  }

  /// Returns a pool on a new database with a maximum number of readers.
  func temporaryPool(readers: Int) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    return try temporaryPool(configuration)
  }
}

extension DatabaseReader {
  /// Returns the first value of a query, in a separate read.
  func number(_ sql: String) throws -> Int? { try read { db in try Int.fetchOne(db, sql: sql) } }
}
