import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("The schema is compared with what the records of an app expect")
struct ExpectedTableTests {
  private func test(_ engine: TestEngine, _ sql: String) -> UpgradeTest {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("only") { db in try db.execute(sql: sql) }
    return UpgradeTest(migrator) { engine.inMemoryBackend }
  }

  private static let schema = """
    CREATE TABLE player (
      id INTEGER PRIMARY KEY, name VARCHAR(30) NOT NULL, team TEXT, score DOUBLE NOT NULL DEFAULT 0, born DATE,
      level INTEGER NOT NULL DEFAULT 1, secret BLOB);
    CREATE TABLE tag (name TEXT, player INTEGER, PRIMARY KEY (name, player)) WITHOUT ROWID;
    CREATE VIEW best AS SELECT name, score FROM player;
    """

  @Test(
    "what agrees is accepted: affinities, keys, defaults, views, and columns that no record knows",
    arguments: TestEngine.allCases)
  func agreeing(engine: TestEngine) throws {
    try test(engine, Self.schema).requireTables([
      ExpectedTable(
        "Player",
        [
          ExpectedColumn("id", .integer), ExpectedColumn("NAME", .text),
          ExpectedColumn("team", .text, isOptional: true),
          ExpectedColumn("score", .double), ExpectedColumn("born", .date, isOptional: true),
        ]),
      ExpectedTable("tag", [ExpectedColumn("name", .text), ExpectedColumn("player", .integer)]),
      ExpectedTable("best", [ExpectedColumn("score", .text)]),
    ])
  }

  @Test(
    "an optional may stand for a rowid, and several records for one table, of which one sets what is required",
    arguments: TestEngine.allCases)
  func severalRecords(engine: TestEngine) throws {
    let identifier = ExpectedColumn("id", .integer, isOptional: true)
    let full = ExpectedTable("player", [identifier, ExpectedColumn("name", .text)])
    let partial = ExpectedTable("PLAYER", [identifier])
    let test = test(
      engine,
      "CREATE TABLE player (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL);"
        + "INSERT INTO player VALUES (NULL, 'Ann');"
        + "CREATE TABLE tag (id INTEGER PRIMARY KEY) WITHOUT ROWID;")
    try test.requireTables([full, partial])
    try test.requireTables([partial, full])
    let alone = #expect(throws: SchemaMismatch.self) { try test.requireTables([partial, partial]) }
    #expect(alone?.reasons.count == 1 && alone?.description.contains("no record sets it") == true)
    let key = #expect(throws: SchemaMismatch.self) { try test.requireTables([ExpectedTable("tag", [identifier])]) }
    #expect(key?.reasons.first?.hasSuffix("saving nil fails") == true)
  }

  @Test("each difference has a sentence", arguments: TestEngine.allCases)
  func differing(engine: TestEngine) throws {
    let differences: [(ExpectedTable, String)] = [
      (ExpectedTable("players", []), "there is no table \"players\"; there are \"player\", \"tag\""),
      (
        ExpectedTable("best", [ExpectedColumn("rank", .integer)]),
        "view \"best\" has no column \"rank\"; there are \"name\", \"score\""
      ),
      (
        ExpectedTable("tag", [ExpectedColumn("name", .text), ExpectedColumn("playerID", .integer)]),
        "table \"tag\" has no column \"playerID\"; there are \"name\", \"player\""
      ),
      (
        ExpectedTable("tag", [ExpectedColumn("name", .text)]),
        "column \"player\" of table \"tag\" is NOT NULL without a default, but no record sets it: insertions fail"
      ),
      (
        ExpectedTable("player", [ExpectedColumn("name", .integer)]),
        "column \"name\" of table \"player\" is VARCHAR(30), but the app expects INTEGER"
      ),
      (
        ExpectedTable("player", [ExpectedColumn("name", .text), ExpectedColumn("team", .text)]),
        "column \"team\" of table \"player\" may be NULL, but the app's property is not optional: reading NULL fails"
      ),
      (
        ExpectedTable("player", [ExpectedColumn("name", .text, isOptional: true)]),
        "column \"name\" of table \"player\" is never NULL, but the app's property is optional: saving nil fails"
      ),
      (
        ExpectedTable("player", []),
        "column \"name\" of table \"player\" is NOT NULL without a default, but no record sets it: insertions fail"
      ),
    ]
    for (table, sentence) in differences {
      let error = #expect(throws: SchemaMismatch.self) { try test(engine, Self.schema).requireTables([table]) }
      #expect(error?.reasons.contains(sentence) == true, "\(error?.description ?? "")")
    }
    let all = #expect(throws: SchemaMismatch.self) {
      try test(engine, Self.schema).requireTables(differences.map(\.0))
    }
    // The last record sets no name, but others of the same table do.
    #expect(all.map { differences.map(\.1).filter(Set($0.reasons).contains) } == differences.dropLast().map(\.1))
  }
}
