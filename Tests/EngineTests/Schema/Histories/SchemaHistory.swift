import Migrator
import TestEngines

/// Random changes of a random schema, with methods in one database and by hand in another.
struct SchemaHistory {
  struct Counts {
    var histories = 0
    var changes = 0
    /// The number of changes that the rows do not allow, in either way.
    var misfits = 0
    var refusals = 0
    /// Refusals of changes that are possible by hand.
    var needless: [String: Int] = [:]
    var kinds: [String: Int] = [:]
    var differences: [String] = []
  }

  /// The kinds of changes that a thousand histories must contain.
  static let kinds = [
    "add column", "add constraint", "change check", "change checks", "change collate", "change column",
    "change copying",
    "change default", "change notNull", "change nullable", "change references", "change type", "create object",
    "create table", "drop check", "drop column", "drop constraint", "drop foreign key", "drop object",
    "drop primary key", "drop table", "drop unique key", "recreate", "rename column", "rename table", "reorder",
    "set primary key",
  ]

  private let engine: TestEngine
  private let fault: HandmadeFault?
  private(set) var counts = Counts()

  init(_ engine: TestEngine, fault: HandmadeFault? = nil) {
    self.engine = engine
    self.fault = fault
  }

  /// Runs the history of a seed, and again with a check after each change if the results differ.
  mutating func run(seed: UInt64) throws {
    let before = counts
    guard try differs(seed: seed, looksClosely: false) != nil else { return }
    counts = before
    if let text = try differs(seed: seed, looksClosely: true) { counts.differences.append("seed \(seed): \(text)") }
  }

  private mutating func differs(seed: UInt64, looksClosely: Bool) throws -> String? {
    let (words, hand) = (try engine.inMemoryQueue(), try engine.inMemoryQueue())
    return try words.writeWithoutTransaction { words in
      try hand.writeWithoutTransaction { hand in try differs(seed, words, hand, looksClosely) }
    }
  }

  private mutating func differs(
    _ seed: UInt64, _ words: Database, _ hand: Database, _ looksClosely: Bool
  ) throws -> String? {
    var generator = ModelGenerator(seed: seed, abilities: words.engine.abilities)
    var schema = generator.schema()
    var log: [String] = []
    func run(_ sql: String) -> Outcome? {
      log.append(sql)
      let (first, second) = (outcome { try words.execute(sql: sql) }, outcome { try hand.execute(sql: sql) })
      // When a key's REPLACE deletes a row, SQLite 3.15 leaves it in partial indexes and in indexes on expressions. A
      // query that reads such an index returns the row, until a change by hand or by methods recreates the index.
      if looksClosely, let flaws = try? Set(words.defects()).intersection(hand.defects()), !flaws.isEmpty {
        for db in [words, hand] { try? db.execute(sql: "REINDEX") }
      }
      guard first != second else { return first }
      log.append("by methods: \(first), by hand: \(second)")
      return nil
    }
    var spelling = ModelSpelling(generator.random)
    var sql = ["PRAGMA foreign_keys = OFF"]
    for table in schema.tables { sql.append(schema.createSQL(table, &spelling)) }
    for object in schema.objects { sql.append(schema.text(object.sql, &spelling)) }
    for sql in sql {
      guard let outcome = run(sql) else { return log.joined(separator: "\n") }
      // Some random statements are invalid on every engine, for example with contradicting conflict clauses.
      guard outcome == .done else { return nil }
    }
    for table in schema.tables {
      for _ in 0..<Int.random(in: 0...4, using: &generator.random) {
        guard run(generator.insertion(into: table, schema)) != nil else { return log.joined(separator: "\n") }
      }
    }
    counts.histories += 1
    for _ in 0..<Int.random(in: 1...4, using: &generator.random) {
      guard var change = generator.change(schema) else { continue }
      log.append(change.text.joined(separator: "; "))
      let byWords = outcome {
        try words.inTransaction(.immediate) {
          try change.words(words)
          return .commit
        }
      }
      fault?.make(in: &change)
      if let text = try compare(byWords, change, &schema, hand) {
        return (log + [text]).joined(separator: "\n")
      }
      if looksClosely, let text = try HistoryState(words).difference(from: HistoryState(hand)) {
        return (log + [text]).joined(separator: "\n")
      }
      for _ in 0..<Int.random(in: 0...2, using: &generator.random) {
        guard run(generator.work(schema)) != nil else { return log.joined(separator: "\n") }
      }
    }
    if let text = try HistoryState(words).difference(from: HistoryState(hand)) {
      return (log + [text]).joined(separator: "\n")
    }
    let found = try Set(words.defects()).subtracting(try hand.defects())
    return found.isEmpty ? nil : (log + found).joined(separator: "\n")
  }

  /// Makes the change by hand, and returns how the result differs.
  private mutating func compare(
    _ byWords: Outcome, _ change: ModelChange, _ schema: inout ModelSchema, _ hand: Database
  ) throws -> String? {
    let steps = HandmadeSteps(change: change, old: schema, db: hand)
    switch byWords {
    case .refused(let message):
      counts.refusals += 1
      guard !change.hasToBeRefused else { return nil }
      // Checks whether the change is possible in a transaction that is rolled back.
      if outcome({ try steps.runInVain() }) == .done { counts.needless[message, default: 0] += 1 }
      return nil
    case .done:
      let byHand = outcome { try steps.run() }
      guard byHand == .done, !change.hasToBeRefused else { return "done by methods, by hand: \(byHand)" }
      schema = change.schema
      counts.changes += 1
      for kind in change.kinds { counts.kinds[kind, default: 0] += 1 }
      return nil
    case .misfit:
      let byHand = outcome { try steps.run() }
      counts.misfits += 1
      if case .misfit = byHand { return nil }
      return "by methods: \(byWords), by hand: \(byHand)"
    case .failed: return "by methods: \(byWords)"
    }
  }
}

/// The outcome of a change or a statement.
enum Outcome: Equatable {
  case done
  case refused(String)
  case misfit(DatabaseError.Constraint)
  case failed(String)
}

func outcome(_ body: () throws -> Void) -> Outcome {
  do {
    try body()
    return .done
  } catch let error as DatabaseError {
    switch error.condition {
    case .constraint(let constraint): return .misfit(constraint)
    case .typeMismatch: return .misfit(.dataType)
    case .unsupported, .statement: return .refused(error.message)
    default: return .failed("\(error)")
    }
  } catch { return .failed("\(error)") }
}

extension Database {
  /// Returns the faults in the file.
  ///
  /// Unused pages do not count: SQLite 3.15 loses a page when a statement that creates an object fails.
  fileprivate func defects() throws -> [String] {
    try String.fetchAll(self, sql: "PRAGMA integrity_check").filter { $0 != "ok" && !$0.contains("is never used") }
  }
}
