import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Erasing the objects of other programs")
struct ErasureTests {
  @Test(
    "Objects that appear while the question is open are not erased",
    arguments: TestTier.pairs(
      TestEngine.allCases,
      [
        "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)", "CREATE VIEW theirs AS SELECT 1",
        "INSERT INTO log VALUES ('first')", "DROP TABLE migrator_development",
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1')",
        """
        INSERT INTO migrator_history (identifier, position, applied_at, duration, fingerprint, checksum, objects)
        SELECT 'app one', 7, '2031-01-31T23:59:59.123Z', duration, fingerprint, checksum, objects FROM migrator_history LIMIT 1
        """,
      ]))
  func changedMeanwhile(engine: TestEngine, change: String) throws {
    for command in [["erase"], ["rebuild", "--force"]] {
      let trial = try ErasureTrial(engine)
      try trial.use { db in try db.execute(sql: "INSERT INTO author VALUES ('mine')") }
      let before = try trial.contents()
      let (code, text) = trial.run(command, answering: "y") { try trial.use { try $0.execute(sql: change) } }
      #expect(code == 5 && text.contains("changed after you were asked, so nothing was erased"), "\(text)")
      #expect(try trial.contents() != before)
      #expect(try trial.use { db in try String.fetchAll(db, sql: "SELECT name FROM author") } == ["Ursula", "mine"])
      #expect(try trial.folder.names() == ["app.db"])
      // The next run lists everything; a missing mark is another reason not to erase.
      #expect(trial.run(command + ["--force-foreign"], answering: "y").code == 0)
    }
  }

  @Test("New rows in a table that already had rows are in the backup", arguments: TestEngine.allCases)
  func moreRows(engine: TestEngine) throws {
    let trial = try ErasureTrial(engine)
    let (code, text) = trial.run(["erase"], answering: "y") {
      try trial.use { db in try db.execute(sql: "INSERT INTO author VALUES ('late')") }
    }
    #expect(code == 0, "\(text)")
    let kept = try #require(try trial.folder.names().first { $0.contains(".backup-") })
    let names = try trial.use(kept) { db in try String.fetchAll(db, sql: "SELECT name FROM author") }
    #expect(names == ["Ursula", "late"])
  }

  @Test("Tables with any name are erased and rebuilt", arguments: TestEngine.allCases)
  func awkwardNames(engine: TestEngine) throws {
    for command in [["erase"], ["rebuild", "--force"], ["rebuild", "--force", "--keep-data"]] {
      let trial = try ErasureTrial(engine)
      try trial.use { db in
        try db.execute(
          sql: "CREATE TABLE \"x\"\"\u{301}; DROP TABLE author; --\" (a); CREATE TABLE \"it's%0A\u{301}\" (a)")
      }
      let (code, text) = trial.run(command + ["--force-foreign"], answering: "y")
      #expect(code == 0, "\(text)")
      #expect(try trial.use { db in try !db.tableExists("x\"\u{301}; DROP TABLE author; --") })
    }
  }

  @Test(
    "A database whose ledger another migrator also uses is not rebuilt without --force-foreign",
    arguments: TestEngine.allCases)
  func sharedLedger(engine: TestEngine) throws {
    let trial = try ErasureTrial(engine)
    var app = DatabaseMigrator()
    app.registerMigration("app one") { db in
      try db.execute(sql: "CREATE TABLE wish (a); INSERT INTO wish VALUES ('of the app')")
    }
    let queue = try engine.queue(path: trial.path)
    try app.migrate(queue)
    try queue.close()
    let before = try trial.contents()
    for options in [[], ["--force"], ["--force", "--keep-data"]] {
      let (code, text) = trial.run(["rebuild", "--yes"] + options)
      #expect(code == 5, "\(text)")
      #expect(text.contains("objects of another migrator, which recorded app one in the same ledger"), "\(text)")
      #expect(try trial.contents() == before)
      #expect(try trial.folder.names() == ["app.db"])
    }
    #expect(trial.run(["rebuild", "--force", "--yes", "--force-foreign"]).code == 0)
    #expect(try trial.use { db in try db.tableExists("wish") } == false)
    // `erase` recreates nothing, and lists what is lost.
    #expect(trial.run(["erase", "--yes"]).code == 0)
  }
}

/// A development database of an app's tool, with one table with a row and an empty one.
private struct ErasureTrial: Sendable {
  private let engine: TestEngine
  let folder: TemporaryFolder
  private let tool: MigratorTool

  var path: String { folder.file("app.db") }

  init(_ engine: TestEngine) throws {
    self.engine = engine
    folder = try TemporaryFolder()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create authors") { db in
      try db.execute(sql: "CREATE TABLE author (name TEXT); INSERT INTO author VALUES ('Ursula')")
    }
    migrator.registerMigration("Create the log") { db in try db.execute(sql: "CREATE TABLE log (line TEXT)") }
    tool = MigratorTool(
      name: "app-database", migrator: migrator,
      backends: [ToolBackend(name: "engine") { engine.backend(path: $0.path) }], database: folder.file("app.db"))
    #expect(run(["rebuild"]).code == 0)
  }

  func run(
    _ arguments: [String], answering answer: String? = nil, meanwhile: @escaping @Sendable () throws -> Void = {}
  ) -> (code: Int32, text: String) {
    let terminal = Terminal(typing: answer.map { [$0] } ?? []) { #expect(throws: Never.self) { try meanwhile() } }
    let code = tool.run(arguments: arguments, environment: terminal.environment())
    #expect(terminal.left.isEmpty, "\(terminal.text)")
    // Without line breaks, which depend on the length of the folder's name.
    return (code, terminal.text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  @discardableResult
  func use<Value>(_ name: String = "app.db", _ body: (Database) throws -> Value) throws -> Value {
    let queue = try engine.queue(path: folder.file(name))
    let value = try queue.write(body)
    try queue.close()
    return value
  }

  /// The definitions in the database, and the row count of each table.
  func contents() throws -> [String] {
    try use { db in
      try db.schema().objects.map { object in
        let rows = object.kind == .table ? try Int.fetchOne(db, sql: "SELECT count(*) FROM \(object.name)") : nil
        return "\(object.sql ?? "") \(rows ?? 0)"
      }
    }
  }
}
