import Migrator
import SQLiteDialect
import SQLiteEngine
import TestEngines
import Testing

extension TestEngine {
  /// Opens a connection to a file, with the engine layer's own type.
  func connect(_ path: String, _ options: ConnectionOptions = ConnectionOptions()) throws -> EngineConnection {
    try #require(try backend(path: path).connect(options) as? EngineConnection)
  }

  /// Opens a connection to an in-memory database, with the engine layer's own type.
  func connectInMemory() throws -> EngineConnection {
    try #require(try inMemoryBackend.connect(ConnectionOptions()) as? EngineConnection)
  }
}

extension EngineConnection {
  /// Prepares one statement that must exist.
  func statement(_ sql: String) throws -> any DatabaseStatement {
    try #require(try prepare(sql, utf8Offset: 0).statement)
  }

  /// Returns whether the engine was built with a virtual table module; Debian's SQLCipher 3 has no FTS5.
  func hasModule(_ name: String) -> Bool {
    (try? execute("CREATE VIRTUAL TABLE temp.module_test USING \(name)(a, b, c); DROP TABLE module_test")) != nil
  }

  /// Returns all rows of a query as values.
  func rows(_ sql: String) throws -> [[DatabaseValue]] {
    let statement = try statement(sql)
    var rows: [[DatabaseValue]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { DatabaseValue(statement.value(at: $0)) })
    }
    return rows
  }
}
