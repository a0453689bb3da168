import Migrator
import TestEngines

extension TestEngine {
  /// A pool on a new database.
  func temporaryPool(_ configuration: Configuration = Configuration()) throws -> DatabasePool {
    try DatabasePool(temporaryBackend(), configuration: configuration)
  }

  /// A pool on a new database with so many readers at most.
  func temporaryPool(readers: Int) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    return try temporaryPool(configuration)
  }
}

extension DatabaseReader {
  /// The first value of a query, read for itself.
  func number(_ sql: String) throws -> Int? { try read { db in try Int.fetchOne(db, sql: sql) } }
}
