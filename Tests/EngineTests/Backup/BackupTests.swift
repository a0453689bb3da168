import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Backups: the same database in another file")
struct BackupTests {
  static let marker = "a sentence that no one else may read"

  /// Returns a database with unusual settings.
  static func queue(_ engine: TestEngine, _ path: String, _ mode: JournalMode) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      guard try db.schema().objects.isEmpty else { return }
      try db.execute(sql: "PRAGMA encoding = 'UTF-16le'; PRAGMA auto_vacuum = 1")
    }
    let dbQueue = try DatabaseQueue(engine.backend(path: path), configuration: configuration)
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note (rowid, text) VALUES (77, '\(marker)')")
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
      try db.execute(sql: "CREATE TABLE bytes (data BLOB)")
      for _ in 1...50 { try db.execute(sql: "INSERT INTO bytes VALUES (randomblob(20000))") }
      try db.execute(sql: "PRAGMA user_version = 5; PRAGMA application_id = 6; DELETE FROM bytes WHERE rowid % 3 = 0")
    }
    return dbQueue
  }

  /// Returns the contents that two databases must have in common.
  static func content(_ db: Database) throws -> [String] {
    let settings = try ["user_version", "application_id", "encoding", "auto_vacuum", "page_size", "integrity_check"].map
    {
      try String(describing: Row.fetchOne(db, sql: "PRAGMA \($0)")?.databaseValues)
    }
    let rows = try Row.fetchAll(db, sql: "SELECT rowid, * FROM note").map(\.description)
    let bytes = try Row.fetchAll(db, sql: "SELECT rowid, hex(data) FROM bytes").map { try $0[1] as String }
    return settings + rows + bytes + (try db.schema().objects.map { "\($0)" })
  }

  @Test(
    "a copy has the same rows, rowids, settings and key, in each journal mode",
    arguments: TestTier.pairs(TestEngine.allCases, JournalMode.allCases))
  func same(engine: TestEngine, mode: JournalMode) throws {
    let (path, copy) = (try engine.temporaryPath(), try engine.temporaryPath())
    let dbQueue = try Self.queue(engine, path, mode)
    try dbQueue.backup(to: copy)
    let content = try dbQueue.read(Self.content)
    try dbQueue.close()
    #expect(try !engine.isEncrypted || Data(contentsOf: URL(filePath: copy)).range(of: Data("a".utf16le)) == nil)
    let copied = try DatabaseQueue(engine.backend(path: copy))
    #expect(try copied.read(Self.content) == content)
    // The copy is writable, too.
    try copied.write { db in try db.execute(sql: "INSERT INTO note VALUES ('more')") }
    try copied.close()
    #expect(!FileManager.default.fileExists(atPath: copy + ".unfinished"))
  }

  @Test("a link that has the temporary name of a backup's file is not followed", arguments: TestEngine.allCases)
  func plantedLinks(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    try folder.write(Data("another program's file".utf8), to: "target")
    let dbQueue = try DatabaseQueue(engine.backend(path: folder.file("db")))
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    for (link, target) in [("link", "target"), ("dangling", "missing"), ("hard", nil)] {
      for suffix in ["", "-wal", "-shm", "-journal"] {
        let (copy, planted) = (folder.file(link + suffix), folder.file("\(link)\(suffix).unfinished\(suffix)"))
        if let target {
          try FileManager.default.createSymbolicLink(atPath: planted, withDestinationPath: folder.file(target))
        } else {
          try FileManager.default.linkItem(atPath: folder.file("target"), toPath: planted)
        }
        try dbQueue.backup(to: copy)
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.type] as? FileAttributeType == .typeRegular)
        #expect(!FileManager.default.fileExists(atPath: planted))
      }
    }
    #expect(try folder.bytes(of: "target") == Data("another program's file".utf8))
    #expect(try !folder.names().contains("missing"))
    try dbQueue.close()
  }

  @Test(
    "if another user replaces the folder during a backup, it fails, and neither folder changes",
    arguments: TestEngine.allCases)
  func replacedFolder(engine: TestEngine) throws {
    let (outer, database) = (try TemporaryFolder(), try TemporaryFolder())
    let (path, moved, other) = (outer.file("backups"), outer.file("moved"), outer.file("other"))
    for folder in [path, other] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }
    let dbQueue = try DatabaseQueue(engine.backend(path: database.file("db")))
    try dbQueue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
    let name = "db.backup-20260131T235959.123Z"
    let names = ["", ".unfinished", ".unfinished-journal"].map { name + $0 }
    for name in names { try outer.write(Data(name.utf8), to: "other/" + name) }
    let result = Result {
      try dbQueue.write { db in
        try BackupFolder(ofDatabaseAt: database.file("db"), in: path)
          .makeBackup(of: db, at: "2026-01-31T23:59:59.123Z") { _ in
            rename(path, moved)
            symlink(other, path)
          }
      }
    }
    for name in names { #expect(try outer.bytes(of: "other/" + name) == Data(name.utf8)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: other).sorted() == names)
    #expect(try FileManager.default.contentsOfDirectory(atPath: moved).isEmpty)
    let error = #expect(throws: DatabaseError.self) { try result.get() }
    #expect(error?.condition == .denied)
    try dbQueue.close()
  }

  @Test(
    "the copy contains changes that another connection has committed, and no uncommitted ones",
    arguments: TestEngine.allCases)
  func others(engine: TestEngine) async throws {
    let (path, copy) = (try engine.temporaryPath(), try engine.temporaryPath())
    let dbPool = try DatabasePool(engine.backend(path: path))
    try await dbPool.write { db in try db.execute(sql: "CREATE TABLE a (x)") }
    let other = try DatabasePool(engine.backend(path: path))
    try await other.write { db in
      for _ in 1...300 { try db.execute(sql: "INSERT INTO a VALUES (randomblob(5000))") }
    }
    try await other.writeWithoutTransaction { db in
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO a VALUES (1)")
        try dbPool.backup(to: copy)
        return .commit
      }
    }
    let copied = try DatabaseQueue(engine.backend(path: copy))
    try await copied.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM a") == 300)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
    }
    try copied.close()
    try other.close()
    try dbPool.close()
  }

  @Test("an existing file is not touched, and a database in memory is refused", arguments: TestEngine.allCases)
  func refused(engine: TestEngine) throws {
    let (path, copy) = (try engine.temporaryPath(), try engine.temporaryPath())
    try Data("mine".utf8).write(to: URL(filePath: copy))
    let dbQueue = try Self.queue(engine, path, .delete)
    for taken in [copy, path] {
      let error = #expect(throws: DatabaseError.self) { try dbQueue.backup(to: taken) }
      #expect(error?.condition == .misuse)
    }
    #expect(try Data(contentsOf: URL(filePath: copy)) == Data("mine".utf8))
    let missing = #expect(throws: DatabaseError.self) { try dbQueue.backup(to: copy + "/no/folder") }
    #expect(missing?.condition == .folderMissing)
    let memory = #expect(throws: DatabaseError.self) { try engine.inMemoryQueue().backup(to: copy + "2") }
    #expect(memory?.condition == .unsupported)
    #expect(!FileManager.default.fileExists(atPath: copy + "2"))
    try dbQueue.close()
  }

  @Test("the second name that a power failure left to a finished copy is removed", arguments: TestEngine.allCases)
  func secondName(engine: TestEngine) throws {
    let (path, copy) = (try engine.temporaryPath(), try engine.temporaryPath())
    let dbQueue = try Self.queue(engine, path, .delete)
    try dbQueue.backup(to: copy)
    // As between link(2) and unlink(2), on a file system without exclusive renames.
    try FileManager.default.linkItem(atPath: copy, toPath: copy + ".unfinished")
    let error = #expect(throws: DatabaseError.self) { try dbQueue.backup(to: copy) }
    #expect(error?.condition == .misuse)
    #expect(!FileManager.default.fileExists(atPath: copy + ".unfinished"))
    #expect(FileManager.default.fileExists(atPath: copy))
    try dbQueue.close()
  }

  @Test("a read-only connection can back up, and a canceled task leaves no file", arguments: TestEngine.allCases)
  func readOnlyAndCancelled(engine: TestEngine) async throws {
    let (path, copy) = (try engine.temporaryPath(), try engine.temporaryPath())
    try Self.queue(engine, path, .delete).close()
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(engine.backend(path: path), configuration: configuration)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await dbQueue.backup(to: copy)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: URL(filePath: copy).deletingLastPathComponent().path).isEmpty)
    try await dbQueue.backup(to: copy)
    #expect(FileManager.default.fileExists(atPath: copy))
    try dbQueue.close()
  }

  @Test("after a kill at a random moment, a file with a backup's name is complete", arguments: TestEngine.allCases)
  func killed(engine: TestEngine) throws {
    var random = SeededGenerator.announced("kill backups \(engine)")
    let path = try engine.temporaryPath()
    let folder = URL(filePath: path).deletingLastPathComponent().path
    let dbQueue = try Self.queue(engine, path, .wal)
    let content = try dbQueue.read(Self.content)
    try dbQueue.close()
    var unfinished = 0
    for kill in 1...12 {
      let worker = try WorkerProcess(engine, path, "back-up")
      worker.waitUntilReady()
      Thread.sleep(forTimeInterval: Double.random(in: 0...0.1, using: &random))
      #expect(worker.isRunning)
      worker.kill()
      _ = try worker.finish()
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.contains("-copy-") {
        if name.hasSuffix(".unfinished") {
          unfinished += 1
        } else if !name.hasSuffix("-shm"), !name.hasSuffix("-wal") {
          let copied = try DatabaseQueue(engine.backend(path: "\(folder)/\(name)"))
          #expect(try copied.read(Self.content) == content, "after kill \(kill)")
          try copied.close()
        }
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }
    #expect(unfinished > 0, "no kill fell into a backup")
  }

  @Test("a full disk is reported as such, and no file is left", arguments: TestEngine.allCases)
  func full(engine: TestEngine) throws {
    let (path, copy) = (try engine.temporaryPath(), try engine.temporaryPath())
    try Self.queue(engine, path, .delete).close()
    let worker = try WorkerProcess(engine, path, "back-up-limited", copy)
    #expect(try worker.finish().output.contains("refused as full"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: URL(filePath: copy).deletingLastPathComponent().path).isEmpty)
  }
}

extension String {
  fileprivate var utf16le: [UInt8] { BackupTests.marker.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] } }
}
