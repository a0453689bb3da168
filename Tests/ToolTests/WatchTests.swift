import Foundation
import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Watching a folder")
struct WatchTests {
  @Test(
    "Each save rebuilds and keeps rows, mistakes do not end the watch, and Ctrl-C does", arguments: TestEngine.allCases)
  func saves(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.write("INSERT INTO book (author, title) VALUES (1, 'The Dispossessed');\n", to: "seed.sql")
    let tool = try WatchedTool(
      folder: transcript.folder.path, engine, ["--yes", "--keep-data", "--seed", "seed.sql"])
    #expect(try tool.waits(for: "Ctrl-C ends it."))

    let path = transcript.folder.file("app.db")
    try engine.queue(path: path).write { db in try db.execute(sql: "INSERT INTO author (name) VALUES ('mine')") }
    try transcript.write(SampleMigrations.books + "CREATE TABLE shelf (a);\n", to: "migrations/0002_books.sql")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(tool.latest.contains("Saved: migrations/0002_books.sql"))
    #expect(tool.latest.contains("Kept the rows of author (3) and book (1)."))
    #expect(tool.latest.contains("+ table shelf"))
    #expect(try Self.authors(engine, path) == ["Ursula", "Stanislaw", "mine"])

    try transcript.write("CREATE TABEL wrong (a);\n", to: "migrations/0003_wrong.sql")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(tool.latest.contains("--> migrations/0003_wrong.sql:1:8"))
    #expect(tool.latest.contains("       ^"))
    try transcript.write("SELECT 'open", to: "migrations/0003_wrong.sql")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(tool.latest.contains("migrations/0003_wrong.sql:1"))
    try transcript.write("CREATE TABLE right_now (a);\n", to: "migrations/0003_wrong.sql")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(tool.latest.contains("+ table right_now"))

    // The seed file now inserts different rows, so the table keeps the seed file's rows; it had no others at first.
    try transcript.write("INSERT INTO book (author, title) VALUES (2, 'Solaris');\n", to: "seed.sql")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(!tool.latest.contains("were not kept"), "\(tool.latest)")
    try engine.queue(path: path).write { try $0.execute(sql: "INSERT INTO book (author, title) VALUES (1, 'mine')") }
    try transcript.write("INSERT INTO book (author, title) VALUES (2, 'Fiasco');\n", to: "seed.sql")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(tool.latest.contains("the rows of table \"book\" (2) were not kept"), "\(tool.latest)")
    #expect(try Self.authors(engine, path) == ["Ursula", "Stanislaw", "mine"])

    try transcript.run("mv migrations/0003_wrong.sql migrations/0004_right.sql")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(
      tool.latest.contains("Saved: migrations/0004_right.sql\nRemoved: migrations/0003_wrong.sql\n"), "\(tool.latest)")
    try transcript.run(
      "mkdir away; mv migrations/* away; mv seed.sql s; echo 'CREATE TABLE z (a);' >migrations/1_z.sql; echo 'SELECT 1;' >seed.sql"
    )
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(tool.latest.contains("contains objects of another migrator"), "\(tool.latest)")
    try transcript.run("rm migrations/*; mv s seed.sql; mv away/* migrations")
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(!tool.latest.contains("error:"), "\(tool.latest)")
    #expect(try Self.authors(engine, path) == ["Ursula", "Stanislaw", "mine"])
    #expect(tool.interrupt() == 0)
  }

