import Migrator
import TestEngines

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The tasks of the worker.
enum WorkerTask {
  /// Waits for a line on the standard input, then migrates, and prints each migration when it is committed.
  static func migrate(
    _ engine: TestEngine, _ path: String, _ migrator: DatabaseMigrator, journalMode: JournalMode?
  ) throws {
    var configuration = Configuration()
    configuration.journalMode = journalMode
    print("ready")
    fflush(nil)
    _ = readLine()
    let dbQueue = try DatabaseQueue(engine.backend(path: path), configuration: configuration)
    try migrator.run(dbQueue) { event in
      guard case .committed(let identifier, _, _, _) = event else { return }
      print("committed \(identifier)")
      fflush(nil)
    }
    try dbQueue.close()
  }

  /// Waits for a line on the standard input, then migrates a connection that it has opened itself, and that waits for no
  /// lock.
  static func migrateBorrowed(_ engine: TestEngine, _ path: String, _ migrator: DatabaseMigrator) throws {
    print("ready")
    fflush(nil)
    _ = readLine()
    let connection = try AppConnection(engine, path: path)
    try migrator.migrate(connection.borrowed())
    guard connection.close() == 0 else { fail("the connection does not close") }
  }

  /// Reports whether another process holds the write lock of a file without encryption.
  static func tryWriting(_ engine: TestEngine, _ path: String) throws {
    let connection = try AppConnection(engine, path: path, isKeyed: false)
    do {
      try connection.execute("BEGIN IMMEDIATE\nROLLBACK")
      print("free")
    } catch let error as AppConnection.Failure where error.code == 5 {
      print("locked")
    }
  }

  /// Drops the superuser's privileges and migrates like an unprivileged user.
  static func migrateUnprivileged(_ engine: TestEngine, _ path: String, count: Int, rows: Int) throws {
    let unprivileged: uid_t = 65534
    // Load the library first: it may be in a folder that only the superuser can read.
    _ = try engine.library()
    if getuid() == 0 {
      guard setgid(unprivileged) == 0, setuid(unprivileged) == 0 else { fail("cannot drop privileges") }
    }
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    let migrator = NumberedMigrations.migrator(count: count, rows: rows)
    try migrator.migrate(dbQueue)
    let applied = try dbQueue.read { db in try migrator.appliedMigrations(db) }
    print("applied \(applied.joined(separator: " "))")
    try dbQueue.close()
  }

  /// Changes the schema endlessly, so that the process can be killed at any moment.
  static func rewrite(_ engine: TestEngine, _ path: String, named name: String) throws {
    guard let change = KilledChange(rawValue: name) else { fail("unknown change") }
    print("ready")
    fflush(nil)
    _ = readLine()
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    for round in 0..<10_000 { try change.run(dbQueue, ledgerTable: "round_\(round)_\(getpid())") }
  }

  /// Makes one backup after another endlessly, so that the process can be killed at any moment.
  static func backUp(_ engine: TestEngine, _ path: String) throws {
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    print("ready")
    fflush(nil)
    for number in 0..<100_000 {
      try dbQueue.backup(to: "\(path)-copy-\(number)")
      // Keep only the last one; a kill leaves that one and the next.
      if number > 0 { unlink("\(path)-copy-\(number - 1)") }
    }
  }

  /// Makes a backup on a simulated full disk.
  static func backUpLimited(_ engine: TestEngine, _ path: String, to copy: String) throws {
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    // Further writes then fail with EFBIG, as with a quota; without this, a signal would end the process.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
    #if canImport(Glibc)
      let code = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      let code = setrlimit(RLIMIT_FSIZE, &limit)
    #endif
    guard code == 0 else { fail("no limit") }
    do {
      try dbQueue.backup(to: copy)
      print("backed up")
    } catch let error as DatabaseError {
      print("refused as \(error.condition)")
    }
  }

  /// Rebuilds a table, and ends after one of the statements; without a number, endlessly, so that it can be killed.
  static func rebuild(
    _ engine: TestEngine, _ path: String, isAttached: Bool = false, killedAfter statement: Int?
  ) throws {
    print("ready")
    fflush(nil)
    if statement == nil { _ = readLine() }
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    if isAttached { try dbQueue.writeWithoutTransaction { db in try KilledRebuild.attach(db, besides: path) } }
    let schema = isAttached ? KilledRebuild.attachedSchema : nil
    for _ in 0..<10_000 { try KilledRebuild.run(dbQueue, inSchema: schema, killedAfter: statement) }
  }

  /// Converts a file; the options are `keeping`, to keep the original, and `unprivileged`, to drop all privileges.
  static func convert(_ engine: TestEngine, _ path: String, _ name: String, options: [String]) throws {
    guard let conversion = TestConversion(rawValue: name) else { fail("unknown conversion") }
    _ = try engine.library()
    if options.contains("unprivileged"), getuid() == 0 {
      guard setgid(65534) == 0, setuid(65534) == 0 else { fail("cannot drop privileges") }
    }
    print("\(try conversion.run(path, engine, keepingOriginal: options.contains("keeping")))")
  }

  /// Opens a file before or after its conversion, runs a script, waits for a line on the standard input, and runs
  /// another script on the same connection.
  static func access(
    _ engine: TestEngine, _ path: String, _ name: String, isConverted: Bool, patience: Int, sql: (String, String)
  ) throws {
    guard let conversion = TestConversion(rawValue: name) else { fail("unknown conversion") }
    let form = isConverted ? conversion.after(engine) : conversion.before(engine)
    let connection = try form.connect(path, engine, patience: .seconds(patience))
    try run(sql.0, on: connection)
    print("ready")
    fflush(nil)
    _ = readLine()
    try run(sql.1, on: connection)
    try connection.close()
  }

  private static func run(_ script: String, on connection: any DatabaseConnection) throws {
    var offset = 0
    while true {
      let next = try connection.prepare(script, utf8Offset: offset)
      guard let statement = next.statement else { return }
      while try statement.step() { print(statement.text(at: 0)) }
      offset = next.endOffset
    }
  }
}
