import Migrator
import TestEngines
import Testing

@Suite("Samples: asynchronous migrations")
struct AsyncSampleTests {
  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.create(table: "t") { t in t.column("a") } }
    return migrator
  }

  @Test("a task migrates", arguments: TestEngine.allCases)
  func task(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    try await migrator.migrate(dbQueue)
    let applied = try await dbQueue.read { [migrator] db in try migrator.appliedIdentifiers(db) }
    #expect(applied == ["v1"])
    let completed = try await dbQueue.read { [migrator] db in try migrator.completedMigrations(db) }
    #expect(completed == ["v1"])
  }

  @Test("a completion gets a result with a usable database", arguments: TestEngine.allCases)
  func completion(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    let count = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int?, any Error>) in
      migrator.asyncMigrate(dbQueue) { result in
        continuation.resume(
          with: Result { try Int.fetchOne(result.get(), sql: "SELECT count(*) FROM t") })
      }
    }
    #expect(count == 0)
  }

  @Test("a completion of the older spelling gets a database and an error", arguments: TestEngine.allCases)
  func olderCompletion(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    var failing = migrator
    failing.registerMigration("v2") { db in try db.execute(sql: "no SQL") }
    let (tables, failed) = await withCheckedContinuation { (continuation: CheckedContinuation<(Int?, Bool), Never>) in
      failing.asyncMigrate(
        dbQueue,
        completion: { db, error in
          let tables = try? Int.fetchOne(db, sql: "SELECT count(*) FROM t")
          continuation.resume(returning: (tables, error is MigrationError))
        })
    }
    #expect(failed)
    #expect(tables == 0)
  }

  @Test("completions get an error for a closed database", arguments: TestEngine.allCases)
  func closed(engine: TestEngine) async throws {
    let dbQueue = try engine.temporaryQueue()
    try dbQueue.close()
    let failed = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      migrator.asyncMigrate(dbQueue) { result in
        if case .failure(let error as DatabaseError) = result {
          continuation.resume(returning: error.condition == .misuse)
        } else {
          continuation.resume(returning: false)
        }
      }
    }
    #expect(failed)
  }
}
