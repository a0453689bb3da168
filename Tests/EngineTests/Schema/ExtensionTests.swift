import Foundation
import Migrator
import SQLiteBackend
import TestEngines
import Testing

@Suite("Collations and functions of the application")
struct ExtensionTests {
  private struct Failed: Error, CustomStringConvertible {
    var description: String { "the function failed" }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.add(
        collation: DatabaseCollation("byLength") { one, other in
          one.count < other.count ? .orderedAscending : one.count == other.count ? .orderedSame : .orderedDescending
        })
      try db.add(
        function: DatabaseFunction("shout", argumentCount: 1, pure: true) { values in
          String.fromDatabaseValue(values[0])?.uppercased()
        })
      try db.add(function: DatabaseFunction("same") { values in values.first })
      try db.add(function: DatabaseFunction("failing") { _ in throw Failed() })
    }
    return configuration
  }

  @Test("a collation orders rows, and tables that use it can be changed and compared", arguments: TestEngine.allCases)
  func collation(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue(Self.configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in
      try db.execute(
        sql: """
          CREATE TABLE word (text TEXT COLLATE byLength, note TEXT);
          CREATE INDEX byShout ON word (shout(text));
          INSERT INTO word (text) VALUES ('three'), ('a'), ('été')
          """)
    }
    migrator.registerMigration("b") { db in
      try db.alter(table: "word") { t in
        t.rename(column: "note", to: "remark")
        t.change(column: "text") { c in c.notNull() }
      }
    }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in
      #expect(try String.fetchAll(db, sql: "SELECT text FROM word ORDER BY text") == ["a", "été", "three"])
      try db.reindex(collation: "byLength")
      try db.reindex(table: "word")
      try db.reindex(index: "byShout")
      #expect(try !migrator.hasSchemaChanges(db))
    }
    try dbQueue.close()
  }

  @Test("a function gets and returns values of each kind", arguments: TestEngine.allCases)
  func values(engine: TestEngine) throws {
    try engine.temporaryQueue(Self.configuration).read { db in
      for value: DatabaseValue in [
        .null, .integer(.min), .real(0.1), .text(""), .text("a\u{0}é"), .blob(Data()), .blob(Data([0, 255])),
      ] {
        let sql = "SELECT same(?), typeof(same(?)) = typeof(?)"
        let row = try Row.fetchOne(db, sql: sql, arguments: [value, value, value])
        #expect(row?.databaseValues == [value, .integer(1)])
      }
      #expect(try String.fetchOne(db, sql: "SELECT shout('été')") == "ÉTÉ")
      #expect(try DatabaseValue.fetchOne(db, sql: "SELECT same()") == .null)
    }
  }

  @Test("an error of a function fails its statement", arguments: TestEngine.allCases)
  func failure(engine: TestEngine) throws {
    try engine.temporaryQueue(Self.configuration).read { db in
      let error = #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT failing()") }
      #expect(error?.message == "the function failed")
      #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT shout(1, 2)") }
    }
  }

  @Test("what a connection has added is released when it closes", arguments: TestEngine.allCases)
  func released(engine: TestEngine) throws {
    final class Token: Sendable {}
    weak var released: Token?
    do {
      let token = Token()
      released = token
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        try db.add(function: DatabaseFunction("f") { [token] _ in withExtendedLifetime(token) { 1 } })
        try db.add(function: DatabaseFunction("f") { [token] _ in withExtendedLifetime(token) { 2 } })
        try db.add(collation: DatabaseCollation("c") { [token] _, _ in withExtendedLifetime(token) { .orderedSame } })
      }
      let dbQueue = try engine.temporaryQueue(configuration)
      #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT f()") } == 2)
      try dbQueue.close()
    }
    #expect(released == nil)
  }

  @Test("a borrowed connection gets none, and the error says who adds them", arguments: TestEngine.allCases)
  func borrowed(engine: TestEngine) throws {
    let connection = try AppConnection(engine)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.add(function: DatabaseFunction("f") { _ in 1 }) }
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(connection.borrowed()) }
    guard case .failed(let failure) = error else { return }
    #expect((failure.underlying as? DatabaseError)?.condition == .unsupported)
  }
}
