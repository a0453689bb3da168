import Migrator
import TestEngines
import Testing

/// Random migrations of tables in which each value is unique: a value that no cell contains afterwards is lost.
///
/// A run tries about 100, 1,000 or 20,000 migrations, by its tier; MIGRATOR_SEED=s begins with that seed, which is printed.
@Suite("Losses: random migrations")
struct RandomLossTests {
  private static let count = TestTier.pick(35, full: 350, soak: 7000)
  private static let seed = SeededGenerator.seed(of: "random losses")

  private struct Undo: Error {}

  @Test(
    "A question is asked if a value is gone and, with few exceptions, only then", arguments: TestEngine.allCases)
  func asks(engine: TestEngine) throws {
    var (asked, quiet, needless) = (0, 0, [String]())
    for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
      let migration = RandomLoss(seed: seed)
      let trial = try ToolTrial(engine, ["1_first.sql": migration.first])
      #expect(trial.run("migrate").exitCode == 0)
      // The engine may be too old for a statement, and some rows break a constraint.
      guard let lost = try Self.lostWords(trial, migration.others.joined()) else { continue }
      for (index, sql) in migration.others.enumerated() { try trial.write(sql, to: "\(index + 2)_next.sql") }
      let outcome = trial.run("migrate --confirm-loss")
      if lost.isEmpty { quiet += 1 } else { asked += 1 }
      let note = "seed \(seed), \(engine); lost: \(lost)\n\(migration.first)\n\(migration.others)\n\(outcome.text)"
      #expect([0, 5].contains(outcome.exitCode) && (lost.isEmpty || outcome.exitCode == 5), "\(note)")
      if lost.isEmpty, outcome.exitCode == 5 { needless.append(note) }
    }
    print("\(engine): \(asked) with a loss, \(quiet) without; \(needless.count) needless questions")
    // Where values may be that a migration has written itself, or joined to others, its text does not always show.
    #expect(needless.count * 50 <= Self.count, "\(needless.joined(separator: "\n"))")
    #expect(asked * 8 > Self.count && quiet * 8 > Self.count)
  }

  /// Returns the words that no cell contains after the migration; nil if the migration fails.
  private static func lostWords(_ trial: ToolTrial, _ sql: String) throws -> [String]? {
    try trial.use { queue in
      var lost: [String]?
      do {
        try queue.write { db in
          let before = try cells(db).filter { $0.hasSuffix("z") || (Int($0) ?? 0) > 900_000 }
          let rows = try rowCounts(db)
          try db.execute(sql: sql)
          let after = try cells(db).joined(separator: " ")
          // A table that has fewer rows is asked about, wherever they are.
          let shorter = try rowCounts(db).filter { $1 < rows[$0] ?? 0 }.keys
          lost = before.filter { !after.contains($0) } + shorter
          throw Undo()
        }
      } catch is DatabaseError {
        lost = nil
      } catch is Undo {}
      return lost
    }
  }

  private static func rowCounts(_ db: Database) throws -> [String: Int] {
    let tables = try db.schema().objects.filter { $0.kind == .table }
    return try Dictionary(uniqueKeysWithValues: tables.map { ($0.name, try db.rowCount(of: $0) ?? 0) })
  }

  private static func cells(_ db: Database) throws -> [String] {
    try db.schema().objects.filter { $0.kind == .table && !$0.name.hasPrefix("migrator_") }.flatMap { table in
      try Row.fetchAll(db, sql: "SELECT * FROM main.\(table.name)").flatMap { row in
        try (0..<row.count).compactMap { (try row[$0] as DatabaseValue).text }
      }
    }
  }
}

extension DatabaseValue {
  /// The value as text; nil for NULL.
  fileprivate var text: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    default: nil
    }
  }
}

/// A migration that creates two tables, and random ones that move, copy, empty and drop what they contain.
private struct RandomLoss {
  private(set) var first = ""
  private(set) var others = [""]

