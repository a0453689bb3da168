internal import Foundation
internal import Migrator
internal import SQLCipherBackend
internal import SQLMigrations
internal import SQLiteBackend
internal import SQLiteEngine

/// The work of one run, done with the library; `Raw/jobs.c` does the same in plain C.
struct Job {
  private let call: Call
  private let migrator: DatabaseMigrator
  /// The migrations as the plugin `EmbedSQLMigrations` writes them into a program.
  private let embedded: [SQLMigration]
  private let body: (Job) throws -> Void
  private let uncounted = Uncounted()

  init?(_ call: Call) {
    guard let body = Self.bodies[call.job] else { return nil }
    self.call = call
    self.body = body
    let embedded = call.sql.enumerated().map { index, sql in
      SQLMigration(
        identifier: "migration \(index + 1)", path: "Migrations/\(index + 1).sql",
        checksum: String(repeating: String(index % 10), count: 64), sql: sql)
    }
    migrator = call.job.hasSuffix("-embedded") ? Self.migrator(of: embedded) : Self.migrator(for: call)
    self.embedded = embedded
  }

  /// Loads the engine's library, which is not part of a job (nor is it in C).
  func loadLibrary() throws {
    _ = try EngineLibrary.load(call.key.isEmpty ? .sqlite : .sqlCipher, from: .library(call.library))
  }

  /// Prepares the next run, outside the measured time: an installation cannot be repeated in the same file.
  func makeReadyAgain() throws {
    if call.job.hasPrefix("install") { try FileManager.default.removeItem(atPath: call.file) }
  }

  func run() throws { try body(self) }

  /// Returns the time of the last run that does not count.
  func takeUncounted() -> Duration { uncounted.take() }

  private static let bodies: [String: @Sendable (Job) throws -> Void] = [
    "script": { try $0.runScript() },
    "pool": { try $0.readInPool() },
    "open": { try $0.migrate() },
    "open-checked": { try $0.migrate() },
    "open-embedded": { try $0.migrate() },
    "register-embedded": { try $0.registerEmbedded() },
    "install-embedded": { try $0.migrate() },
    "install": { try $0.migrate() },
    "install-grouped": { try $0.migrate() },
    "install-borrowed": { try $0.migrateBorrowed() },
    "insert": { try $0.migrate() },
    "insert-array": { try $0.migrate() },
    "recreate": { try $0.migrate() },
    "fleet-open": { try $0.migrateFleet() },
    "fleet-install": { try $0.migrateFleet() },
    "encrypt": { try $0.encrypt() },
    "read": { try $0.read(Self.sumByIndex) },
    "read-next": { try $0.read(Self.sumByNext) },
    "read-by-name": { try $0.read(Self.sumByName) },
  ]

