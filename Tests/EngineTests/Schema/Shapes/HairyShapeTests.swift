import Foundation
import Migrator
import SQLSyntax
import TestEngines
import Testing

/// The everyday run makes each change of every tenth shape, Tools/test --full of every third, and Tools/soak of each, also of
/// each pair of properties.
@Suite("Altering complicated tables")
struct HairyShapeTests {
  @Test(
    "everything that a change does not mention is unchanged, according to the engine's own pragmas",
    arguments: TestTier.pairs(TestEngine.allCases, ShapeChange.allCases))
  func shapes(engine: TestEngine, change: ShapeChange) throws {
    var faults: [String] = []
    var left: [String] = []
    let offset = ShapeChange.allCases.firstIndex(of: change) ?? 0
    for (index, shape) in Self.all.enumerated() {
      // Each run tests the same shapes, and each change others than the next one.
      guard (index + offset).isMultiple(of: TestTier.pick(10, full: 3, soak: 1)) else { continue }
      try engine.inMemoryQueue().writeWithoutTransaction { db in
        let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
        guard (Int(version.split(separator: ".")[1]) ?? 0) >= shape.needs else { return left.append(shape.name) }
        if let fault = try Self.fault(of: change, in: shape, db) { faults.append("\(shape.name): \(fault)") }
      }
    }
    if change == .nothing { print("\(engine): \(Self.all.count - left.count) shapes; unsupported: \(left)") }
    let count = faults.count
    #expect(count == 0, "\(faults.prefix(2).joined(separator: "\n"))")
    #expect(Self.all.count >= 40 && Self.all.count - left.count >= 36)
  }

  private static let all: [HairyShape] = {
    HairyShape.all + HairyCombination.few.map(\.shape)
      + TestTier.pick([], full: [], soak: HairyCombination.pairs.map(\.shape))
  }()

  /// Returns the unwanted effects of a change; nil if there are none.
  private static func fault(of change: ShapeChange, in shape: HairyShape, _ db: Database) throws -> String? {
    do { try db.execute(sql: "PRAGMA foreign_keys = OFF; \(shape.sql)") } catch { return "cannot be made: \(error)" }
    let before = try lines(change, db)
    do {
      for step in try change.changes(of: shape, db) {
        try db.inTransaction {
          try db.apply(step)
          return .commit
        }
      }
      if change.hasToBeRefused(in: shape) { return "was not refused" }
    } catch {
      guard change.hasToBeRefused(in: shape) else { return "\(error)" }
    }
    let after = try lines(change, db)
    let gone = before.subtracting(after).filter { !change.mayGo($0, shape.table) }
    let new = after.subtracting(before).filter { !change.mayCome($0, shape.table) }
    guard gone.isEmpty, new.isEmpty else { return "gone \(gone), new \(new)" }
    if !change.isThereAndBack, ![.nothing, .recreate, .type].contains(change), before == after {
      return "nothing has changed"
    }
    let check = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { try !isFalseReport($0, db) }
    guard check == ["ok"] || check.isEmpty else { return "\(check)" }
    for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5%'") {
      try db.execute(sql: "INSERT INTO \(table)(\(table)) VALUES ('integrity-check')")
    }
    return nil
  }
}

extension HairyShapeTests {
  /// Returns whether the check wrongly reports NULL in a column, as SQLite 3.40 does for tables WITHOUT ROWID.
  private static func isFalseReport(_ line: String, _ db: Database) throws -> Bool {
    guard line == "NULL value in t.c" else { return false }
    return try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE c IS NULL") == 0
  }

  private static func lines(_ change: ShapeChange, _ db: Database) throws -> [String] {
    let lines = try PragmaInventory(db).lines
    guard change.mayChangeSpelling else { return lines }
    return lines.map { line in
      if line.hasPrefix("foreign key of ") { return line.lowercased() }
      guard line.hasPrefix("main ") || line.hasPrefix("temp "), let colon = line.range(of: ": ") else { return line }
      let text = SQLNormalization.canonicalText(of: String(line[colon.upperBound...]))
      // Old engines do not update qualified names when a table is renamed, so the names are not qualified.
      let isOwn = line.hasPrefix("main table ") || line.hasPrefix("main index ")
      return line[..<colon.upperBound] + (isOwn ? text.replacing("t . ", with: "") : text)
    }
  }
}

extension [String] {
  /// Returns the elements without those of another list, counting duplicates.
  func subtracting(_ others: [String]) -> [String] {
    var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
    return filter { line in
      guard let count = counts[line], count > 0 else { return true }
      counts[line] = count - 1
      return false
    }
  }
}