  private var random: SeededGenerator
  /// The columns of the tables besides the key.
  private var tables = ["t": ["w", "a", "b", "n"], "u": ["w", "v"]]
  /// The temporary copies, each with its columns and the table of which it is one.
  private var copies: [(name: String, columns: [String], table: String)] = []
  private var number = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    first = setup()
    for _ in 1...pick(1...3) {
      // A temporary table ends with its migration.
      if copies.isEmpty, others.last?.isEmpty == false, pick(0...2) == 0 { others.append("") }
      others[others.count - 1] += steps().map { $0 + ";\n" }.joined()
    }
    others.removeAll(where: \.isEmpty)
  }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

  private mutating func one<Value>(_ values: [Value]) -> Value { values[pick(0...(values.count - 1))] }

  private mutating func next(_ prefix: String) -> String {
    number += 1
    return "\(prefix)\(number)"
  }

  private mutating func setup() -> String {
    let option = one(["", "", "", " WITHOUT ROWID"])
    var lines = ["CREATE TABLE t (id INTEGER PRIMARY KEY, w TEXT, a TEXT, b TEXT, n INTEGER)\(option)"]
    for row in 1...pick(3...8) {
      var values = ["a", "b"].map { column in one(["NULL", "'\(column)\(row)z'", "'\(column)\(row)z'"]) }
      values.append(one(["NULL", "\(900_000 + row)"]))
      lines.append("INSERT INTO t VALUES (\(row), 't\(row)z', \(values.joined(separator: ", ")))")
    }
    lines.append("CREATE TABLE u (id INTEGER PRIMARY KEY, w TEXT, v TEXT)")
    for row in 1...pick(1...5) {
      lines.append("INSERT INTO u VALUES (\(row), 'u\(row)z', \(one(["NULL", "'v\(row)z'"])))")
    }
    if pick(0...3) == 0 { lines.append("CREATE INDEX t_n ON t (n)") }
    if pick(0...5) == 0 {
      lines.append("CREATE TABLE log (x)")
      lines.append("CREATE TRIGGER g AFTER UPDATE ON t BEGIN INSERT INTO log VALUES (new.id); END")
    }
    return lines.map { $0 + ";\n" }.joined()
  }

  /// Returns a condition with WHERE before it or, sometimes, none.
  private mutating func condition(_ columns: [String]) -> String {
    let column = one(columns)
    return one([
      "", "", " WHERE id = \(pick(1...6))", " WHERE id > \(pick(0...5))", " WHERE \(column) IS NULL",
      " WHERE \(column) IS NOT NULL", " WHERE id IN (1, 3, 5)",
    ])
  }

  private mutating func steps() -> [String] {
    let table = one(tables.keys.sorted())
    guard let columns = tables[table], !columns.isEmpty else { return [] }
    let (column, other) = (one(columns), one(columns))
    let condition = condition(columns)
    switch pick(0...17) {
    case 0: return ["UPDATE \(table) SET \(column) = \(one(["NULL", "''"]))\(condition)"]
    case 1:
      let new = next("k")
      tables[table]?.append(new)
      return ["ALTER TABLE \(table) ADD COLUMN \(new)", "UPDATE \(table) SET \(new) = \(column)\(condition)"]
    case 2:
      tables[table]?.removeAll { $0 == column }
      return ["ALTER TABLE \(table) DROP COLUMN \(column)"]
    case 3:
      let new = next("\(column)_")
      tables[table] = columns.map { $0 == column ? new : $0 }
      return ["ALTER TABLE \(table) RENAME COLUMN \(column) TO \(new)"]
    case 4:
      let new = next("\(table)_")
      tables[new] = tables.removeValue(forKey: table)
      return ["ALTER TABLE \(table) RENAME TO \(new)"]
    case 5, 6: return rebuild(table, columns, without: pick(0...2) == 0 ? column : nil, condition)
    case 7: return copy(table, columns, condition)
    case 8: return ["DELETE FROM \(table)\(condition)"]
    case 9 where table != "u" && tables["u"]?.contains("v") == true:
      return ["INSERT INTO u (v) SELECT \(column) FROM \(table)\(condition)"]
    case 10 where column != other:
      let new = next("k")
      tables[table] = columns.filter { $0 != column && $0 != other } + [new]
      return [
        "ALTER TABLE \(table) ADD COLUMN \(new)",
        "UPDATE \(table) SET \(new) = coalesce(\(other), '') || ', ' || coalesce(\(column), '')",
        "ALTER TABLE \(table) DROP COLUMN \(column)", "ALTER TABLE \(table) DROP COLUMN \(other)",
      ]
    case 11 where column != other:
      return ["UPDATE \(table) SET \(column) = \(other), \(other) = \(column)\(condition)"]
    case 12: return ["UPDATE \(table) SET \(column) = 'filled' WHERE \(column) IS NULL"]
    case 13: return ["INSERT INTO \(table) (w) VALUES ('more')"]
    // A row with the same key stands for a deleted one.
    case 14 where !others.joined().contains("DELETE"):
      let rows = "(id, \(column)) VALUES (\(pick(1...5)), 'new')"
      return ["INSERT INTO \(table) \(rows) ON CONFLICT (id) DO UPDATE SET \(column) = NULL"]
    case 15:
      let values = columns.map { $0 == column ? one([$0, "NULL"]) : $0 }.joined(separator: ", ")
      let names = columns.joined(separator: ", ")
      return ["REPLACE INTO \(table) (id, \(names)) SELECT id, \(values) FROM \(table)\(condition)"]
    case 16 where !copies.isEmpty:
      let copy = one(copies)
      guard let now = tables[copy.table], Set(now).isSuperset(of: copy.columns) else { return [] }
      let names = copy.columns.joined(separator: ", ")
      return ["DELETE FROM \(copy.table)", "INSERT INTO \(copy.table) (\(names)) SELECT \(names) FROM \(copy.name)"]
    case 17: return ["UPDATE \(table) SET id = id + 100\(condition)"]
    default: return []
    }
  }

  /// Returns the steps that replace a table with a new one of the same columns, or of all but one.
  private mutating func rebuild(
    _ table: String, _ columns: [String], without column: String?, _ condition: String
  ) -> [String] {
    let kept = columns.filter { $0 != column }
    tables[table] = kept
    let list = kept.joined(separator: ", ")
    let rows = kept.isEmpty ? "(id) SELECT id" : "(id, \(list)) SELECT id, \(list)"
    let (new, verb) = (next("new_"), one(["INSERT", "INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE"]))
    let constraint = pick(0...2) == 0 ? kept.last.map { ", UNIQUE (\($0))" } ?? "" : ""
    return [
      "CREATE TABLE \(new) (id INTEGER PRIMARY KEY\(kept.map { ", \($0)" }.joined())\(constraint))",
      "\(verb) INTO \(new) \(rows) FROM \(table)\(pick(0...2) == 0 ? condition : "")", "DROP TABLE \(table)",
      "ALTER TABLE \(new) RENAME TO \(table)",
    ]
  }

  private mutating func copy(_ table: String, _ columns: [String], _ condition: String) -> [String] {
    let name = next("c")
    let isTemporary = Bool.random(using: &random)
    if isTemporary { copies.append((name, columns, table)) } else { tables[name] = columns }
    return ["CREATE \(isTemporary ? "TEMP " : "")TABLE \(name) AS SELECT * FROM \(table)\(condition)"]
  }
}
