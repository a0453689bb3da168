import Migrator
import TestEngines
import Testing

@Suite("The documentation's samples: connections that an app has opened")
struct OpenConnectionTests {
  @Test("an app's connection is migrated as the page shows")
  func samples() throws {
    let connection = try AppConnection(.sqlite)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    try OpenConnections.migrate(migrator, connection.pointer)
    migrator.registerMigration("b") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    try migrator.migrate(connection.borrowed())
    #expect(try migrator.hasCompletedMigrations(connection.borrowed()))
    let prepared = Lock(0)
    try OpenConnections.compare(migrator, connection.pointer) { _ in prepared.withLock { $0 += 1 } }
    #expect(prepared.value == 1)
  }
}
