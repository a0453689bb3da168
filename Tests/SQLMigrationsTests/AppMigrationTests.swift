import Foundation
import Migrator
import SQLMigrations
import TestEngines
import Testing

@Suite("SQL files in an app")
struct AppMigrationTests {
  private static let files = [
    "1_author.sql": "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);\n",
    "2_book.sql": """
    -- migrator: foreign-keys immediate
    CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES author);
    """,
    "3_vacuum.sql": "-- migrator: no-transaction\nVACUUM;\n",
  ]

  /// Runs the migrator, and returns the warnings of the run.
  private func warnings(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> [MigrationWarning] {
    var warnings: [MigrationWarning] = []
    try migrator.run(dbQueue) { event in
      if case .warning(let warning) = event { warnings.append(warning) }
    }
    return warnings
  }

  @Test(
    "a folder is registered in its order, with its directives, and its migrations run", arguments: TestEngine.allCases)
  func folder(engine: TestEngine) throws {
    let fixture = try FolderFixture(Self.files)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("first") { db in try db.execute(sql: "CREATE TABLE first (x)") }
    try migrator.registerMigrations(in: URL(filePath: fixture.path))
    #expect(migrator.migrations == ["first", "1_author", "2_book", "3_vacuum"])
    let dbQueue = try engine.inMemoryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(try migrator.hasCompletedMigrations(db))
      #expect(try db.tableExists("book"))
    }
  }

  @Test("the app and the tool write the same records", arguments: TestEngine.allCases)
  func sameRecords(engine: TestEngine) throws {
    let folder = try FolderFixture(Self.files).read()
    var (app, tool) = (DatabaseMigrator(), DatabaseMigrator())
    app.registerMigrations(folder.migrations)
    for file in folder.files { tool.register(Migration(file, isInterrupted: { false }, onStatement: { _ in })) }
    let records = try [app, tool].map { migrator in
      let dbQueue = try engine.inMemoryQueue()
      try migrator.migrate(dbQueue)
      // Each finds nothing to do where the other was.
      for other in [app, tool] { #expect(try warnings(other, dbQueue) == []) }
      return try dbQueue.read { db in
        try app.history(db).map { [$0.identifier, "\($0.position)", $0.checksum, $0.fingerprint, $0.objects.text] }
      }
    }
    #expect(records[0] == records[1])
    #expect(records[0].map { $0[2] } == folder.migrations.map(\.checksum))
  }

  @Test("all problems of all files are reported at once, and nothing is registered")
  func problems() throws {
    let fixture = try FolderFixture([
      "1_a.sql": "SELECT 1;\nVACUUM;", "2_b.sql": "-- migrator: fk off", "3_c.sql": "SELECT 1",
    ])
    var migrator = DatabaseMigrator()
    let error = try #require(throws: MigrationFolderError.self) { try migrator.registerMigrations(in: fixture.path) }
    #expect(error.problems == MigrationFolder(fixture.path).problems)
    #expect(error.problems.map(\.path) == ["1_a.sql", "2_b.sql"].map { "\(fixture.path)/\($0)" })
    #expect(error.problems.map(\.line) == [2, 1] && error.problems.map(\.column) == [1, 1])
    #expect(migrator.migrations.isEmpty)
    // The reader has no command line.
    let missing = MigrationFolder(fixture.path + "/none").problems
    #expect(missing.count == 1 && !missing.contains { $0.description.contains("--migrations") })
  }

  @Test("a failing statement is named by file, line and column, and rolled back", arguments: TestEngine.allCases)
  func failure(engine: TestEngine) throws {
    let fixture = try FolderFixture(["1_a.sql": "CREATE TABLE a (x);\nINSERT INTO\n  nowhere VALUES (1);\n"])
    var migrator = DatabaseMigrator()
    try migrator.registerMigrations(in: fixture.path)
    let dbQueue = try engine.inMemoryQueue()
    #expect {
      try migrator.migrate(dbQueue)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error,
        let statement = failure.underlying as? SQLMigration.StatementError
      else { return false }
      #expect(statement.path == fixture.path + "/1_a.sql" && statement.line >= 2)
      #expect(statement.localizedDescription.contains("1_a.sql:\(statement.line):\(statement.column)"))
      let reason = (error as? any LocalizedError)?.failureReason
      #expect(
        reason?.contains("1_a.sql:") == true && reason?.hasSuffix("no such table: nowhere.") == true, "\(reason ?? "")")
      return error.localizedDescription.contains("Its changes were rolled back")
    }
    try dbQueue.read { db throws in #expect(try !db.tableExists("a")) }
  }

