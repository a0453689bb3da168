import Migrator
import TestEngines

/// Random migrations that mostly create objects, in several ways.
struct RandomGroup: CustomStringConvertible {
  private typealias Run = @Sendable (Database) throws -> Void

  /// The result of a run: the failure, the warnings, the ledger without times, and the schema.
  struct Outcome: Equatable {
    var failed: String?
    var warnings: [String] = []
    var history: [String] = []
    var schema: [String] = []
  }

  private struct Step: CustomStringConvertible {
    enum Way: CaseIterable {
      case plain, ignoringErrors, inSavepoint, undone, retained, runningRetained, byApplication
    }
    var way: Way
    var sql: String
    var description: String { way == .plain ? sql : "\(way): \(sql)" }
  }

  // Unchecked: the migrations run one after the other, in one access.
  private struct Retained: @unchecked Sendable {
    var statement: Statement?
    var app: AppConnection?
  }

  private var migrations: [(mode: Migration.ForeignKeyMode, violationsUntil: String?, steps: [Step])] = []
  private let number: Int
  var leavesViolations: Bool { migrations.contains { $0.violationsUntil != nil } }
  var description: String { migrations.map { "\($0)" }.joined(separator: "\n") }

  init(number: Int, _ random: inout SeededGenerator) {
    self.number = number
    for place in 0..<8 {
      let steps = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let isPlain = Int.random(in: 0..<4, using: &random) > 0
        return Step(
          way: isPlain ? .plain : Step.Way.allCases.randomElement(using: &random) ?? .plain, sql: Self.sql(&random))
      }
      let modes: [Migration.ForeignKeyMode] = Array(repeating: .deferred, count: 14) + [.immediate, .unchecked]
      let mode = modes.randomElement(using: &random) ?? .deferred
      let leaves = number % 4 == 0 && place < 7 && Int.random(in: 0..<6, using: &random) == 0
      migrations.append((mode, leaves ? "m\(Int.random(in: place + 1...7, using: &random))" : nil, steps))
    }
  }

  private static func sql(_ random: inout SeededGenerator) -> String {
    let (one, two) = (Int.random(in: 0...3, using: &random), Int.random(in: 0...3, using: &random))
    let harmless = [
      "CREATE TABLE t\(one) (x)", "CREATE TABLE IF NOT EXISTS t\(one) (x)", "CREATE TABLE u\(one) (x UNIQUE)",
      "CREATE TABLE IF NOT EXISTS u\(one) (x, y CHECK (y > 0))", "CREATE INDEX IF NOT EXISTS i\(one) ON old (x)",
      "CREATE TABLE IF NOT EXISTS v\(one) (x); CREATE INDEX IF NOT EXISTS j\(one) ON v\(one) (x) WHERE x > 0",
      "CREATE VIEW IF NOT EXISTS w\(one) AS SELECT * FROM old", "CREATE TEMP TABLE IF NOT EXISTS t\(one) (x)",
      "CREATE TABLE IF NOT EXISTS g\(one) (x); CREATE TRIGGER IF NOT EXISTS g\(one) INSERT ON g\(one) BEGIN SELECT 1; END",
      "/* a */ create -- b\n table if not exists 'T\(one)' (x)", "CREATE TABLE IF NOT EXISTS [a b\(one)] (x)",
      "CREATE TABLE IF NOT EXISTS main.\"T\(one)\" (x) WITHOUT ROWID", "CREATE TABLE IF NOT EXISTS temp.t\(one) (x)",
      "CREATE TABLE IF NOT EXISTS aux.t\(one) (x)",
      "CREATE TABLE IF NOT EXISTS p\(one) (x INTEGER PRIMARY KEY AUTOINCREMENT)",
      "CREATE INDEX IF NOT EXISTS i\(one) ON tmp (x)", "CREATE INDEX IF NOT EXISTS i\(one) ON bad (abs(x))",
      "CREATE TABLE IF NOT EXISTS c\(one) (x REFERENCES u\(two) (x))", "CREATE INDEX IF NOT EXISTS l\(one) ON lost (x)",
      "CREATE TABLE IF NOT EXISTS c\(one) (x REFERENCES u\(two) (x)); CREATE INDEX IF NOT EXISTS i\(one) ON c\(one) (x)",
      "CREATE TRIGGER IF NOT EXISTS o\(one) AFTER INSERT ON old BEGIN DELETE FROM u\(two); INSERT INTO c\(one) VALUES (7); END",
      "CREATE TABLE IF NOT EXISTS r\(one) (x, y AS (x + 1))", "CREATE TABLE IF NOT EXISTS z\(one) (x INT) STRICT",
      "create table t\(one)", "create index i\(one)", "",
    ]
    let others = [
      "DROP TABLE IF EXISTS t\(one)", "INSERT INTO old VALUES (1)", "SELECT count(*) FROM migrator_history",
      "ALTER TABLE old ADD COLUMN y\(one)", "DELETE FROM bad", "DELETE FROM lost; INSERT INTO c\(one) VALUES (9)",
      "CREATE TABLE IF NOT EXISTS s\(one) AS SELECT * FROM old", "INSERT INTO lost VALUES (8)",
      "SAVEPOINT s; CREATE TABLE k\(one) (x); ROLLBACK TO s; RELEASE s", "UPDATE lost SET x = x",
      "INSERT INTO c\(one) VALUES (1)", "INSERT INTO bound VALUES (1)", "INSERT INTO u\(one) (x) VALUES (9)",
      "CREATE UNIQUE INDEX IF NOT EXISTS k\(one) ON old (x)", "DROP VIEW IF EXISTS w\(one)",
      "DROP TABLE IF EXISTS c\(one)",
      "ALTER TABLE c\(one) RENAME TO c\(two)", "DROP INDEX IF EXISTS i\(one)", "nonsense",
    ]
    return Int.random(in: 0..<5, using: &random) == 0
      ? others.randomElement(using: &random) ?? "" : harmless.randomElement(using: &random) ?? ""
  }

  func outcome(
    _ engine: TestEngine, isBorrowed: Bool, _ commits: DatabaseMigrator.Commits, query: String = ""
  ) throws -> Outcome {
    let app = isBorrowed ? try AppConnection(engine) : nil
    defer { app?.close() }
    let dbQueue = isBorrowed ? nil : try engine.inMemoryQueue()
    // In some rounds, with a row that refers to a table that a migration may create, or to none.
    let orphan = number % 3 == 0 ? "INSERT INTO lost VALUES (9)" : ""
    // No index of absolute values can be created while the smallest integer is there; SQLite 3.15 does not undo the attempt.
    for sql in [
      "ATTACH ':memory:' AS aux", "CREATE TEMP TABLE tmp (x)", "CREATE TABLE old (x)", "CREATE TABLE t0 (x)",
      "CREATE TABLE bound (x REFERENCES old (x))", "CREATE TABLE bad (x)",
      engine == .sqlCipher3 ? "" : "INSERT INTO bad VALUES (-9223372036854775807 - 1)", "CREATE TABLE found (x UNIQUE)",
      "CREATE TABLE lost (x REFERENCES \(number % 2 == 0 ? "u1" : "found") (x))", "PRAGMA foreign_keys = OFF", orphan,
      "PRAGMA foreign_keys = ON",
    ] {
      try app?.execute(sql)
      try dbQueue?.writeWithoutTransaction { db in try db.execute(sql: sql) }
    }
    var migrator = DatabaseMigrator()
    migrator.commits = commits
    let warnings = Lock<[String]>([])
    migrator.notify = { text in warnings.withLock { $0.append(text) } }
    let retained = Lock(Retained(statement: nil, app: app))
    for (place, migration) in migrations.enumerated() {
      migrator.register(
        Migration(
          identifier: "m\(place)", mode: migration.mode, violationsUntil: migration.violationsUntil,
          work: .wrapped { db, _ in
            try db.execute(sql: query)
            for step in migration.steps { try Self.run(step, db, retained) }
          }))
    }
    var outcome = Outcome()
    do {
      if let app { try migrator.migrate(app.borrowed()) }
      if let dbQueue { try migrator.migrate(dbQueue) }
    } catch MigrationError.failed(let failure) {
      outcome.failed = "\(failure.identifier) \(failure.underlying)"
    }
    retained.withLock { $0 = Retained() }
    outcome.warnings = warnings.withLock { $0 }
    func rows(_ sql: String) throws -> [String] {
      try app?.rows(sql) ?? dbQueue?.read { db in try String.fetchAll(db, sql: sql) } ?? []
    }
    outcome.schema = try rows("SELECT name || ' ' || coalesce(sql, '') FROM sqlite_master")
    if outcome.schema.contains(where: { $0.hasPrefix("migrator_history ") }) {
      outcome.history = try rows(
        "SELECT identifier || position || ' ' || objects || ' ' || fingerprint FROM migrator_history")
    }
    return outcome
  }

  private static func run(_ step: Step, _ db: Database, _ retained: Lock<Retained>) throws {
    switch step.way {
    case .plain: try db.execute(sql: step.sql)
    case .ignoringErrors: try? db.execute(sql: step.sql)
    case .inSavepoint, .undone:
      try db.inSavepoint {
        try db.execute(sql: step.sql)
        return step.way == .undone ? .rollback : .commit
      }
    case .retained:
      let statement = try? db.makeStatement(sql: step.sql)
      retained.withLock { $0.statement = statement }
    case .byApplication:
      // The run counts only the rows that the application changes.
      if !step.sql.lowercased().contains("create"), !step.sql.contains("DROP"), !step.sql.contains("ALTER") {
        try retained.withLock { try $0.app?.execute(step.sql) }
      }
    case .runningRetained: try? retained.withLock { $0.statement }?.execute()
    }
  }
}
