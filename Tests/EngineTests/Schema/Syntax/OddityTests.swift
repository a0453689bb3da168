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
  @Test(
    "a definition that the engine accepts is parsed and described, and its dump loads", arguments: TestEngine.allCases)
  func oddities(engine: TestEngine) throws {
    let definitions = try Oddities.definitions().map(\.sql)
    var (tried, accepted) = (0, 0)
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: Oddities.base)
      for (index, sql) in definitions.enumerated() where Self.isTried(index, engine) {
        tried += 1
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
    print("\(engine): \(accepted) of \(tried) odd definitions were accepted")
    #expect(accepted > tried / 2 && tried > 50)
  }

  /// Returns whether the engine is given a definition: the newest engine each, the others in the everyday run every third.
  private static func isTried(_ index: Int, _ engine: TestEngine) -> Bool {
    TestTier.isFull || engine == .sqlCipher4 || index % 3 == (engine == .sqlite ? 0 : 1)
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
  }
}
