import Migrator
import TestEngines
import Testing

/// Cells that no migrator wrote, and that would fill the memory of every program that only asks for the status.
@Suite("A ledger with huge cells")
struct LedgerSizeTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("v2") { db in try db.execute(sql: "CREATE TABLE b (x)") }
    return migrator
  }

  /// Returns a database whose ledger has a huge value in a column of the first entry.
  private func queue(_ engine: TestEngine, _ column: String, _ value: String) throws -> DatabaseQueue {
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue, upTo: "v1")
    try dbQueue.write { db in try db.execute(sql: "UPDATE migrator_history SET \(column) = \(value)") }
    return dbQueue
  }

  private static let columns = [
    "identifier", "position", "applied_at", "duration", "fingerprint", "checksum", "objects",
  ]

  @Test("a cell beyond the limit is an error with the reason", arguments: TestEngine.allCases, columns)
  func refused(engine: TestEngine, column: String) throws {
    let size = Ledger.longestCell + 1
    let values = ["zeroblob(\(size))", "'x' || hex(zeroblob(\(size / 2)))"]
    for value in TestTier.pick(values.suffix(1), full: values[...]) {
      let dbQueue = try queue(engine, column, value)
      try dbQueue.read { db throws in
        for use in [{ _ = try migrator.history(db) }, { _ = try migrator.plan(db) }] as [() throws -> Void] {
          let error = #expect(throws: MigrationError.self) { try use() }
          guard case .ledgerUnreadable("migrator_history", let underlying)? = error else {
            Issue.record("\(String(describing: error))")
            continue
          }
          #expect(underlying.condition == .tooBig && underlying.message.contains("longer than"), "\(underlying)")
        }
      }
      if column == "identifier" { #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) } }
      try dbQueue.read { db throws in #expect(try !db.tableExists("b")) }
    }
  }

  @Test("a huge cell of an unfinished migration is an error with the reason", arguments: TestEngine.allCases)
  func unfinished(engine: TestEngine) throws {
    for column in ["objects", "applied_at"] {
      let dbQueue = try queue(engine, column, "zeroblob(\(Ledger.longestCell + 1)), duration = NULL")
      let error = #expect(throws: MigrationError.self) {
        try dbQueue.read { db in _ = try migrator.history(db, withUnfinished: true) }
      }
      guard case .ledgerUnreadable(_, let underlying)? = error else {
        Issue.record("\(column): \(String(describing: error))")
        continue
      }
      #expect(underlying.condition == .tooBig, "\(underlying)")
    }
  }

  @Test("a cell of exactly the limit is read", arguments: TestEngine.allCases)
  func longest(engine: TestEngine) throws {
    let dbQueue = try queue(engine, "objects", "hex(zeroblob(\(Ledger.longestCell / 2)))")
    try dbQueue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["v1"])
      #expect(try migrator.history(db).count == 1)
    }
  }

  @Test("unknown entries are retained only up to a total size", arguments: TestEngine.allCases)
  func total(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue, upTo: "v1")
    let count = 40
    try dbQueue.write { db in
      for number in 1...count {
        try db.execute(
          sql: """
            INSERT INTO migrator_history (identifier, position, applied_at, duration, objects)
            VALUES ('unknown \(number)', \(number), '2026-01-01T00:00:00.000Z', 0.1, substr(hex(zeroblob(500000)), 1, 1000000))
            """)
      }
    }
    try dbQueue.read { db throws in
      let history = try migrator.history(db)
      #expect(history.contains { $0.identifier == "v1" })
      #expect(history.count < count)
      #expect(history.count + history.omittedCount == count + 1)
    }
  }

  @Test("a migrator does not write a cell that it could not read", arguments: TestEngine.allCases)
  func written(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var long = DatabaseMigrator()
    long.registerMigration(String(repeating: "x", count: Ledger.longestCell + 1)) { db in
      try db.execute(sql: "CREATE TABLE a (x)")
    }
    #expect(throws: (any Error).self) { try long.migrate(dbQueue) }
    try dbQueue.read { db throws in #expect(try !db.tableExists("a")) }
  }
}
