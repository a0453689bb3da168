import Dispatch
import Foundation
import Migrator
internal import SQLSyntax
import TestEngines
import Testing

@Suite("A rehearsal reports the effects of migrations")
struct RehearsalTests {
  /// Returns a database with teams and players that one migration created.
  private func queue(_ engine: TestEngine) throws -> (DatabaseQueue, DatabaseMigrator) {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("teams") { db in
      try db.execute(
        sql: """
          CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE player (id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team, name TEXT);
          CREATE INDEX player_on_name ON player (name);
          """)
    }
    let dbQueue = try engine.temporaryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in
      try db.execute(
        sql: """
          INSERT INTO team VALUES (1, 'red'); INSERT INTO team VALUES (2, 'blue');
          INSERT INTO player VALUES (1, 1, 'Arthur'); INSERT INTO player VALUES (2, 2, 'Barbara');
          INSERT INTO player VALUES (3, 2, 'Craig');
          """)
    }
    return (dbQueue, migrator)
  }

  @Test("a migrator that makes backups is rehearsed without making any", arguments: TestEngine.allCases)
  func backups(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("names") { db in try db.execute(sql: "CREATE TABLE name (a)") }
    migrator.backup = .beforeMigrating(keep: 1)
    let rehearsal = try dbQueue.read { [migrator] db in try migrator.rehearse(db) }
    #expect(rehearsal.failure == nil, "\(rehearsal)")
  }

  @Test(
    "a migration whose statement runs longer than the limit fails, and the error names the statement",
    arguments: TestEngine.allCases)
  func limit(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    migrator.registerMigration("endless") { db in try db.execute(sql: "INSERT INTO team (name) \(endless)") }
    let rehearsal = try dbQueue.read { [migrator] db in
      try migrator.rehearse(db, copying: .allRows, statementLimit: .milliseconds(200))
    }
    let error = try #require(rehearsal.failure?.underlying as? DatabaseError)
    #expect(error.message == "the statement did not end within 200 milliseconds on a scratch database")
    #expect(error.sql == "INSERT INTO team (name) \(endless)" && rehearsal.failure?.identifier == "endless")
    // The limit holds for each statement, and not for all together.
    migrator = DatabaseMigrator()
    migrator.registerMigration("teams") { _ in }
    let long = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT max(i) FROM n"
    migrator.registerMigration("many") { db in
      let start = ContinuousClock.now
      while .now - start < .milliseconds(400) { _ = try Int.fetchOne(db, sql: long) }
    }
    let passed = try dbQueue.read { [migrator] db in
      try migrator.rehearse(db, copying: .schemaOnly, statementLimit: .milliseconds(300))
    }
    #expect(passed.failure == nil, "\(passed)")
  }

  @Test(
    "a statement that accesses another file has no effect, with a bound or a computed name, too",
    arguments: TestEngine.allCases)
  func otherFiles(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    for statement in ["ATTACH ? AS z", "ATTACH '' || :path AS z"] {
      let path = folder.file("other.db")
      var (dbQueue, migrator) = try queue(engine)
      migrator.registerUnwrappedMigration("other") { db in
        try db.makeStatement(sql: statement).execute(arguments: [path])
        try db.execute(sql: "CREATE TABLE z.copy AS SELECT * FROM team")
      }
      let rehearsal = try dbQueue.read { [migrator] db in try migrator.rehearse(db, copying: .allRows) }
      #expect(rehearsal.failure == nil, "\(rehearsal)")
      #expect(rehearsal.gaps.first == .skippedStatements(migration: "other", sql: [statement]), "\(rehearsal)")
      #expect(rehearsal.applied.isEmpty, "\(rehearsal)")
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test(
    "statements are reported with their migration and number of runs, without values", arguments: TestEngine.allCases)
  func trace(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("names") { db in
      try db.alter(table: "team") { t in t.add(column: "folded", .text) }
      let update = try db.makeStatement(sql: "UPDATE team SET folded = ? WHERE id = ?")
      for id in try Int.fetchAll(db, sql: "SELECT id FROM team") { try update.execute(arguments: ["secret\(id)", id]) }
    }
    migrator.registerUnwrappedMigration("index") { db in try db.execute(sql: "CREATE INDEX i ON team (folded)") }
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    #expect(rehearsal.applied == ["names", "index"] && rehearsal.failure == nil && rehearsal.gaps.isEmpty)
    let own = rehearsal.statements.filter { !$0.isOfBackend }
    #expect(
      own.map { "\($0.migration) \($0.runCount) \($0.isReadOnly) \($0.sql)" } == [
        "names 1 true SELECT id FROM team", "names 2 false UPDATE team SET folded = ? WHERE id = ?",
        "index 1 false CREATE INDEX i ON team (folded)",
      ])
    #expect(rehearsal.statements.contains { $0.isOfBackend && $0.migration == "names" })
    #expect(rehearsal.omittedRunCount == 0 && !rehearsal.description.contains("secret"))
    #expect(rehearsal.destructiveStatements.isEmpty)
  }

  @Test(
    "the difference between the schemas and the row counts before and after are reported",
    arguments: TestEngine.allCases)
  func difference(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("change") { db in
      try db.execute(
        sql: """
          CREATE TABLE goal (x); INSERT INTO goal VALUES (1);
          ALTER TABLE team ADD COLUMN city TEXT;
          DROP INDEX player_on_name;
          DELETE FROM player WHERE id = 3;
          """)
    }
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    let difference = try #require(rehearsal.schemaDifference)
    #expect(difference.made.map(\.name) == ["goal"] && difference.removed.map(\.name) == ["player_on_name"])
    #expect(difference.changed.map(\.before.sql) == ["CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT)"])
    #expect(difference.changed.first?.after.sql?.contains("city TEXT") == true)
    #expect(
      rehearsal.rowCounts == [
        .init(table: "team", inDatabase: 2, before: 2, after: 2),
        .init(table: "player", inDatabase: 3, before: 3, after: 2),
        .init(table: "goal", inDatabase: nil, before: nil, after: 1),
      ])
    try dbQueue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 3) }
  }

  @Test("the requested number of rows is copied", arguments: TestEngine.allCases)
  func extent(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("nothing") { _ in }
    for (copy, rows) in [(RehearsalCopy.schemaOnly, 0), (.rows(limitPerTable: 2), 2), (.allRows, 3)] {
      let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: copy) }
      let players = rehearsal.rowCounts.first { $0.table == "player" }
      #expect(players == .init(table: "player", inDatabase: 3, before: rows, after: rows))
      #expect(rehearsal.applied == ["nothing"] && rehearsal.schemaDifference?.isEmpty == true)
    }
  }

  @Test(
    "a failing migration is reported with the same outcome as that of a run",
    arguments: TestEngine.allCases)
  func failure(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("good") { db in try db.execute(sql: "CREATE TABLE good (x)") }
    migrator.registerMigration("bad") { db in
      try db.execute(sql: "CREATE TABLE half (x); CREATE UNIQUE INDEX u ON player (team_id)")
    }
    migrator.registerMigration("later") { db in try db.execute(sql: "CREATE TABLE later (x)") }
    let schemaOnly = try dbQueue.read { db in try migrator.rehearse(db) }
    #expect(schemaOnly.failure == nil)
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    #expect(rehearsal.applied == ["good"] && rehearsal.schemaDifference?.made.map(\.name) == ["good"])
    #expect(rehearsal.statements.map(\.migration) == ["good", "bad", "bad"] && rehearsal.foreignKeys == .undecided)
    let error = #expect(throws: MigrationError.self) { try migrator.migrate(dbQueue) }
    let failure = try #require(error?.failure)
    #expect(rehearsal.failure?.description == failure.description)
  }

  @Test("the foreign key checks have the same result as in a run", arguments: TestEngine.allCases)
  func foreignKeys(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("touch") { db in try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = 1") }
    func verdict() throws -> MigrationRehearsal.ForeignKeyVerdict {
      try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows).foreignKeys }
    }
    #expect(try verdict() == .passed(oldViolations: 0))
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: "PRAGMA foreign_keys = OFF; UPDATE player SET team_id = 9 WHERE id = 1; PRAGMA foreign_keys = ON")
    }
    #expect(try verdict() == .passed(oldViolations: 1))
    migrator.registerMigration("break") { db in try db.execute(sql: "DELETE FROM team WHERE id = 2") }
    guard case .violated(let violations) = try verdict() else {
      Issue.record("no violation")
      return
    }
    #expect(violations.map(\.originRowID) == [2, 3])
  }

  @Test("copying only some of the rows does not cause violations", arguments: TestEngine.allCases)
  func partialForeignKeys(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.foreignKeyScope = .database
    migrator.registerMigration("touch") { db in try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = 2") }
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "INSERT INTO team VALUES (3, ''); UPDATE player SET team_id = 3 WHERE id = 1")
    }
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .rows(limitPerTable: 2)) }
    #expect(rehearsal.foreignKeys == .passed(oldViolations: 1))
  }

  @Test("a refused run and a run with nothing to do are not rehearsed", arguments: TestEngine.allCases)
  func withoutEffect(engine: TestEngine) throws {
    let (dbQueue, migrator) = try queue(engine)
    let none = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    #expect(none.applied.isEmpty && none.schemaDifference == nil && none.description == none.plan.description)
    let refused = try dbQueue.read { db in try migrator.rehearse(db, upTo: "missing") }
    #expect(refused.plan.refusals.count == 1 && refused.statements.isEmpty)
  }

  @Test("the schema changes caused by erasing are reported", arguments: TestEngine.allCases)
  func erasure(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("nothing") { _ in }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db in try db.setUserVersion(5) }
    var other = DatabaseMigrator()
    other.eraseDatabaseOnSchemaChange = true
    other.registerMigration("other") { db throws in
      #expect(try db.userVersion == 5)
      try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY); INSERT INTO team VALUES (1)")
    }
    other.registerMigration("nothing") { _ in }
    let rehearsal = try dbQueue.read { [other] db in try other.rehearse(db, copying: .allRows) }
    #expect(rehearsal.schemaDifference?.removed.map(\.name) == ["player", "player_on_name"])
    #expect(rehearsal.schemaDifference?.changed.map(\.after.name) == ["team"])
    #expect(rehearsal.rowCounts.first == .init(table: "team", inDatabase: 2, before: nil, after: 1))
    #expect(rehearsal.destructiveStatements.isEmpty)
  }

  @Test("a configuration that attaches a file is refused: a rehearsal would change it", arguments: TestEngine.allCases)
  func attached(engine: TestEngine) throws {
    let other = try engine.temporaryPath()
    var configuration = Configuration()
    configuration.prepareDatabase { db in try db.execute(literal: "ATTACH \(other) AS other") }
    let dbQueue = try DatabaseQueue(engine.inMemoryBackend, configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE other.t (x)") }
    let error = #expect(throws: DatabaseError.self) { try dbQueue.read { db in try migrator.rehearse(db) } }
    #expect(error?.condition == .unsupported)
  }

  @Test("canceling the task ends the rehearsal", arguments: TestEngine.allCases)
  func cancellation(engine: TestEngine) async throws {
    var (dbQueue, migrator) = try queue(engine)
    let work = CancelledWork()
    migrator.registerMigration("endless") { db in
      work.cancelSoon()
      while true { try db.execute(sql: "SELECT 1") }
    }
    let (queue, rehearsing) = (dbQueue, migrator)
    await #expect(throws: CancellationError.self) {
      try await work.result { try await queue.read { db in try rehearsing.rehearse(db).applied } }
    }
    try await queue.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM team") == 2) }
  }

  /// A statement that runs until it is interrupted.
  private static let endlessStatement =
    "SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT i FROM n)"

  @Test(
    "interrupting the database also interrupts its scratch database, in the middle of a statement",
    arguments: TestEngine.allCases, [false, true])
  func interruption(engine: TestEngine, isBaseline: Bool) throws {
    let queue = try engine.temporaryQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("first") { db in try db.execute(sql: "CREATE TABLE first (a)") }
    if isBaseline { try queue.write { db in try db.execute(sql: "CREATE TABLE first (a)") } }
    migrator.registerMigration("endless") { db in
      // Repeatedly, since an interrupt has no effect before the statement has begun.
      let stopper = DispatchSource.makeTimerSource()
      stopper.schedule(deadline: .now(), repeating: .milliseconds(5))
      stopper.setEventHandler { queue.interrupt() }
      stopper.resume()
      defer { stopper.cancel() }
      try db.execute(sql: Self.endlessStatement)
    }
    let error = #expect(throws: (any Error).self) {
      if isBaseline {
        // The endless migration comes later, but the rehearsal still runs it.
        try migrator.baseline(queue, upTo: "first")
      } else {
        _ = try queue.read { db in try migrator.rehearse(db) }
      }
    }
    #expect((error as? DatabaseError)?.condition == .interrupted, "\(String(describing: error))")
    try queue.read { db throws in #expect(try migrator.history(db).isEmpty) }
  }

  @Test("a reader of a pool is enough", arguments: TestEngine.allCases)
  func pool(engine: TestEngine) throws {
    let dbPool = try DatabasePool(engine.temporaryBackend())
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    try migrator.migrate(dbPool)
    migrator.registerMigration("b") { db in try db.execute(sql: "INSERT INTO a VALUES (1)") }
    let rehearsal = try dbPool.read { db in try migrator.rehearse(db, copying: .allRows) }
    #expect(rehearsal.applied == ["b"] && rehearsal.foreignKeys == .passed(oldViolations: 0))
    try dbPool.read { db throws in #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM a") == 0) }
  }

  @Test("beyond ten thousand, statements are only counted, but destructive ones are still found")
  func manyStatements() throws {
    let dbQueue = try TestEngine.sqlite.inMemoryQueue()
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (x)") }
    var migrator = DatabaseMigrator()
    migrator.registerMigration("many") { db in
      for number in 0..<10_010 { try db.execute(sql: "SELECT \(number)") }
      try db.execute(sql: "DROP TABLE t")
    }
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db) }
    #expect(rehearsal.statements.count == 10_000 && rehearsal.omittedRunCount == 11)
    #expect(rehearsal.destructiveStatements.map(\.effect) == [.dropsTable("t")])
  }

  @Test("the description shows everything", arguments: TestEngine.allCases)
  func text(engine: TestEngine) throws {
    var (dbQueue, migrator) = try queue(engine)
    migrator.registerMigration("goals") { db in
      try db.execute(
        sql: """
          CREATE TABLE goal (
            x  -- what for
          );
          DROP INDEX player_on_name;
          ALTER TABLE team RENAME TO club;
          """)
      for number in 1...3 { try db.execute(sql: "INSERT INTO goal VALUES (?)", arguments: [number]) }
      try db.execute(sql: "DELETE FROM player")
    }
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .rows(limitPerTable: 2)) }
    let lines = rehearsal.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex(of: ""))
    let schema = lines.firstIndex(of: "Rows:") ?? 0
    #expect(
      lines[start..<(start + 8)].joined(separator: "\n") == """

        Rehearsed on a copy of the schema and at most 2 rows of each table: 1 migration applied
        Destructive:
          "goals" deletes all rows of table "player": DELETE FROM player
        Schema:
          + table "club"
          + table "goal"
          - table "team"
        """)
    #expect(
      lines[schema...].joined(separator: "\n") == """
        Rows:
          club: 2 -> 2
          player: 2 -> 0  (3 in the database)
          goal: - -> 3
        Foreign keys: no violation
        Statements:
          "goals"
            CREATE TABLE goal ( x )
            DROP INDEX player_on_name
            ALTER TABLE team RENAME TO club
            INSERT INTO goal VALUES (?)  (3 times)
            DELETE FROM player
        """)
  }
}
