import Migrator
import SQLSyntax
import SQLiteDialect
import TestEngines
import Testing

@testable import SQLiteEngine

@Suite("Causes of statements' errors")
struct StatementFaultTests {
  @Test("The corpus is large enough")
  func count() { #expect(StatementAdvice.all.count >= 100) }

  @Test("An error gives the advice for its cause, and the advice helps", arguments: TestEngine.allCases)
  func advice(engine: TestEngine) throws {
    for sample in StatementAdvice.all {
      let connection = try engine.connectInMemory()
      let minor = Int(connection.library.versionNumber) / 1000 % 1000
      guard sample.engines.contains(minor) else { continue }
      try connection.execute(StatementAdvice.tables + sample.before)
      var found: DatabaseError?
      do throws(DatabaseError) { try connection.execute(sample.failing) } catch { found = error }
      guard let error = found else {
        Issue.record("it does not fail: \(sample.failing)")
        continue
      }
      let advice = error.remedy ?? StatementFault(error, minorVersion: minor)?.advice ?? ""
      if sample.advice.isEmpty {
        #expect(advice.isEmpty, "\(sample.failing): \(error.message): \(advice)")
      } else {
        #expect(advice.contains(sample.advice), "\(sample.failing): \(error.message): \(advice)")
      }
      guard let cure = sample.cure else { continue }
      do throws(DatabaseError) { try connection.execute("PRAGMA foreign_keys = OFF; " + cure) } catch {
        Issue.record("\(sample.failing): \(cure): \(error)")
      }
    }
  }

  @Test("Definitions that need a newer engine, or an application, do not mean that the file is damaged")
  func schemas() {
    func condition(_ detail: String, minorVersion: Int? = nil) -> StatementFault? {
      StatementFault(
        DatabaseError(.corrupt, engine: "e", resultCode: 11, message: "malformed database schema (t) - \(detail)"),
        minorVersion: minorVersion)
    }
    #expect(condition("near \"STRICT\": syntax error") == .oldEngine(feature: nil, minorVersion: nil, isStored: true))
    #expect(condition("unknown table option: STRICT") == .oldEngine(feature: nil, minorVersion: nil, isStored: true))
    for detail in [
      "non-deterministic functions prohibited in index expressions", "no such column: FALSE",
      "RIGHT and FULL OUTER JOINs are not currently supported", "view v cannot reference objects in database other",
    ] {
      #expect(condition(detail) == .oldEngine(feature: nil, minorVersion: nil, isStored: true), "\(detail)")
    }
    #expect(condition("no such module: fts9")?.needsOtherProgram == true)
    #expect(condition("no such table: main.t", minorVersion: 15) == .newerFormat)
    #expect(condition("no such table: main.t", minorVersion: 40) == nil)
    #expect(condition("no such table: main.t") == nil)
    #expect(condition("invalid rootpage") == nil)
    #expect(condition("incomplete input") == nil)
    #expect(condition("orphan index") == nil)
    #expect(condition("table t already exists") == nil)
  }

  @Test(
    "A function that an index, a trigger or a view calls is known to be the application's",
    arguments: TestEngine.allCases)
  func functionsOfApps(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("app.sqlite")
    let definitions = [
      "CREATE INDEX i ON author (slug(name))", "CREATE INDEX i ON author (id) WHERE slug(name) > 1",
      "CREATE TRIGGER t BEFORE INSERT ON author WHEN slug(new.name) BEGIN SELECT 1; END",
      "CREATE VIEW v AS SELECT slug(1); CREATE TRIGGER t AFTER INSERT ON author BEGIN DELETE FROM author WHERE id IN v; END",
    ]
    for definition in definitions {
      let queue = try engine.queue(path: path)
      try queue.write { db in
        try db.add(function: DatabaseFunction("slug", argumentCount: 1, pure: true) { _ in 1 })
        try db.execute(
          sql: "DROP TABLE IF EXISTS author; DROP VIEW IF EXISTS v; CREATE TABLE author (id, name); \(definition)")
      }
      try queue.close()
      let connection = try engine.connect(path)
      var found: DatabaseError?
      do throws(DatabaseError) { try connection.execute("INSERT INTO author VALUES (1, 'a')") } catch { found = error }
      let fault = found.flatMap { StatementFault($0) }
      #expect(fault == .missing(.function, name: "slug", isStored: true), "\(definition): \(String(describing: found))")
      try connection.close()
    }
  }

  @Test("A damaged virtual table gets the advice for its kind")
  func virtualTables() {
    func advice(_ code: Int32, _ message: String) -> String {
      let error = DatabaseError(ResultCode.condition(code), engine: "e", resultCode: code, message: message)
      return StatementFault(error)?.advice ?? ""
    }
    let tree = advice(267, "undersize RTree blobs in \"r_node\"")
    #expect(tree.contains("zeroblob") && !tree.contains("rebuild"))
    let unknown = advice(267, "database disk image is malformed")
    #expect(unknown.contains("zeroblob") && unknown.contains("'rebuild'") && unknown.contains("without content"))
    #expect(advice(1, "invalid fts5 file format (found 5, expected 4) - run 'rebuild'").contains("newer version"))
    #expect(advice(1, "unsupported file format").contains("newer version"))
    #expect(advice(11, "database disk image is malformed").isEmpty)
    for (minor, isOld) in [(33, true), (34, false)] {
      let error = DatabaseError(.statement, engine: "e", resultCode: 1, message: "no such tokenizer: trigram")
      #expect(StatementFault(error, minorVersion: minor)?.advice.contains("needs SQLite 3.34") == isOld)
    }
  }

  @Test(
    "A file whose schema uses newer syntax needs a newer library", arguments: TestEngine.allCases,
    ["CREATE TABLE t (a) FUTURE", "CREATE TABLE t (a, b AS FUTURE (a))"])
  func newerSchema(engine: TestEngine, definition: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("app.sqlite")
    let connection = try engine.connect(path)
    try connection.execute("CREATE TABLE t (a); CREATE INDEX i ON t (a); PRAGMA writable_schema = 1")
    try connection.execute("UPDATE sqlite_master SET sql = '\(definition)' WHERE name = 't'")
    try connection.close()
    var found: DatabaseError?
    do { _ = try engine.connect(path) } catch { found = error as? DatabaseError }
    let error = try #require(found)
    #expect(error.condition == .unsupported, "\(error)")
    #expect(error.remedy?.contains("use a newer library") == true, "\(error)")
  }

  @Test("A file whose schema has lost a table is damaged", arguments: [TestEngine.sqlite, .sqlCipher4])
  func lostTable(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("app.sqlite")
    let connection = try engine.connect(path)
    try connection.execute("CREATE TABLE t (a); CREATE INDEX i ON t (a); PRAGMA writable_schema = 1")
    try connection.execute("DELETE FROM sqlite_master WHERE name = 't'")
    try connection.close()
    var found: DatabaseError?
    do { _ = try engine.connect(path) } catch { found = error as? DatabaseError }
    let error = try #require(found)
    #expect(error.condition == .corrupt && error.message.contains("no such table: main.t"), "\(error)")
    #expect(error.remedy?.contains("newer library") != true, "\(error)")
  }
}
