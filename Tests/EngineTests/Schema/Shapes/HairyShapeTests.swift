import Migrator
import TestEngines
import Testing

@Suite("Altering hairy tables")
struct HairyShapeTests {
  @Test(
    "what a change does not name is as it was, for the engine's own pragmas", arguments: TestEngine.allCases,
    ShapeChange.allCases)
  func shapes(engine: TestEngine, change: ShapeChange) throws {
    var faults: [String] = []
    var left: [String] = []
    for shape in HairyShape.all {
      try engine.inMemoryQueue().writeWithoutTransaction { db in
        let version = try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? ""
        guard (Int(version.split(separator: ".")[1]) ?? 0) >= shape.needs else { return left.append(shape.name) }
        do { try db.execute(sql: "PRAGMA foreign_keys = OFF; \(shape.sql)") } catch {
          return faults.append("\(shape.name) cannot be made: \(error)")
        }
        let before = try PragmaInventory(db)
        do {
          try db.inTransaction {
            try db.apply(.alterTable(name: shape.table, alterations: change.steps))
            return .commit
          }
        } catch {
          faults.append("\(shape.name): \(error)")
          return
        }
        let after = try PragmaInventory(db)
        let expected = before.lines.compactMap { change.expected($0, table: shape.table) }.sorted()
        let found = after.lines.compactMap { change.found($0, table: shape.table) }.sorted()
        if expected != found {
          let gone = expected.filter { !found.contains($0) }
          let new = found.filter { !expected.contains($0) }
          faults.append("\(shape.name): gone \(gone), new \(new)")
        }
        let check = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        if check != ["ok"] { faults.append("\(shape.name): \(check)") }
        if shape.name == "full-text content" { try db.execute(sql: "INSERT INTO f(f) VALUES ('integrity-check')") }
      }
    }
    if !left.isEmpty { print("\(engine) cannot hold: \(left)") }
    #expect(faults.isEmpty, "\(faults.count): \(faults.joined(separator: "\n"))")
  }
}

/// A change of column `c`, or of nothing, and what it may alter in an inventory.
enum ShapeChange: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case nothing, defaultValue, notNull, check, rename, drop, type

  var testDescription: String { rawValue }

  var steps: [TableAlteration] {
    switch self {
    case .nothing: [.reorderColumns([]), .verifyRows]
    case .defaultValue: [.changeColumn(name: "C", ColumnChange([.defaultValue(.sql("7"))])), .verifyRows]
    case .notNull: [.changeColumn(name: "c", ColumnChange([.notNull(.init())]))]
    case .check: [.addConstraint(.check("c <> 'never'")), .verifyRows]
    case .rename: [.renameColumn(name: "c", newName: "new name")]
    case .drop: [.dropColumn(name: "c")]
    case .type: [.changeColumn(name: "c", ColumnChange([.type("ANY")]))]
    }
  }

  /// A line of the inventory before, as it has to be afterwards; nil when it may be anything.
  func expected(_ line: String, table: String) -> String? { mayChange(line, table) ? nil : line }

  /// A line of the inventory afterwards; nil when it may be anything.
  func found(_ line: String, table: String) -> String? { mayChange(line, table) ? nil : line }

  private func mayChange(_ line: String, _ table: String) -> Bool {
    if self == .nothing { return false }
    if line.hasPrefix("main table \(table) of ") { return true }
    if line.hasPrefix("column \(table).c:") || line.hasPrefix("column \(table).new name:") { return true }
    if self == .rename || self == .drop {
      return line.hasPrefix("values \(table).c:") || line.hasPrefix("values \(table).new name:")
    }
    return false
  }
}
