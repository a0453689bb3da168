import Foundation
import Migrator
import SQLSyntax
import TestEngines
import Testing

/// Tests of two programs that change at random and migrate one database in turns.
///
/// A run makes 3, 12 or 1,000 histories per engine, by its tier. MIGRATOR_HISTORIES=n makes n;
/// MIGRATOR_SEED=s begins with that seed, which is printed.
@Suite("Several migrators on one database: random histories")
struct MigratorHistoryTests {
  private static let environment = ProcessInfo.processInfo.environment

  private static let count: Int = {
    if let count = environment["MIGRATOR_HISTORIES"].flatMap(Int.init) { return count }
    return TestTier.pick(3, full: 12, soak: 1000)
  }()

  private static let seed = SeededGenerator.seed(of: "histories of several migrators")

  @Test(
    "with separate ledgers, each migrator works as if it were alone, and deletes nothing of the other",
    arguments: TestEngine.allCases)
  func ownLedgers(engine: TestEngine) throws {
    let counts = try Self.run(until: { $0.refused > 0 && $0.erased > 0 }) { seed, counts in
      var pair = try Pair(engine, seed)
      try pair.run(&counts)
    }
    print("\(engine): \(counts)")
    #expect(counts.committed > 0 && counts.refused > 0 && counts.erased > 0)
  }

  @Test("with a shared ledger, neither migrator deletes anything of the other", arguments: TestEngine.allCases)
  func oneLedger(engine: TestEngine) throws {
    let counts = try Self.run(until: { $0.refused > 0 }) { seed, counts in
      var pair = try SharingPair(engine, seed)
      try pair.run(&counts)
    }
    print("\(engine): \(counts)")
    #expect(counts.committed > 0 && counts.refused > 0)
  }

  /// Runs the requested number of histories, and more if these do not cover everything: by chance, a dozen of them may
  /// never erase.
  private static func run(
    until isTelling: (Counts) -> Bool, _ history: (_ seed: UInt64, inout Counts) throws -> Void
  ) throws -> Counts {
    var counts = Counts()
    for number in 0..<(count * 20) where number < count || !isTelling(counts) {
      try history(seed + UInt64(number), &counts)
    }
    return counts
  }

  struct Counts {
    var committed = 0
    var failed = 0
    var refused = 0
    var erased = 0
  }
}

/// Two migrators with separate ledgers; each also migrates a database alone, for comparison.
private struct Pair {
  private let seed: UInt64
  private var generator: SeededGenerator
  private var programs: [EvolvingMigrator]
  private let together: DatabaseQueue
  private let alone: [DatabaseQueue]

  init(_ engine: TestEngine, _ seed: UInt64) throws {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    programs = [
      EvolvingMigrator(ledgerTable: "migrator_history", prefix: "a"),
      EvolvingMigrator(ledgerTable: "sdk's history", prefix: "b"),
    ]
    together = try engine.inMemoryQueue()
    alone = [try engine.inMemoryQueue(), try engine.inMemoryQueue()]
    guard Int.random(in: 0..<4, using: &generator) == 0 else { return }
    // The first migrator adopts the history of another tool.
    programs[0].add(.wrapped)
    programs[0].adopted = .grdb
    for dbQueue in [together, alone[0]] {
      try dbQueue.write { db in
        try db.execute(
          sql: """
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); CREATE TABLE a_t1 (x);
            INSERT INTO grdb_migrations VALUES ('a1'); CREATE INDEX a_t1_i ON a_t1 (x); INSERT INTO a_t1 VALUES (1), (2)
            """)
      }
    }
  }

  mutating func run(_ counts: inout MigratorHistoryTests.Counts) throws {
    var log: [String] = []
    for _ in 0..<8 {
      let turn = Int.random(in: 0...1, using: &generator)
      let before = programs[turn]
      let change = programs[turn].change(using: &generator)
      let erasing = Bool.random(using: &generator)
      let migrator = programs[turn].migrator(
        erasing: erasing, commits: .random(using: &generator) ? .grouped : .eachMigration)
      log.append("\(migrator.ledgerTable) \(change), erasing: \(erasing)")
      let isDone = try migrate(migrator, turn, &counts, log)
      try compare(log)
      // After an error, a program usually undoes its change.
      if !isDone, Int.random(in: 0..<4, using: &generator) > 0 { programs[turn] = before }
    }
  }

