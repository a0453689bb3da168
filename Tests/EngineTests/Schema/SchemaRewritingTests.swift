import Migrator
import SQLiteDialect
import SQLiteEngine
import SQLSyntax
import TestEngines
import Testing

/// Changes for older engines are made by editing definitions and by rebuilding: on newer engines the result must equal
/// that of their own statements.
@Suite("Editing stored definitions")
struct SchemaRewritingTests {
  @Test("a rewritten definition equals the result of RENAME COLUMN", arguments: TestEngine.allCases)
  func renaming(engine: TestEngine) throws {
    try compare(engine, seeds: 0..<TestTier.pick(60, full: 120)) { name, newName in
      let (quoted, newQuoted) = (name.quotedIdentifier, newName.quotedIdentifier)
      return (.renameColumn(name: name, newName: newName), "ALTER TABLE t RENAME COLUMN \(quoted) TO \(newQuoted)")
    }
  }

  @Test("a rebuilt table equals the result of DROP COLUMN", arguments: TestEngine.allCases)
  func dropping(engine: TestEngine) throws {
    try compare(engine, seeds: 1000..<TestTier.pick(1060, full: 1120)) { name, _ in
      (.dropColumn(name: name), "ALTER TABLE t DROP COLUMN \(name.quotedIdentifier)")
    }
  }

  /// Makes a change in random schemas as for older engines, and with the engine's own statement if it has one.
  private func compare(
    _ engine: TestEngine, seeds: Range<UInt64>,
    _ alteration: (_ name: String, _ newName: String) -> (change: TableAlterationDescription, sql: String)
  ) throws {
    var changed = 0
    for seed in seeds {
      let schema = RandomSchema(seed: seed)
      let (change, sql) = alteration(schema.renaming.name, schema.renaming.newName)
      let edited = try outcome(engine, schema) { db in
        try OlderEngine(db).apply(.alterTable(name: "t", alterations: [change]))
      }
      changed += edited.error == nil ? 1 : 0
      if let error = edited.error { #expect(error.condition == .unsupported, "seed \(seed): \(error)") }
      let abilities = try engine.inMemoryQueue().read { db in db.engine.abilities }
      guard abilities.contains([.renameColumn, .dropColumn]), edited.error == nil else { continue }
      let native = try outcome(engine, schema) { db in try db.execute(sql: sql) }
      #expect(edited.content == native.content, "seed \(seed): \(sql)\n\(schema.statements)")
    }
    // A test with only refusals would prove nothing.
    #expect(changed > seeds.count / 10)
  }

  private func outcome(
    _ engine: TestEngine, _ schema: RandomSchema, _ change: (Database) throws -> Void
  ) throws -> (content: Content, error: DatabaseError?) {
    try engine.inMemoryQueue().writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(schema.statements)")
      let before = try Content(db)
      var caught: DatabaseError?
      do {
        try change(db)
      } catch let error as DatabaseError {
        #expect(try Content(db) == before)
        caught = error
      }
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      return (try Content(db), caught)
    }
  }

  @Test(
    "a failure of any statement leaves everything unchanged", arguments: TestEngine.allCases,
    [
      [TableAlterationDescription.renameColumn(name: "name", newName: "title")],
      [.addColumn(NewColumnDescription(name: "extra", type: .text)), .renameColumn(name: "extra", newName: "more")],
      [.dropColumn(name: "note")],
      [.dropColumn(name: "note"), .renameColumn(name: "name", newName: "title"), .dropColumn(name: "size")],
    ])
  func failures(engine: TestEngine, alterations: [TableAlterationDescription]) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(RichSchema.sql)")
      try db.execute(sql: "ALTER TABLE team ADD COLUMN note; DROP INDEX byExpression")
      try db.execute(sql: "CREATE TABLE free(name, note, size); INSERT INTO free VALUES (1, 2, 3)")
      let before = try Content(db)
      let change = SchemaChange.alterTable(name: "free", alterations: alterations)
      let connection = try #require(db.connection as? EngineConnection)
      let plan = try OlderEngine(db).statements(for: change)
      for count in 0...plan.statements.count {
        try db.connection.begin(.immediate)
        for sql in plan.statements.prefix(count) + plan.restoring { _ = try connection.rows(sql) }
        try db.connection.rollback()
        #expect(try Content(db) == before, "after \(count) of \(plan.statements.count)")
        #expect(try Int.fetchOne(db, sql: "SELECT size FROM free") == 3)
        #expect(try Int.fetchOne(db, sql: "PRAGMA writable_schema") == 0)
        #expect(try Int.fetchOne(db, sql: "PRAGMA legacy_alter_table") ?? 0 == 0)
      }
      try OlderEngine(db).apply(change)
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      #expect(try Content(db) != before)
    }
  }
}

/// A database whose engine claims to support neither renaming nor dropping columns.
struct OlderEngine {
  private let db: Database
  private let connection: OlderConnection

  init(_ db: Database) throws {
    self.db = db
    connection = OlderConnection(try #require(db.connection as? EngineConnection))
  }

  func statements(for change: SchemaChange) throws -> SchemaChangeStatements {
    try connection.statements(for: change)
  }

  func apply(_ change: SchemaChange) throws {
    let plan = try statements(for: change)
    try db.inSavepoint {
      for sql in plan.statements + plan.restoring { _ = try connection.rows(sql) }
      return .commit
    }
  }
}

/// All contents of a database: canonical definitions, in any order, and the rows of its tables with their rowids.
struct Content: Equatable {
  let definitions: Set<String>
  let rows: [String]

  init(_ db: Database) throws {
    let objects = try Row.fetchAll(
      db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'")
    definitions = try Set(
      objects.map { row in
        let sql = try row["sql"] as String
        return try "\(row["type"] as String) \(row["name"] as String) \(row["tbl_name"] as String) "
          + SQLNormalization.canonicalText(of: sql)
      })
    rows = try objects.filter { try $0["type"] as String == "table" }.map { try $0["name"] as String }.sorted().map {
      let table = $0.quotedIdentifier
      return try "\(table) \(Row.fetchAll(db, sql: "SELECT rowid, * FROM \(table)").map { Array($0.databaseValues) })"
    }
  }
}

/// A connection that runs SQL and claims to have fewer abilities and features.
private final class OlderConnection: ForwardingTransactions, SQLiteConnection {
  private let base: EngineConnection

  init(_ base: EngineConnection) {
    self.base = base
    super.init(control: base)
  }

  var engine: EngineDescription {
    var engine = base.engine
    engine.abilities.subtract([.renameColumn, .dropColumn])
    return engine
  }

  var features: SQLiteFeatures {
    var features = base.features
    features.addsAnyColumnToEmptyTables = false
    return features
  }

  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation {
    try base.prepare(script, utf8Offset: utf8Offset)
  }

  func withoutDefense(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try base.withoutDefense(body)
  }
}
