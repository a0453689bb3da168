import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Promise 9: encrypted stays encrypted")
struct EncryptionTests {
  /// Text that occurs nowhere else, not even in another case of the test: cases run at the same time, in one process.
  private let marker = "zebra-crossing-marker-\(UUID())"

  /// Writes the marker in every way that could leave it in a file, and returns the files that contain it at that time.
  private func filesWithMarker(_ engine: TestEngine, _ mode: JournalMode) throws -> [String] {
    let folder = try TemporaryFolder.forThisRun()
    var configuration = Configuration()
    configuration.journalMode = mode
    let dbQueue = try DatabaseQueue(engine.backend(path: folder + "/test.db"), configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.create(table: "t") { t in t.column("a", .text) }
      let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
      let padding = String(repeating: "-", count: 600)
      for index in 0..<6_000 { try insert.execute(arguments: ["\(marker) \(index % 977)\(padding)"]) }
    }
    migrator.registerMigration("v2") { db in
      // A sort larger than memory, a temporary table and an index use temporary files.
      try db.execute(
        sql: """
          CREATE TEMPORARY TABLE copy AS SELECT a FROM t ORDER BY a DESC;
          CREATE INDEX i ON t (a);
          UPDATE t SET a = a || '!';
          """)
    }
    migrator.eraseDatabaseOnSchemaChange = true
    try migrator.migrate(dbQueue)
    var found: [String] = []
    try dbQueue.writeWithoutTransaction { db in
      try db.inTransaction {
        try db.execute(sql: "UPDATE t SET a = a || '?'; CREATE TEMPORARY TABLE more AS SELECT a FROM t ORDER BY a")
        found = try files(in: folder).filter { try contains($0) } + openTemporaryFiles().filter { try contains($0) }
        return .rollback
      }
    }
    try dbQueue.close()
    return found + (try files(in: folder).filter { try contains($0) })
  }

  @Test(
    "no file of an encrypted database contains inserted text",
    arguments: TestTier.pairs(TestEngine.allCases, [JournalMode.delete, .wal]))
  func noPlaintext(engine: TestEngine, mode: JournalMode) throws {
    let found = try filesWithMarker(engine, mode)
    if engine.isEncrypted {
      #expect(found.isEmpty)
    } else {
      // The search works: it finds the marker in an unencrypted database.
      #expect(found.contains { $0.hasSuffix("test.db") })
      #expect(found.contains { $0.hasPrefix("/proc/self/fd/") })
      #expect(found.contains { $0.hasSuffix(mode == .wal ? "-wal" : "-journal") })
    }
  }

  private func files(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).map { folder + "/" + $0 }
  }

  /// Returns the unlinked files of this process, such as the engines' temporary files.
  private func openTemporaryFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { "/proc/self/fd/" + $0 }
      .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: $0))?.hasSuffix("(deleted)") == true }
  }

  /// Returns whether a file contains the marker.
  ///
  /// Reads the file through a separate descriptor in a separate process: closing a descriptor of the database in this
  /// process would release the engine's locks. Skips pipes: a descriptor may have been closed and its number reused since
  /// it was listed, and the separate process would wait for the end of its own output.
  private func contains(_ path: String) throws -> Bool {
    let real = path.replacingOccurrences(of: "/proc/self/", with: "/proc/\(getpid())/")
    return try ProgramRun(["/bin/grep", "-q", "-a", "-F", "-D", "skip", marker, real]).exitCode == 0
  }
}