  /// - Returns: Whether the migrations ran.
  private func migrate(
    _ migrator: DatabaseMigrator, _ turn: Int, _ counts: inout MigratorHistoryTests.Counts, _ log: [String]
  ) throws -> Bool {
    let reasons = try? alone[turn].read(migrator.schemaChanges)
    // The other migrator's ledger, and the history of a tool that is not adopted yet.
    let tool = programs[turn].adopted == nil ? ["grdb_migrations"] : []
    let others = try together.read { db in
      try ([programs[1 - turn].ledgerTable] + tool).filter { table in
        guard try db.tableExists(table) else { return false }
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedIdentifier)") != 0
      }
    }
    let erases = migrator.eraseDatabaseOnSchemaChange && reasons?.isEmpty == false
    let outcome = outcome(migrator, on: together)
    guard !erases || others.isEmpty else {
      counts.refused += 1
      let expected = MigrationError.erasureRefused(
        .otherMigrators(
          ledgerTable: migrator.ledgerTable, others: others, reasons: reasons ?? []))
      #expect(outcome == "\(expected)", "seed \(seed)\n\(log.joined(separator: "\n"))")
      return false
    }
    #expect(outcome == self.outcome(migrator, on: alone[turn]), "seed \(seed)\n\(log.joined(separator: "\n"))")
    if erases { counts.erased += 1 }
    if outcome == nil { counts.committed += 1 } else { counts.failed += 1 }
    return outcome == nil
  }

  private func outcome(_ migrator: DatabaseMigrator, on dbQueue: DatabaseQueue) -> String? {
    do {
      try migrator.migrate(dbQueue)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func compare(_ log: [String]) throws {
    for (program, dbQueue) in zip(programs, alone) {
      let migrator = program.migrator()
      let (found, expected) = (
        try together.read { $0.words(of: migrator) }, try dbQueue.read { $0.words(of: migrator) }
      )
      for (found, expected) in zip(found, expected) where found != expected {
        Issue.record(
          "seed \(seed): \(migrator.ledgerTable)\n\(log.joined(separator: "\n"))\nfound \(found)\nalone \(expected)")
      }
    }
  }
}

/// Two migrators that do not know each other and both use the default ledger.
private struct SharingPair {
  private let seed: UInt64
  private var generator: SeededGenerator
  private var programs = ["a", "b"].map { EvolvingMigrator(ledgerTable: "migrator_history", prefix: $0) }
  private let dbQueue: DatabaseQueue

  init(_ engine: TestEngine, _ seed: UInt64) throws {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    dbQueue = try engine.inMemoryQueue()
  }

  mutating func run(_ counts: inout MigratorHistoryTests.Counts) throws {
    var log: [String] = []
    for _ in 0..<16 {
      let turn = Int.random(in: 0...1, using: &generator)
      let before = programs[turn]
      let change = programs[turn].change(using: &generator)
      let erasing = Bool.random(using: &generator)
      let migrator = programs[turn].migrator(erasing: erasing)
      log.append("\(programs[turn].prefix) \(change), erasing: \(erasing)")
      let others = try rows(programs[1 - turn])
      do {
        try migrator.migrate(dbQueue)
        counts.committed += 1
      } catch MigrationError.erasureRefused {
        counts.refused += 1
        programs[turn] = before
      } catch is MigrationError {
        counts.failed += 1
        if Int.random(in: 0..<4, using: &generator) > 0 { programs[turn] = before }
      }
      #expect(try rows(programs[1 - turn]) == others, "seed \(seed)\n\(log.joined(separator: "\n"))")
    }
  }

  /// Returns the number of rows in each table that a program has created.
  private func rows(_ program: EvolvingMigrator) throws -> [String: Int] {
    try dbQueue.read { db in
      let tables = try db.schema().objects.filter { $0.kind == .table && $0.name.hasPrefix("\(program.prefix)_") }
      return try Dictionary(
        uniqueKeysWithValues: tables.map { table in
          (table.name, try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.name)") ?? 0)
        })
    }
  }
}
