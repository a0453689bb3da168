import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Errors in alerts")
struct LocalizedErrorTests {
  @Test("an engine's error describes the problem and the remedy, and shows no values", arguments: TestEngine.allCases)
  func engineError(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    let dbQueue = try engine.temporaryQueue(configuration)
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES ('secret')")
      let thrown = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["secret"])
      }
      let error: any Error = try #require(thrown)
      #expect(error.localizedDescription == "\(db.engine.name): UNIQUE constraint failed: t.a.")
      let localized = try #require(error as? any LocalizedError)
      #expect(localized.failureReason == "\(db.engine.name) reported error 19, in full 2067.")
      for text in [localized.errorDescription, localized.failureReason, localized.recoverySuggestion] {
        #expect(text?.contains("secret") != true)
      }
    }
  }

  @Test("a remedy is the recovery suggestion", arguments: TestEngine.allCases)
  func remedy(engine: TestEngine) throws {
    let dbQueue = try engine.temporaryQueue()
    let error = #expect(throws: DatabaseError.self) { try dbQueue.read { db in try db.columns(in: "missing") } }
    #expect(error?.localizedDescription == "\(error?.engine ?? ""): no such table: missing.")
    #expect((error as (any LocalizedError)?)?.failureReason == nil)
    #expect((error as (any LocalizedError)?)?.recoverySuggestion == error?.remedy)
  }

  @Test("a failed migration reports the state of the database, and shows no values", arguments: TestEngine.allCases)
  func failedMigration(engine: TestEngine) throws {
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    let dbQueue = try engine.temporaryQueue(configuration)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create names") { db in
      try db.execute(sql: "CREATE TABLE name(a UNIQUE); CREATE TABLE use(a REFERENCES name(a))")
    }
    try migrator.migrate(dbQueue)
    var (unique, orphans) = (migrator, migrator)
    unique.registerMigration("Add names") { db in
      for _ in 1...2 { try db.execute(sql: "INSERT INTO name VALUES (?)", arguments: ["secret"]) }
    }
    orphans.registerMigration("Add uses") { db in
      try db.execute(sql: "INSERT INTO use VALUES ('secret'), ('secret')")
    }
    for (failing, title, reason) in [
      (unique, "migration \"Add names\" (1 of 1 pending) failed.", "UNIQUE constraint failed: name.a."),
      (orphans, "migration \"Add uses\" (1 of 1 pending) failed.", "from use(a) to name(a), in rowid 1. 1 more."),
    ] {
      let error = try #require(#expect(throws: MigrationError.self) { try failing.migrate(dbQueue) })
      #expect((error as any Error).localizedDescription.hasPrefix(title))
      #expect(error.localizedDescription.contains("Its changes were rolled back"))
      #expect(error.failureReason?.hasSuffix(reason) == true, "\(error.failureReason ?? "")")
      #expect(error.recoverySuggestion?.isEmpty == false)
      for text in [error.errorDescription, error.failureReason, error.recoverySuggestion] {
        #expect(text?.contains("secret") == false)
      }
    }
  }

  @Test("every public error of the package describes itself")
  func everyError() throws {
    var (errors, localized): (Set<String>, Set<String>) = ([], [])
    for folder in ["Modules", "Plugins"] {
      let path = "\(BuiltEngines.packageRoot)/\(folder)"
      for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name.hasSuffix(".swift") {
        let source = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
        for match in source.matches(of: /public (?:struct|enum|final class) (\w+): ([^{]*\bError\b|LocalizedError)/) {
          errors.insert(String(match.output.1))
        }
        for match in source.matches(of: /(?:extension|struct|enum|final class) (\w+): [^{]*\bLocalizedError\b/) {
          localized.insert(String(match.output.1))
        }
      }
    }
    #expect(errors.count >= 10)
    #expect(errors.subtracting(localized) == [])
  }
}
