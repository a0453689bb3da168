import Dispatch
import Migrator
import SQLCipherBackend
import TestEngines

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension WorkerTask {
  /// Performs all operations that could leave the rows of a database, or its key, in a file: sorting, temporary tables,
  /// rollbacks, rebuilding, comparing schemas, rehearsing, backups, VACUUM, and conversions if the database is
  /// encrypted.
  static func leaveTraces(_ engine: TestEngine, _ path: String, journalMode: JournalMode?) throws {
    var configuration = Configuration()
    configuration.journalMode = journalMode
    // A small cache, so that pages are written before a transaction ends.
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = 20") }
    let dbQueue = try DatabaseQueue(engine.backend(path: path, key: .passphrase), configuration: configuration)
    var migrator = DatabaseMigrator()
    migrator.backup = .beforeMigrating(keep: 3)
    for step in SecretRows.steps {
      migrator.registerMigration(step.name, migrate: step.run)
      migrator.eraseDatabaseOnSchemaChange = true
      let rehearsal = try dbQueue.read { [migrator] db in try migrator.rehearse(db, copying: .allRows) }
      guard rehearsal.failure == nil else { fail("\(rehearsal)") }
      try migrator.migrate(dbQueue)
    }
    try dbQueue.writeWithoutTransaction { db in
      try SecretRows.undo(db)
      _ = try migrator.hasSchemaChanges(db)
      _ = try migrator.plan(db)
    }
    try dbQueue.vacuum()
    try dbQueue.backup(to: path + "-backup")
    try dbQueue.close()
    if engine.isEncrypted { try convert(engine, path) }
  }

  /// Converts to another key, to another page size, and back.
  private static func convert(_ engine: TestEngine, _ path: String) throws {
    let options = ConversionOptions(engine: engine.source)
    let (key, otherKey) = (TestKey.passphrase.encryptionKey, SecretRows.rawKey)
    var smaller = CipherSettings()
    smaller.pageSizeInBytes = 2048
    try SQLCipher.rekey(path, from: key, to: otherKey, options: options)
    try SQLCipher.upgrade(path, key: otherKey, from: CipherSettings(), to: smaller, options: options)
    try SQLCipher.upgrade(path, key: otherKey, from: smaller, to: CipherSettings(), options: options)
    try SQLCipher.rekey(path, from: otherKey, to: key, options: options)
  }

  /// Writes to separate databases on several threads, and ends the process meanwhile.
  static func exitWhileWriting(_ engine: TestEngine, _ path: String, threads: Int, microseconds: UInt32) throws {
    // Registered before the exit functions of the engine's libraries, and therefore called after them: meanwhile, the threads
    // try to use what these have torn down.
    _ = atexit { usleep(100_000) }
    let hasBegun = DispatchSemaphore(value: 0)
    for number in 0..<threads {
      // Every other thread writes once, and then repeatedly opens and closes its database.
      let writes = number.isMultiple(of: 2)
      DispatchQueue(label: "writer \(number)").async {
        var isFirst = true
        while true {
          // Calls fail only because the process ends.
          guard let dbQueue = try? DatabaseQueue(engine.backend(path: "\(path)-\(number)", key: .raw)) else { continue }
          while isFirst || writes {
            try? dbQueue.write { db in
              try db.execute(
                sql: """
                  CREATE TABLE IF NOT EXISTS t (a);
                  INSERT INTO t VALUES (zeroblob(9000)); DELETE FROM t WHERE rowid % 3 = 0;
                  """)
            }
            if isFirst { hasBegun.signal() }
            isFirst = false
          }
          try? dbQueue.close()
        }
      }
    }
    for _ in 0..<threads { hasBegun.wait() }
    usleep(microseconds)
    exit(0)
  }
}