  @Test("the text of an applied migration is not parsed, that of a pending one is", arguments: TestEngine.allCases)
  func parsing(engine: TestEngine) throws {
    let unparsable = SQLMigration(identifier: "1_a", path: "Migrations/1_a.sql", checksum: "c", sql: "SELECT '")
    var migrator = DatabaseMigrator()
    migrator.registerMigrations([unparsable])
    let dbQueue = try engine.inMemoryQueue()
    #expect {
      try migrator.migrate(dbQueue)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error else { return false }
      return (failure.underlying as? MigrationFolderError)?.problems.map(\.path) == ["Migrations/1_a.sql"]
    }
    var applied = DatabaseMigrator()
    applied.registerMigrations([SQLMigration(identifier: "1_a", path: "1_a.sql", checksum: "c", sql: "SELECT 1")])
    try applied.migrate(dbQueue)
    #expect(try warnings(migrator, dbQueue) == [])
  }

  @Test("what stands beside a file turns its transaction off in the app, too", arguments: TestEngine.allCases)
  func setting(engine: TestEngine) throws {
    let fixture = try FolderFixture([
      "1_a/up.sql": "VACUUM", "1_a/metadata.toml": "run_in_transaction = false", "2_b/up.sql": "CREATE TABLE b (x)",
    ])
    var migrator = DatabaseMigrator()
    try migrator.registerMigrations(in: fixture.path)
    #expect(MigrationFolder(fixture.path).migrations.map(\.directives.runsInTransaction) == [false, true])
    let dbQueue = try engine.inMemoryQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in #expect(try migrator.completedMigrations(db) == ["1_a", "2_b"]) }
  }

  @Test(
    "a file that merges others is recorded where they are applied, and refused where a part is",
    arguments: TestEngine.allCases)
  func merging(engine: TestEngine) throws {
    let merged = try FolderFixture(["3_ab.sql": "-- migrator: merges 1_a 2_b\nCREATE TABLE a (x); CREATE TABLE b (x);"])
    var newer = DatabaseMigrator()
    try newer.registerMigrations(in: merged.path)
    var older = DatabaseMigrator()
    for (name, table) in [("1_a", "a"), ("2_b", "b")] {
      older.registerMigration(name) { db in try db.execute(sql: "CREATE TABLE \(table) (x)") }
    }
    let whole = try engine.inMemoryQueue()
    try older.migrate(whole)
    try newer.migrate(whole)
    try whole.read { db throws in #expect(try newer.appliedMigrations(db) == ["3_ab"]) }
    let part = try engine.inMemoryQueue()
    try older.migrate(part, upTo: "1_a")
    #expect {
      try newer.migrate(part)
    } throws: { error in
      guard case MigrationError.failed(let failure) = error else { return false }
      return (failure.underlying as? SQLMigration.PartialMergeError)?.missing == ["2_b"]
    }
  }

  @Test("an edited file is reported, refused or ignored, as the policy says", arguments: TestEngine.allCases)
  func edited(engine: TestEngine) throws {
    let fixture = try FolderFixture(Self.files)
    var before = DatabaseMigrator()
    try before.registerMigrations(in: fixture.path)
    let dbQueue = try engine.inMemoryQueue()
    try before.migrate(dbQueue)

    try fixture.write(Data("CREATE TABLE writer (id INTEGER PRIMARY KEY);\n".utf8), to: "1_author.sql")
    try fixture.write(Data("CREATE TABLE pending (x);\n".utf8), to: "4_pending.sql")
    var after = DatabaseMigrator()
    try after.registerMigrations(in: fixture.path)
    after.editedMigrations = .refuse
    #expect {
      try after.migrate(dbQueue)
    } throws: { error in
      if case MigrationError.edited(["1_author"]) = error { true } else { false }
    }
    try dbQueue.read { db throws in
      #expect(try after.plan(db).refusals.map { "\($0)" } == ["\(MigrationError.edited(["1_author"]))"])
      #expect(try !db.tableExists("pending"))
    }
    after.editedMigrations = .warn
    for _ in 1...2 { #expect(try warnings(after, dbQueue) == [.editedMigrations(identifiers: ["1_author"])]) }
    after.editedMigrations = .ignore
    #expect(try warnings(after, dbQueue) == [])
    try dbQueue.read { db throws in #expect(try db.tableExists("pending") && !db.tableExists("writer")) }
  }
}