  private static func migrator(for call: Call) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.commits = call.job == "install-grouped" ? .grouped : .eachMigration
    migrator.eraseDatabaseOnSchemaChange = call.job == "open-checked"
    if call.job.hasPrefix("insert") {
      migrator.registerMigration("migration 1") { db in try insertRows(db, call) }
    } else {
      for (index, sql) in call.sql.enumerated() {
        migrator.registerMigration("migration \(index + 1)") { db in try db.execute(sql: sql) }
      }
    }
    return migrator
  }

  private static func insertRows(_ db: Database, _ call: Call) throws {
    try db.execute(sql: call.sql[0])
    let statement = try db.makeStatement(sql: call.sql[1])
    if call.job == "insert" {
      for index in 0..<call.count { try statement.execute(values: index, "name", 1.5) }
    } else {
      for index in 0..<call.count { try statement.execute(arguments: [index, "name", 1.5]) }
    }
  }

  private func withQueue(_ body: (DatabaseQueue) throws -> Void) throws {
    let dbQueue = try DatabaseQueue(backend)
    try body(dbQueue)
    try dbQueue.close()
  }

  /// Encrypts a file.
  ///
  /// The time of the final comparison does not count, since an export does not compare.
  private func encrypt() throws {
    let options = ConversionOptions(engine: .library(call.library)) { [uncounted] progress in
      guard progress.completedUnitCount == 0 else { return }
      if progress.phase == .verifying { uncounted.begin() }
      if progress.phase == .finishing { uncounted.end() }
    }
    try SQLCipher.encrypt(call.file, key: encryptionKey, options: options)
  }

  /// Migrates each database of a folder, whose names are numbers.
  private func migrateFleet() throws {
    try FileManager.default.createDirectory(atPath: call.file, withIntermediateDirectories: true)
    let fleet = DatabaseFleet(
      (0..<call.count).map { SQLite(path: "\(call.file)/\($0)", engine: .library(call.library)) })
    let done = DispatchSemaphore(value: 0)
    let failure = Lock<(any Error)?>(nil)
    Task { [migrator] in
      do {
        for try await outcome in migrator.migrate(fleet, concurrency: 2) { _ = try outcome.result.get() }
      } catch {
        failure.withLock { $0 = error }
      }
      done.signal()
    }
    done.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private var backend: any DatabaseBackend {
    guard !call.key.isEmpty else { return SQLite(path: call.file, engine: .library(call.library)) }
    return SQLCipher(path: call.file, key: encryptionKey, engine: .library(call.library))
  }

  private var encryptionKey: EncryptionKey {
    guard call.key.hasPrefix("x'") else { return .passphrase(call.key) }
    let digits = Array(call.key.dropFirst(2).dropLast())
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    return .raw(bytes)
  }

  private func runScript() throws {
    try withQueue { dbQueue in
      try dbQueue.writeWithoutTransaction { db in
        for sql in call.sql { try db.execute(sql: sql) }
      }
    }
  }

  /// Opens a pool and keeps readers inside their reads until all have arrived.
  private func readInPool() throws {
    let dbPool = try DatabasePool(backend)
    let (sql, count) = (call.sql[0], call.count)
    let arrived = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let failure = Lock<(any Error)?>(nil)
    for _ in 0..<count {
      dbPool.asyncRead { result in
        do {
          _ = try Int.fetchOne(result.get(), sql: sql)
        } catch {
          failure.withLock { $0 = error }
        }
        arrived.signal()
        leave.wait()
      }
    }
    for _ in 0..<count { arrived.wait() }
    for _ in 0..<count { leave.signal() }
    try dbPool.close()
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func migrate() throws { try withQueue { try migrator.migrate($0) } }

  /// Migrates a connection that the application has opened.
  private func migrateBorrowed() throws {
    let connection = try AppConnection(path: call.file, library: call.library)
    try migrator.migrate(SQLite.borrowing(connection.pointer))
  }

  /// Registers the embedded migrations, as an app does when it starts, and applies them.
  private func registerEmbedded() throws {
    let migrator = Self.migrator(of: embedded)
    try withQueue { try migrator.migrate($0) }
  }

  private static func migrator(of embedded: [SQLMigration]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.commits = .grouped
    migrator.registerMigrations(embedded)
    return migrator
  }

  private func read(_ sum: (RowCursor) throws -> (rows: Int, sum: Double)) throws {
    try withQueue { dbQueue in
      let result = try dbQueue.read { db in try sum(Row.fetchCursor(db, sql: call.sql[0])) }
      precondition(result.rows == call.count && result.sum > 0, "The job has not read its rows.")
    }
  }

  private static func sumByIndex(_ cursor: RowCursor) throws -> (rows: Int, sum: Double) {
    var (rows, sum) = (0, 0.0)
    try cursor.forEach { row in
      let (id, name, value): (Int64, String, Double) = try (row[0], row[1], row[2])
      sum += Double(id) + Double(name.utf8.count) + value
      rows += 1
    }
    return (rows, sum)
  }

  /// Does the same as ``sumByIndex(_:)`` in a loop in the program, where each row is retained and released.
  private static func sumByNext(_ cursor: RowCursor) throws -> (rows: Int, sum: Double) {
    var (rows, sum) = (0, 0.0)
    while let row = try cursor.next() {
      let (id, name, value): (Int64, String, Double) = try (row[0], row[1], row[2])
      sum += Double(id) + Double(name.utf8.count) + value
      rows += 1
    }
    return (rows, sum)
  }

  private static func sumByName(_ cursor: RowCursor) throws -> (rows: Int, sum: Double) {
    var (rows, sum) = (0, 0.0)
    try cursor.forEach { row in
      let (id, name, value): (Int64, String, Double) = try (row["id"], row["name"], row["value"])
      sum += Double(id) + Double(name.utf8.count) + value
      rows += 1
    }
    return (rows, sum)
  }
}
