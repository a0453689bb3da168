import Migrator
import SQLCipherBackend
import SQLiteEngine
import TestEngines
import Testing

@Suite("Erasing encrypted databases")
struct EncryptedErasingTests {
  private static let marker = Array("zebra-crossing".utf8)
  private static let key = (0..<32).map { UInt8($0) }

  /// Writes the marker everywhere: to rows, definitions, free pages, and the remainders of dropped definitions.
  private func fill(_ db: Database) throws {
    try db.execute(
      sql: """
        PRAGMA secure_delete = 0;
        CREATE TABLE dropped (a DEFAULT 'zebra-crossing'); INSERT INTO dropped VALUES ('zebra-crossing');
        CREATE TABLE freed (a); INSERT INTO freed VALUES (replace(hex(zeroblob(40000)), '00', 'zebra-crossing'));
        CREATE TABLE sqliteX (id INTEGER PRIMARY KEY AUTOINCREMENT, a DEFAULT 'zebra-crossing');
        INSERT INTO sqliteX VALUES (1, replace(hex(zeroblob(40000)), '00', 'zebra-crossing'));
        CREATE VIRTUAL TABLE r USING rtree(id, a, b); INSERT INTO r VALUES (1, 2, 3);
        CREATE VIRTUAL TABLE f USING fts4(a); INSERT INTO f VALUES ('zebra-crossing');
        """)
    for number in 0..<40 { try db.execute(sql: "CREATE VIEW \"zebra-crossing \(number)\" AS SELECT * FROM freed") }
    for number in 0..<40 { try db.execute(sql: "DROP VIEW \"zebra-crossing \(number)\"") }
    try db.execute(sql: "DROP TABLE dropped; DROP TABLE freed; PRAGMA user_version = 7; PRAGMA application_id = 8")
  }

  private func holdsMarker(_ folder: TemporaryFolder, _ settings: CipherSettings, _ engine: TestEngine) throws -> Bool {
    let isOld = try engine.library().cipherMajorVersion ?? 0 < 4
    let pageSize = settings.pageSizeInBytes ?? (isOld ? 1024 : 4096)
    let pages = try DecryptedFile.bytes(
      Array(folder.bytes(of: "db")), key: Self.key, pageSize: pageSize, reserved: isOld ? 48 : 80)
    return pages.firstRange(of: Self.marker) != nil
  }

  @Test(
    "Key, salt, settings and numbers are kept; free pages contain no old data",
    arguments: TestTier.pairs(TestEngine.encrypting, [JournalMode.delete, .wal]))
  func erased(engine: TestEngine, mode: JournalMode) throws {
    for pageSize in [nil, 8192] {
      var settings = CipherSettings()
      settings.pageSizeInBytes = pageSize
      let folder = try TemporaryFolder()
      var configuration = Configuration()
      configuration.journalMode = mode
      func open() throws -> DatabaseQueue {
        try DatabaseQueue(
          SQLCipher(path: folder.file("db"), key: .raw(Self.key), settings: settings, engine: engine.source),
          configuration: configuration)
      }
      var dbQueue = try open()
      try dbQueue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA encoding = 'UTF-8'")
        try fill(db)
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try dbQueue.close()
      let salt = try folder.bytes(of: "db").prefix(16)
      #expect(try holdsMarker(folder, settings, engine))

      dbQueue = try open()
      try dbQueue.writeWithoutTransaction { db in
        try db.withoutForeignKeys {
          try db.inTransaction {
            try db.eraseInTransaction()
            return .commit
          }
        }
      }
      try dbQueue.close()
      #expect(try !holdsMarker(folder, settings, engine))
      #expect(try folder.bytes(of: "db").prefix(16) == salt)
      #expect(try folder.names() == ["db"])
      dbQueue = try open()
      try dbQueue.write { db throws in
        #expect(try db.schema().objects.isEmpty)
        #expect(try db.userVersion == 7)
        #expect(try db.applicationID == 8)
        #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
        #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == mode.rawValue)
      }
      try dbQueue.close()
      #expect(
        try SQLCipher.diagnose(
          folder.file("db"), key: .raw(Self.key), settings: settings, engine: engine.source)
          == .encrypted(settings))
    }
  }
}