  @Test("Watch takes a rename that is saved later")
  func rename() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
    try #require(transcript.run("migrator rebuild").exitCode == 0)
    let tool = try WatchedTool(
      folder: transcript.folder.path, .sqlite, ["--yes", "--keep-data", "--rename", "author.name=title"])
    for edit in ["s/name/title/", "s/UNIQUE/UNIQUE, born INTEGER/"] {
      #expect(try tool.waits(for: "Ctrl-C ends it."))
      try transcript.run("sed -i '\(edit)' migrations/0001_authors.sql")
    }
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    #expect(!tool.latest.contains("not kept"), "\(tool.latest)")
    try Self.use(transcript.folder.file("app.db")) { db throws in
      #expect(try String.fetchAll(db, sql: "SELECT title FROM author WHERE born IS NULL") == ["Ursula", "Stanislaw"])
    }
    #expect(tool.interrupt() == 0)
  }

  @Test("A rebuild gives a reason when only the seed file was saved")
  func savedSeed() throws {
    let transcript = try Transcript.withSamples()
    try transcript.write("INSERT INTO author (name) VALUES ('Joanna');\n", to: "seed.sql")
    let tool = try WatchedTool(folder: transcript.folder.path, .sqlite, ["--yes", "--json", "--seed", "seed.sql"])
    #expect(try tool.waits(for: "\n}\n"))
    #expect(tool.latest.contains("\"reasons\" : [\n\n  ]"), "\(tool.latest)")
    try transcript.write("INSERT INTO author (name) VALUES ('Angélica');\n", to: "seed.sql")
    #expect(try tool.waits(for: "\n}\n"))
    #expect(tool.latest.contains("\"isRebuilt\" : true"), "\(tool.latest)")
    #expect(tool.latest.contains("\"reasons\" : [\n    \"the seed file was saved\"\n  ]"), "\(tool.latest)")
    #expect(tool.interrupt() == 0)
  }

  @Test("Many quick writes cause a single rebuild, within half a second of the last one")
  func latency() throws {
    let transcript = try Transcript.withSamples()
    let tool = try WatchedTool(folder: transcript.folder.path, .sqlite, ["--yes"])
    #expect(try tool.waits(for: "Ctrl-C ends it."))
    var durations: [Duration] = []
    for round in 1...7 {
      for step in 1...5 {
        try transcript.write("CREATE TABLE t_\(round)_\(step) (a);\n", to: "migrations/0003_t.sql")
      }
      let start = ContinuousClock.now
      // The first line shows that the rebuild has started.
      #expect(try tool.waits(for: "Saved: migrations/0003_t.sql"))
      durations.append(.now - start)
      #expect(try tool.waits(for: "Ctrl-C ends it."))
      #expect(tool.latest.contains("+ table t_\(round)_5"), "\(tool.latest)")
    }
    #expect(tool.interrupt() == 0)
    // The median, since other tests may occasionally delay a rebuild.
    #expect(durations.sorted()[3] < .milliseconds(500), "\(durations)")
  }

  @Test("A file that a save has truncated is awaited, and one that stays empty is a change")
  func truncated() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("1_a.sql")
    try Data("CREATE TABLE a (x);".utf8).write(to: URL(filePath: path))
    let watch = FolderWatch(folder: folder.path, files: [])
    let known = watch.look()
    let saved = try FileHandle(forWritingTo: URL(filePath: path))
    try saved.truncate(atOffset: 0)
    // The watch asks at each look; the save goes on after several ones.
    var looks = 0
    let changed = watch.change(from: known) {
      looks += 1
      if looks == 8 { try? saved.write(contentsOf: Data("CREATE TABLE a (x, y);".utf8)) }
      return false
    }
    #expect(changed == [path])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "CREATE TABLE a (x, y);")
    let full = watch.look()
    try saved.truncate(atOffset: 0)
    #expect(watch.change(from: full) { false } == [path])
  }

  @Test("Watch refuses a database that rebuild refuses")
  func refusals() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator watch --yes")
    try transcript.writeSamples()
    try transcript.execute("CREATE TABLE author (a); INSERT INTO author VALUES (1)")
    try transcript.run("migrator baseline; migrator rebuild --force --yes --keep-data")
    try transcript.run("rm app.sqlite; migrator rebuild --quiet; echo 'SELECT 1;' >>migrations/0001_authors.sql")
    try transcript.run("migrator watch")
    try transcript.run("migrator watch --json")
    try transcript.run("migrator rebuild --keep-data --yes --json")
    try transcript.run("migrator watch --database migrations")
    try transcript.expect(golden: "watch")
  }

  @Test("Rows that would refer to missing rows are not restored, triggers do not fire, and counters are not lowered")
  func keptRows() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER PRIMARY KEY AUTOINCREMENT, parent REFERENCES parent (id));
      CREATE TABLE log (a UNIQUE);
      CREATE TABLE plain (a, b AS (a + 1));
      CREATE TRIGGER logged AFTER INSERT ON child BEGIN INSERT INTO log VALUES (new.id); END;
      CREATE VIRTUAL TABLE search USING fts5 (a, content = 'plain');
      """, to: "migrations/1_tables.sql")
    #expect(try transcript.run("migrator rebuild").exitCode == 0)
    let path = transcript.folder.file("app.sqlite")
    let sql = """
      INSERT INTO parent VALUES (1), (2); INSERT INTO child (id, parent) VALUES (1, 1), (50, 2); DELETE FROM child WHERE id = 50;
      INSERT INTO plain (rowid, a) VALUES (7, 1), (9, 2);
      """
    try Self.use(path) { db in try db.execute(sql: sql) }
    let edit = { (line: String) in "echo '\(line)' >>migrations/1_tables.sql; migrator rebuild --yes --keep-data" }
    #expect(try transcript.run(edit("SELECT 1;")).exitCode == 0)
    try Self.use(path) { db throws in
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM plain WHERE b = a + 1 ORDER BY 1") == [7, 9])
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM log ORDER BY 1") == [1, 50])
      #expect(try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'child'") == 50)
      #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM search WHERE search MATCH '2'") == [9])
      #expect(try String.fetchOne(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'") == "logged")
    }
    let change = "sed -i 's/CREATE TABLE parent (/&name TEXT NOT NULL, /' migrations/1_tables.sql"
    #expect(try transcript.run("\(change); migrator rebuild --yes --keep-data").exitCode == 0)
    try Self.use(path) { db in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM child") == 0)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM log") == 2)
      try db.checkForeignKeys()
    }
    try transcript.expect(golden: "keep-data")
  }

  private static func use(_ path: String, _ body: (Database) throws -> Void) throws {
    let queue = try TestEngine.sqlite.queue(path: path)
    try queue.write(body)
    try queue.close()
  }

  private static func authors(_ engine: TestEngine, _ path: String) throws -> [String] {
    let queue = try engine.queue(path: path)
    defer { try? queue.close() }
    return try queue.read { db in try String.fetchAll(db, sql: "SELECT name FROM author ORDER BY id") }
  }
}

@Suite("Watching files")
struct FileWatchTests {
  @Test("A save in place, a rename, a new file, a removed file and a file in a subfolder are detected")
  func changes() throws {
    let folder = try TemporaryFolder()
    let seed = folder.file("seed.sql")
    let migrations = folder.file("migrations")
    try FileManager.default.createDirectory(atPath: migrations + "/9_d", withIntermediateDirectories: true)
    let watch = FolderWatch(folder: migrations, files: [seed])
    let steps: [(String, [String])] = [
      ("echo 1 >a.sql", ["a.sql"]), ("echo 22 >>a.sql", ["a.sql"]), ("echo 333 >.x; mv .x a.sql", ["a.sql"]),
      ("touch notes.txt; sleep 0; echo 4 >9_d/up.sql", ["9_d/up.sql"]), ("rm a.sql", ["a.sql"]),
      ("cd ..; mv migrations m; mkdir migrations; mv m/9_d migrations; echo 5 >migrations/b.sql", ["b.sql"]),
    ]
    for (line, expected) in steps {
      let known = watch.look()
      #expect(try ToolProcess(folder: migrations).shell(line).exitCode == 0)
      #expect(watch.change(from: known) { false } == expected.map { migrations + "/" + $0 }, "\(line)")
    }
    let known = watch.look()
    try folder.write(Array("x".utf8), to: "seed.sql")
    #expect(watch.change(from: known) { false } == [seed])
    watch.wake()
    #expect(watch.change(from: watch.look()) { true } == nil)
  }
}

/// `migrator watch`, running.
private final class WatchedTool {
  /// The output during the last wait.
  private(set) var latest = ""

  private let process: Process
  private let output: FileHandle
  private var rest = ""

  init(folder: String, _ engine: TestEngine, _ options: [String]) throws {
    var variables = ["K": TestKey.rawText]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let tool = ToolProcess(folder: folder, variables: variables)
    let key = engine.isEncrypted ? ["--key-env", "K", "--raw-key"] : []
    (process, output) = try tool.startMerged(["watch", "--database", "app.db"] + options + key)
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Reads until a text is printed.
  func waits(for expected: String) throws -> Bool {
    while !rest.contains(expected) {
      let bytes = output.availableData
      guard !bytes.isEmpty else { return false }
      rest += String(decoding: bytes, as: UTF8.self)
    }
    guard let range = rest.range(of: expected) else { return false }
    latest = String(rest[..<range.upperBound])
    rest = String(rest[range.upperBound...])
    return true
  }

  /// - Returns: The exit code.
  func interrupt() -> Int32 {
    process.interrupt()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
