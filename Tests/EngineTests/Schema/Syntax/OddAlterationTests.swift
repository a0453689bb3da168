import Foundation
import Migrator
import TestEngines
import Testing

/// Changes the tables of Oddities.sql, and those to which its indexes, views, triggers and virtual tables belong, by this
/// library and by SQLite's own means: `ALTER TABLE` where the engine has it for the change, otherwise the twelve steps.
///
/// Tools/test makes one of the changes of every eighteenth definition, with --full of every fourth; Tools/soak makes all, with
/// three of the names.
@Suite("Altering odd tables")
struct OddAlterationTests {
  @Test(
    "a change has the same result as SQLite's own, or is refused and changes nothing", arguments: TestEngine.allCases)
  func alterations(engine: TestEngine) throws {
    let watch = TrialWatch("odd-alterations-\(engine.rawValue)", limit: .seconds(60))
    var trials = OddTrials()
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(Oddities.base)")
      for (index, definition) in try Oddities.definitions(nameCount: 3).enumerated() {
        for (number, change) in OddChange.allCases.enumerated() {
          guard
            Oddities.isLong
              || (index * 7 + number) % (TestTier.pick(18, full: 4, soak: 2) * OddChange.allCases.count) == 0
          else { continue }
          try db.inTransaction {
            guard (try? db.execute(sql: definition.sql)) != nil else { return .rollback }
            let name = "\(change) of \(definition.sql)"
            do { try watch.run(name) { try trials.run(change, definition, db) } } catch {
              trials.faults.append("\(name): \(error)")
            }
            return .rollback
          }
        }
      }
    }
    check(trials, engine)
    // Refused changes prove nothing.
    #expect(trials.equalCount > trials.count / 4)
  }

  @Test(
    "a change of a generated table has the same result as SQLite's own, or is refused and changes nothing",
    arguments: TestEngine.allCases)
  func generatedTables(engine: TestEngine) throws {
    let watch = TrialWatch("generated-alterations-\(engine.rawValue)", limit: .seconds(60))
    var trials = OddTrials()
    let seed = SeededGenerator.seed(of: "changes of generated tables")
    var generator = StatementGenerator(seed: seed)
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(Oddities.base)")
      for number in 0..<(Oddities.isLong ? 20_000 : TestTier.pick(36, full: 60)) {
        let definition = Oddities.Definition(template: generator.text(generator.tableDefinition()), name: "")
        let change = OddChange.allCases[number % OddChange.allCases.count]
        try db.inTransaction {
          guard (try? db.execute(sql: definition.sql)) != nil else { return .rollback }
          let name = "\(change) of \(definition.sql), MIGRATOR_SEED=\(seed)"
          do { try watch.run(name) { try trials.run(change, definition, db) } } catch {
            trials.faults.append("\(name): \(error)")
          }
          return .rollback
        }
      }
    }
    print("generated tables: ", terminator: "")
    check(trials, engine)
    // There are steps only for definitions of the simplest form.
    #expect(trials.equalCount > trials.count / 8)
  }

  private func check(_ trials: OddTrials, _ engine: TestEngine) {
    print("\(engine): \(trials.summary)")
    let count = trials.faults.count
    #expect(count == 0, "\(trials.faults.prefix(Oddities.isLong ? 50 : 5).joined(separator: "\n\n"))")
    #expect(trials.needless.values.reduce(0, +) * 50 < trials.count)
  }
}

/// The changes with one engine.
private struct OddTrials {
  var faults: [String] = []
  private(set) var count = 0
  /// The number of changes with the same result as SQLite's own.
  private(set) var equalCount = 0
  private var refusedCount = 0
  /// The numbers of changes that were compared with a statement, with the twelve steps, and with the state before.
  private var comparisons = (statement: 0, steps: 0, before: 0)
  /// Refusals of changes that are possible by SQLite's own means, by the message.
  private(set) var needless: [String: Int] = [:]

  var summary: String {
    "\(count) changes of odd tables, \(equalCount) equal to SQLite's own (\(comparisons.statement) to ALTER TABLE, "
      + "\(comparisons.steps) to the twelve steps), \(comparisons.before) that were compared with the state before, "
      + "\(refusedCount) refused, of which SQLite can make \(needless.values.reduce(0, +)): "
      + "\(needless.keys.sorted().prefix(8))"
  }

  /// Makes a change in both ways, in transactions that are rolled back.
  mutating func run(_ change: OddChange, _ definition: Oddities.Definition, _ db: Database) throws {
    guard let table = try OddChange.Table(definition, db) else { return }
    // Dropping a column that these objects use is refused.
    try table.surround(db, usesColumns: ![.dropFirst, .dropLast].contains(change))
    count += 1
    let before = try OddState(db)
    let name = "\(change) of \(definition.sql)"
    let (own, ownState) = try state(db) { try db.apply(change.change(of: table)) }
    let version = try String.fetchOne(db, sql: "SELECT sqlite_version()")?.split(separator: ".").dropFirst().first
    let reference = change.reference(of: table, version: version.flatMap { Int($0) } ?? 0)
    let (theirs, theirState) = try state(db) {
      switch reference {
      case .statement(let sql): try db.execute(sql: sql)
      case .steps(let sql): try table.steps(sql.replacing("NAME", with: definition.name), db)
      case .renamingSteps(let sql, let new):
        try table.steps(sql.replacing("NAME", with: definition.name), as: new, db)
      case .nothing: throw CancellationError()
      }
    }
    switch (own, theirs) {
    case (.done, .done):
      var isOwnDefinition = { (line: String) in false }
      // Constraints may be at other places of the definition.
      switch reference {
      case .statement, .nothing: comparisons.statement += 1
      case .steps, .renamingSteps:
        comparisons.steps += 1
        let name = change == .renameTable ? OddChange.newName : table.name
        isOwnDefinition = { $0.dropFirst("main ".count).hasPrefix("table \(name) of ".lowercased()) }
      }
      if let difference = ownState.difference(from: theirState, besides: isOwnDefinition) {
        faults.append("\(name): \(difference)")
      } else {
        equalCount += 1
      }
    case (.done, _):
      comparisons.before += 1
      let allowance = OddAllowance(change, of: table, before: before, after: ownState)
      if let difference = before.difference(from: ownState, besides: allowance.covers) {
        faults.append("\(name), which SQLite does not make (\(theirs)): \(difference)")
      }
    case (.failed(let message), _): faults.append("\(name): \(message)")
    case (.refused(let message), .done):
      refusedCount += 1
      needless["\(change): \(message)", default: 0] += 1
    default: refusedCount += 1
    }
    guard own != .done, let difference = before.difference(from: ownState) else { return }
    faults.append("\(name) was refused, but changed: \(difference)")
  }

  /// Runs a change, and returns the outcome and the state after it; rolls it back.
  private func state(_ db: Database, _ change: () throws -> Void) throws -> (Outcome, OddState) {
    var result: (Outcome, OddState)?
    try db.inSavepoint {
      let outcome = outcome(change)
      // SQLite 3.15 retains the columns of a view that it has read, and fails when a table of the view gets another one.
      // Undoing a change of the schema makes it read the schema again.
      try db.inSavepoint {
        try db.execute(sql: "CREATE TABLE main.\"not kept\"(a)")
        return .rollback
      }
      result = (outcome, try OddState(db))
      return .rollback
    }
    return try #require(result)
  }
}
