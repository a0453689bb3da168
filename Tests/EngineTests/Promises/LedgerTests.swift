import Migrator
import TestEngines
import Testing

@Suite("The ledger")
struct LedgerTests {
  private func migrator(_ second: String = "CREATE TABLE b (x); ALTER TABLE a ADD COLUMN y") -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("v2") { db in try db.execute(sql: second) }
    return migrator
  }

  private func entries(_ dbQueue: DatabaseQueue) throws -> [LedgerEntry] {
    try dbQueue.read { db in try migrator().history(db) }
  }

  @Test("an entry records identifier, position, time, duration, and objects", arguments: TestEngine.allCases)
  func entries(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator().migrate(dbQueue)
    let entries = try entries(dbQueue)
    #expect(entries.map(\.identifier) == ["v1", "v2"])
    #expect(entries.map(\.position) == [0, 1])
    #expect(entries.allSatisfy { $0.appliedAt.hasSuffix("Z") && $0.appliedAt.count == 24 })
    #expect(entries.allSatisfy { ($0.duration ?? .zero) > .zero })
    #expect(entries[1].objects.made.map(\.name).sorted() == ["a", "b"])
  }

  @Test(
    "the fingerprint covers the migrations' own objects, run at once or one by one", arguments: TestEngine.allCases)
  func fingerprint(engine: TestEngine) throws {
    let plain = try engine.temporaryQueue()
    try migrator().migrate(plain)
    let stepwise = try engine.temporaryQueue()
    try stepwise.write { db in try db.execute(sql: "CREATE TABLE theirs (x)") }
    try migrator().migrate(stepwise, upTo: "v1")
    try stepwise.write { db in try db.execute(sql: "CREATE TABLE more_of_theirs (x)") }
    try migrator().migrate(stepwise)
    #expect(try entries(plain).map(\.fingerprint) == entries(stepwise).map(\.fingerprint))

    let other = try engine.temporaryQueue()
    try migrator("CREATE TABLE b (z); ALTER TABLE a ADD COLUMN y").migrate(other)
    #expect(try entries(plain)[0].fingerprint == entries(other)[0].fingerprint)
    #expect(try entries(plain)[1].fingerprint != entries(other)[1].fingerprint)
  }

  @Test("a ledger that cannot be read is an error, and never counts as empty", arguments: TestEngine.allCases)
  func unreadable(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE migrator_history (something_else)") }
    for use in [
      { _ = try dbQueue.read { db in try migrator().appliedIdentifiers(db) } }, { try migrator().migrate(dbQueue) },
    ] as [() throws -> Void] {
      #expect {
        try use()
      } throws: { error in
        if case MigrationError.ledgerUnreadable(table: "migrator_history", _) = error { true } else { false }
      }
    }
    try dbQueue.read { db throws in #expect(try db.tableExists("a") == false) }
  }

  @Test(
    "a ledger of another layout is at fault, and not the migration", arguments: TestEngine.allCases,
    [
      "objects TEXT", "objects TEXT, cursor, extra TEXT NOT NULL", "objects TEXT, cursor CHECK (cursor IS NOT NULL)",
      "objects TEXT CHECK (objects = 'x'), cursor",
    ])
  func otherLayout(engine: TestEngine, rest: String) throws {
    let dbQueue = try engine.temporaryQueue()
    let layout =
      "sequence INTEGER PRIMARY KEY, identifier TEXT UNIQUE, position INTEGER, applied_at TEXT, duration REAL, fingerprint TEXT, "
      + "checksum TEXT, \(rest)"
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE migrator_history (\(layout))") }
    #expect {
      try migrator().migrate(dbQueue)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error, failure.undone == .everything else { return false }
      return (failure.underlying as? DatabaseError)?.remedy?.contains("The ledger, table \"migrator_history\"") ?? false
    }
    try dbQueue.read { db throws in #expect(try db.tableExists("a") == false) }
  }

  @Test(
    "a migration that changes the layout of the ledger is rolled back, after those before it",
    arguments: TestEngine.allCases)
  func changedLayout(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("v2") { db in
      try db.execute(sql: "CREATE TABLE b (x)")
      try db.execute(sql: "ALTER TABLE migrator_history RENAME TO old")
      try db.execute(sql: "CREATE TABLE migrator_history AS SELECT 1 AS identifier")
    }
    #expect {
      try migrator.migrate(dbQueue)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error else { return false }
      let blamesLedger = "\(failure)".contains("The ledger, table \"migrator_history\"")
      return failure.identifier == "v2" && failure.appliedBefore == ["v1"] && blamesLedger
    }
    try dbQueue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["v1"])
      #expect(try db.tableExists("b") == false)
    }
  }

  @Test("a migration that drops the ledger has lost its record", arguments: TestEngine.allCases)
  func dropped(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("v2") { db in try db.execute(sql: "DROP TABLE migrator_history") }
    #expect {
      try migrator.migrate(dbQueue)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error else { return false }
      guard case MigrationError.recordLost = failure.underlying else { return false }
      return true
    }
    #expect(try dbQueue.read { db in try migrator.appliedIdentifiers(db) } == ["v1"])
  }

  @Test("a ledger that another connection removes or replaces is noticed", arguments: TestEngine.allCases)
  func outdated(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let location = folder.file("ledger.db")
    let dbQueue = try engine.queue(path: location)
    let other = try engine.queue(path: location)
    for (change, outcome) in [("CREATE TABLE unrelated (x)", 2), ("DROP TABLE migrator_history", 0)] {
      try migrator().migrate(dbQueue)
      try other.write { db in try db.execute(sql: change) }
      #expect(try dbQueue.read { db in try migrator().appliedIdentifiers(db) }.count == outcome)
    }
    try other.write { db in try db.execute(sql: "DROP TABLE a; DROP TABLE b") }
    for view in ["SELECT 1 AS identifier", "SELECT * FROM past"] {
      try migrator().migrate(dbQueue)
      try other.write { db in
        try db.execute(
          sql: """
            CREATE TABLE past AS SELECT * FROM migrator_history; DROP TABLE migrator_history;
            CREATE VIEW migrator_history AS \(view)
            """)
      }
      #expect("\(view)") {
        try dbQueue.read { db in _ = try migrator().appliedIdentifiers(db) }
      } throws: { error in
        if case MigrationError.ledgerUnreadable(table: "migrator_history", _) = error { true } else { false }
      }
      try other.write { db in
        try db.execute(sql: "DROP VIEW migrator_history; DROP TABLE past; DROP TABLE a; DROP TABLE b")
      }
    }
  }

  @Test("a ledger that records a migration twice is damaged", arguments: TestEngine.allCases)
  func duplicates(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator().migrate(dbQueue)
    try dbQueue.write { db in
      try db.execute(
        sql: """
          ALTER TABLE migrator_history RENAME TO sound; CREATE TABLE migrator_history AS SELECT * FROM sound;
          INSERT INTO migrator_history SELECT * FROM sound; DROP TABLE sound
          """)
    }
    try dbQueue.read { db in
      for read in [
        { _ = try migrator().differencesFromMigrations(db) }, { _ = try migrator().schemaChanges(db) },
        { _ = try migrator().plan(db) },
      ] as [() throws -> Void] {
        #expect {
          try read()
        } throws: { error in
          guard case MigrationError.ledgerUnreadable("migrator_history", let underlying) = error else { return false }
          return underlying.condition == .corrupt && underlying.message.contains("records migration \"v1\" twice")
        }
      }
    }
  }

  @Test(
    "values that no migrator writes do not trap", arguments: TestEngine.allCases,
    ["1e300", "9e999", "-1", "'text'", "x'00'"])
  func oddValues(engine: TestEngine, duration: String) throws {
    let dbQueue = try engine.temporaryQueue()
    try migrator().migrate(dbQueue)
    try dbQueue.write { db in
      try db.execute(sql: "UPDATE migrator_history SET duration = \(duration), position = 1e300, objects = x'ff'")
    }
    // The result may be a value or a typed error.
    do {
      try dbQueue.read { db in _ = try migrator().schemaChanges(db) }
    } catch is MigrationError {}
    try migrator().migrate(dbQueue)
  }
}
