import Foundation
import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

/// The protection against definitions in a file of unknown origin
/// (https://www.sqlite.org/security.html#untrusted_sqlite_database_files).
@Suite("Commands that only read do not trust the definitions in the file")
struct UntrustedSchemaTests {
  private let folder: FolderFixture
  init() throws { folder = try FolderFixture([:]) }

  private var path: String { folder.path + "/app.db" }

  /// The connections that a tool opened.
  private struct Opening: Equatable {
    let isReadOnly: Bool
    let isUnchanging: Bool
    let trustsSchema: Bool
  }

  /// A backend that records the options with which its files are opened.
  private struct RecordingBackend: FileBackend {
    let base: any DatabaseBackend
    let openings: Lock<[Opening]>

    var label: String { base.label }
    var isShared: Bool { base.isShared }

    func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
      openings.withLock {
        $0.append(
          Opening(
            isReadOnly: options.isReadOnly, isUnchanging: options.isUnchanging, trustsSchema: options.trustsSchema))
      }
      return try base.connect(options)
    }

    func scratch() throws(DatabaseError) -> any DatabaseBackend { try base.scratch() }

    func forCopy(at path: String) -> any DatabaseBackend {
      RecordingBackend(base: (base as? any FileBackend)?.forCopy(at: path) ?? base, openings: openings)
    }
  }

  /// Runs a command; its check runs on the connection that the tool opened to read.
  private func run(
    _ command: String, _ engine: TestEngine, openings: Lock<[Opening]> = Lock([]),
    check: @escaping @Sendable (Database) throws -> Void = { _ in }
  ) -> ToolTrial.Outcome {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE a (x); INSERT INTO a VALUES ('one')") }
    let probe = ToolCheck(name: "probe") { db in
      try check(db)
      return .passed("probed")
    }
    let backend = ToolBackend(name: "test", recognizes: { _ in true }, checks: [probe]) {
      location throws(DatabaseError) in
      RecordingBackend(base: engine.backend(path: location.path, key: .raw), openings: openings)
    }
    let arguments = command.split(separator: " ").map(String.init) + ["--database", path]
    return MigratorTool(name: "app", migrator: migrator, backends: [backend]).outcome(of: arguments)
  }

  private static func addFunction(_ db: Database) throws {
    // Like every function that an app adds, and the engine's own with effects, this one is not declared harmless.
    try db.add(function: DatabaseFunction("effect", argumentCount: 0) { _ in 7 })
  }

  @Test("A view cannot call a function that may have effects", arguments: TestEngine.allCases)
  func function(engine: TestEngine) throws {
    try #require(run("migrate", engine).exitCode == 0)
    let queue = try engine.queue(path: path)
    try queue.write { db in
      try Self.addFunction(db)
      try db.execute(sql: "CREATE VIEW trap AS SELECT effect() AS x")
      // A connection that trusts the schema runs it.
      #expect(try Int.fetchOne(db, sql: "SELECT x FROM trap") == 7)
    }
    try queue.close()
    let outcome = run("verify", engine) { db in
      try Self.addFunction(db)
      #expect(try Int.fetchOne(db, sql: "SELECT effect()") == 7)
      guard db.isSQLite(since: 31) else {
        // Before 3.31, SQLite trusts every schema.
        #expect(try Int.fetchOne(db, sql: "SELECT x FROM trap") == 7)
        return
      }
      let error = #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT x FROM trap") }
      #expect(error?.message.contains("unsafe use of effect()") == true, "\(String(describing: error))")
    }
    #expect(outcome.text.contains("probed"), "\(outcome.text)")
  }

  @Test(
    "Looking at triggers and views over a virtual table runs nothing that its storage calls",
    arguments: TestEngine.allCases,
    [
      // FTS4 reads its storage when a row is read, FTS5 when the table is opened.
      (
        "fts4",
        "DROP TABLE f_stat; CREATE VIEW f_stat AS SELECT 0 AS id, effect() AS value; "
          + "DROP TABLE f_segdir; CREATE VIEW f_segdir AS SELECT effect() AS level, 0 AS idx, 0 AS start_block, "
          + "0 AS leaves_end_block, 0 AS end_block, x'' AS root"
      ),
      ("fts5", "DROP TABLE f_config; CREATE VIEW f_config AS SELECT 'version' AS k, effect() AS v"),
      (
        "fts5",
        "CREATE VIRTUAL TABLE w USING fts5vocab(f, row); DROP TABLE f_data; "
          + "CREATE VIEW f_data AS SELECT effect() AS id, x'' AS block"
      ),
    ])
  func storage(engine: TestEngine, trap: (module: String, sql: String)) throws {
    let abilities = try engine.inMemoryQueue().read { $0.engine.abilities }
    guard abilities.contains(trap.module == "fts5" ? .fts5 : .fts4) else { return }
    try #require(run("migrate", engine).exitCode == 0)
    let queue = try engine.queue(path: path)
    try queue.writeWithoutTransaction { db in
      try Self.addFunction(db)
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE f USING \(trap.module)(x); CREATE VIEW v AS SELECT x FROM f;
          CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO f VALUES (new.x); END; \(trap.sql)
          """)
    }
    try queue.close()
    let calls = Lock(0)
    let outcome = run("verify", engine) { db in
      try db.add(
        function: DatabaseFunction("effect", argumentCount: 0) { _ in
          calls.withLock { $0 += 1 }
          return 7
        })
    }
    #expect(outcome.text.contains("objects"), "\(outcome.text)")
    // Before 3.31, SQLite trusts every schema.
    let isNew = try engine.inMemoryQueue().read { $0.isSQLite(since: 31) }
    if isNew { #expect(calls.withLock { $0 } == 0, "\(outcome.text)") }
  }

  @Test("The connection distrusts the schema and is in defensive mode", arguments: TestEngine.allCases)
  func settings(engine: TestEngine) throws {
    try #require(run("migrate", engine).exitCode == 0)
    let outcome = run("verify", engine) { db in
      let trust = try Int.fetchOne(db, sql: "PRAGMA trusted_schema")
      #expect(trust == (db.isSQLite(since: 31) ? 0 : nil))
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = NULL")
      }
      // In defensive mode, the statement cannot even be prepared; otherwise, the file is opened as read-only.
      #expect(error?.condition == (db.isSQLite(since: 26) ? .statement : .readOnly), "\(String(describing: error))")
    }
    #expect(outcome.text.contains("probed"), "\(outcome.text)")
  }

  @Test(
    "A schema that uses the engine's JSON functions can be read, also where SQLite calls them unsafe",
    arguments: TestEngine.allCases,
    [
      "CREATE INDEX k ON a (json_extract(x, '$.kind'))", "CREATE INDEX k ON a (x) WHERE json_valid(x)",
      "ALTER TABLE a ADD COLUMN k AS (x ->> '$.kind')",
    ])
  func json(engine: TestEngine, change: String) throws {
    try #require(run("migrate", engine).exitCode == 0)
    let queue = try engine.queue(path: path)
    // From 3.38, all builds have these functions.
    guard try queue.read({ $0.isSQLite(since: 38) }) else { return }
    try queue.write { db in try db.execute(sql: "UPDATE a SET x = '{}'; \(change)") }
    try queue.close()
    for command in ["status", "plan", "verify", "dump", "diagram"] {
      let outcome = run(command, engine)
      #expect(!outcome.text.contains("unsafe") && outcome.exitCode != 3, "\(command): \(outcome.text)")
    }
    let rebuilt = run("rebuild --force --force-foreign --keep-data --yes", engine)
    #expect(rebuilt.exitCode == 0 && rebuilt.text.contains("Kept the rows of a (1)"), "\(rebuilt.text)")
  }

  @Test("Only commands that change a database trust it", arguments: TestEngine.allCases)
  func commands(engine: TestEngine) throws {
    try #require(run("migrate", engine).exitCode == 0)
    for command in [
      "status", "plan", "verify", "migrate --dry-run", "diff", "dump", "diagram", "check", "lint",
    ] {
      let openings = Lock<[Opening]>([])
      _ = run(command, engine, openings: openings)
      #expect(openings.withLock { $0 }.allSatisfy { !$0.trustsSchema && $0.isReadOnly }, "\(command)")
      if ["status", "plan", "verify", "dump", "diagram"].contains(command) {
        #expect(!openings.withLock { $0 }.isEmpty, "\(command)")
      }
    }
    let openings = Lock<[Opening]>([])
    let rebuilt = run("rebuild --force --force-foreign --keep-data --yes", engine, openings: openings)
    #expect(rebuilt.exitCode == 0, "\(rebuilt.text)")
    let readers = openings.withLock { $0 }.filter(\.isReadOnly)
    // The rows come from the backup, which may be from elsewhere; a fresh copy of the database itself is trusted like it.
    #expect(readers.contains { $0.isUnchanging && !$0.trustsSchema })
    #expect(readers.filter { !$0.isUnchanging }.allSatisfy { !$0.trustsSchema })
  }
}

extension Database {
  /// Returns whether the SQLite that runs, possibly inside SQLCipher, has at least version 3.`minor`.
  fileprivate func isSQLite(since minor: Int) -> Bool {
    let text = (try? String.fetchOne(self, sql: "SELECT sqlite_version()")) ?? ""
    return text.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0 >= minor
  }
}
