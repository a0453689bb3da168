import Foundation
import Migrator
import SQLiteBackend
import TestEngines
import Testing

/// A file that an application has open by itself is opened by path through the same copy of the engine, and through no
/// other: closing it would drop the application's locks.
@Suite("One copy of an engine a file", .serialized)
struct SameCopyTests {
  /// A database without encryption, so that any engine can open it.
  private func plain(_ engine: TestEngine, _ path: String) throws -> DatabaseQueue {
    try DatabaseQueue(SQLite(path: path, engine: .library(engine.loadablePath())))
  }

  private func isLocked(_ engine: TestEngine, _ path: String) throws -> Bool {
    let (code, output) = try WorkerProcess(engine, path, "try-writing").finish()
    #expect(code == 0, "\(output)")
    return output.contains("locked")
  }

  @Test(
    "The same copy opens the file, and the application's lock and committed rows survive",
    arguments: TestEngine.allCases,
    [JournalMode.delete, .wal])
  func sameCopy(engine: TestEngine, mode: JournalMode) throws {
    let path = try engine.temporaryPath()
    let app = try AppConnection(engine, path: path, isKeyed: false)
    _ = try app.rows("PRAGMA journal_mode = \(mode.rawValue)")
    try app.execute("CREATE TABLE app (x)\nBEGIN IMMEDIATE\nINSERT INTO app VALUES (1)")
    let dbQueue = try plain(engine, path)
    #expect(try dbQueue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM app") } == 0)
    try dbQueue.close()
    #expect(try isLocked(engine, path))
    try app.execute("COMMIT")
    #expect(try !isLocked(engine, path))
    #expect(try app.rows("SELECT x FROM app") == ["1"])

    let migrator = NumberedMigrations.migrator(count: 3, rows: 5)
    let other = try plain(engine, path)
    try migrator.migrate(other)
    #expect(try app.rows("SELECT count(*) FROM item_2") == ["5"])
    try other.close()
    #expect(app.close() == 0)
  }

  @Test("Another copy is refused, and the application's lock survives that, too", arguments: TestEngine.allCases)
  func otherCopy(engine: TestEngine) throws {
    for other in TestEngine.allCases where other != engine {
      let path = try engine.temporaryPath()
      let app = try AppConnection(engine, path: path, isKeyed: false)
      try app.execute("CREATE TABLE app (x)\nBEGIN IMMEDIATE\nINSERT INTO app VALUES (1)")
      for _ in 0..<3 {
        let error = #expect(throws: DatabaseError.self) { _ = try plain(other, path) }
        #expect(error?.condition == .openedByAnotherEngine)
      }
      #expect(try isLocked(engine, path))
      try app.execute("COMMIT")
      // The copy that has the file open may open it still.
      try plain(engine, path).close()
      #expect(app.close() == 0)
      try plain(other, path).close()
    }
  }

  @Test("Without the refusal the application's lock would be gone")
  func power() throws {
    let path = try TestEngine.sqlite.temporaryPath()
    let app = try AppConnection(.sqlite, path: path)
    try app.execute("CREATE TABLE app (x)\nBEGIN IMMEDIATE\nINSERT INTO app VALUES (1)")
    let other = try AppConnection(.sqlCipher4, path: path, isKeyed: false)
    _ = try other.rows("SELECT count(*) FROM app")
    #expect(other.close() == 0)
    #expect(try !isLocked(.sqlite, path))
  }

  @Test(
    "Other connections of the application see the old schema or the new one while it migrates",
    arguments: TestEngine.allCases)
  func readers(engine: TestEngine) throws {
    let path = try engine.temporaryPath()
    let writer = try AppConnection(engine, path: path)
    _ = try writer.rows("PRAGMA journal_mode = WAL")
    var migrator = DatabaseMigrator()
    migrator.registerMigration("rows") { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, x);
          WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO item SELECT i, i FROM n;
          """)
    }
    try migrator.migrate(writer.borrowed())
    let (isDone, reads, problems) = (Lock(false), Lock(0), Lock<[String]>([]))
    let threads = (0..<3).map { _ in
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        do {
          let reader = try AppConnection(engine, path: path)
          while !isDone.value {
            try reader.execute("BEGIN")
            let sums = try reader.rows("SELECT count(*) || ' ' || sum(id) FROM item")
            let definition = try reader.rows("SELECT sql FROM sqlite_master WHERE name = 'item'")
            try reader.execute("COMMIT")
            reads.withLock { $0 += 1 }
            if sums != ["1000 500500"] || definition.count != 1 {
              problems.withLock { $0.append("\(sums) \(definition)") }
            }
          }
        } catch {
          problems.withLock { $0.append("\(error)") }
        }
        ended.signal()
      }
      return ended
    }
    for round in 0..<10 {
      migrator.registerMigration("round \(round)") { db in
        try db.alter(table: "item") { t in
          t.change(column: "x") { c in round.isMultiple(of: 2) ? c.notNull() : c.nullable() }
        }
      }
      try migrator.migrate(writer.borrowed())
    }
    isDone.withLock { $0 = true }
    for ended in threads { ended.wait() }
    #expect(problems.value == [])
    #expect(reads.value > 0)
  }
}
