import Foundation
import Migrator
import SQLSyntax
import TestEngines
import Testing

/// Gives each engine the definitions of Oddities.sql, with names of every kind.
///
/// The normal suite uses each definition with two of the names; MIGRATOR_SOAK=1 uses it with all of them.
@Suite("SQL syntax: oddities")
struct OddityTests {
  private static let names = [
    "odd", "\"odd\"", "[odd]", "`odd`", "'odd'", "\"\"", "\" \"", "\"two words\"", "\"a\"\"b\"", "[a\"b]", "`a``b`",
    "\"a.b\"", "\"a;b\"", "\"a--b\"", "\"a/*b\"", "key", "\"select\"", "é日本", "\"😀\"", "\"UPPER\"", "\"100%_\"",
    "\"new\"",
    "\"rowid\"", "\"it's\"", "\"x]y\"", "\"line\nbreak\"", "_", "a$b",
  ]

  private static let base = """
    CREATE TABLE t1(a, b, c); CREATE TABLE t2(b, d); CREATE VIEW v1 AS SELECT a, d FROM t1, t2;
    CREATE VIRTUAL TABLE f1 USING fts4(body);
    """

  private static func definitions() throws -> [String] {
    let path = #filePath.replacing("OddityTests.swift", with: "Oddities.sql")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("--") }
    let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil
    return lines.enumerated().flatMap { index, line in
      let chosen = isLong ? names : [names[0], names[1 + index % (names.count - 1)]]
      return chosen.map { String(line).replacing("NAME", with: $0) }
    }
  }

  @Test(
    "a definition that the engine accepts is parsed and described, its dump loads, and its table is altered or refused",
    arguments: TestEngine.allCases)
  func oddities(engine: TestEngine) throws {
    let definitions = try Self.definitions()
    var accepted = 0
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: Self.base)
      for sql in definitions {
        try db.inTransaction {
          // The engine rejects what other versions accept; parsing that must not crash.
          let syntax = try? SQLTree(parsing: sql)
          guard (try? db.execute(sql: sql)) != nil else { return .rollback }
          accepted += 1
          if case .other? = syntax?.statement { Issue.record("not recognized: \(sql)") }
          if syntax == nil { Issue.record("not parsed: \(sql)") }
          try compare(sql, db, engine)
          return .rollback
        }
      }
    }
    print("\(engine): \(accepted) of \(definitions.count) odd definitions were accepted")
    #expect(accepted > definitions.count / 2)
  }

  private func compare(_ sql: String, _ db: Database, _ engine: TestEngine) throws {
    let schema = try db.schema()
    let copy = try engine.inMemoryQueue()
    do {
      let loaded = try copy.writeWithoutTransaction { copy in
        try copy.execute(sql: schema.sql())
        return try copy.schema()
      }
      #expect(SchemaDifference(from: schema, to: loaded).isEmpty, "\(sql)")
    } catch {
      Issue.record("the dump does not load: \(error): \(sql)")
    }
    try copy.close()
    guard let table = schema.objects.last(where: { $0.kind == .table && !$0.isShadow }), !table.isVirtual,
      table.name != "t2"
    else { return }
    try alter(table.name, sql, db)
  }

  private func alter(_ table: String, _ sql: String, _ db: Database) throws {
    let before = try db.columns(in: table).map(\.name)
    let alterations: [(expected: [String], change: (TableAlteration) -> Void)] = [
      (before + ["added column"], { t in t.add(column: "added column", .text) }),
      (["renamed"] + before.dropFirst(), { t in t.rename(column: before[0], to: "renamed") }),
      (Array(before.dropFirst()), { t in t.drop(column: before[0]) }),
      (before, { t in t.change(column: before[0]) { c in c.nullable() } }),
    ]
    for (expected, change) in alterations {
      // What the engine cannot do is refused.
      try? db.inSavepoint {
        try db.alter(table: table, body: change)
        let after = try db.columns(in: table).map(\.name)
        #expect(after == expected, "\(sql)")
        return .rollback
      }
    }
  }
}
