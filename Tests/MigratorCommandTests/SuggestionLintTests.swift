import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Lint of suggested migrations")
struct SuggestionLintTests {
  private static let team = "CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, old TEXT);"
  private static let player =
    "CREATE TABLE player (id INTEGER PRIMARY KEY, team INTEGER REFERENCES team (id) ON DELETE CASCADE, nick TEXT);"
  private static let pair = "CREATE TABLE pair (a INTEGER, b INTEGER, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;"
  private static let others = """
    CREATE INDEX player_on_team ON player (team); CREATE INDEX player_on_nick ON player (nick);
    CREATE VIEW nicks AS SELECT nick FROM player;
    CREATE TRIGGER added AFTER INSERT ON player BEGIN UPDATE player SET nick = trim(nick) WHERE id = new.id; END;
    """
  private static let base = team + player + pair + others

  /// The changes of the schema: a replaced text and its replacement, or a further object; and the renamed table.
  private static let changes: [(old: String, new: String, renames: [String])] = [
    ("", "CREATE UNIQUE INDEX one_nick ON player (nick);", []), ("", "CREATE TABLE fresh (a INTEGER PRIMARY KEY);", []),
    ("name TEXT, old TEXT", "name TEXT NOT NULL, old TEXT UNIQUE", []), ("name TEXT, old TEXT", "name TEXT", []),
    ("name TEXT, old TEXT", "old BLOB COLLATE NOCASE, name TEXT DEFAULT 'x'", []),
    ("old TEXT", "old TEXT, n INTEGER NOT NULL DEFAULT 4, t TEXT DEFAULT CURRENT_TIMESTAMP", []),
    ("AUTOINCREMENT, name", ", name", []), ("team (id)", "team (id) ON UPDATE CASCADE", []),
    (" REFERENCES team (id) ON DELETE CASCADE", "", []), ("c TEXT", "c TEXT NOT NULL, d TEXT", []),
    ("PRIMARY KEY (a, b)) WITHOUT ROWID", "PRIMARY KEY (b, a))", []), ("nick TEXT", "nick TEXT CHECK (nick <> '')", []),
    ("CREATE INDEX player_on_nick ON player (nick);", "", []), (pair, "", []),
    ("CREATE INDEX player_on_nick ON player (nick);", "CREATE INDEX player_by_nick ON player (nick DESC);", []),
    ("team (", "guild (", ["team=guild"]), ("nick", "name", ["player.nick=name"]),
    (
      player + pair + "CREATE INDEX player_on_team ON player (team); CREATE INDEX player_on_nick ON player (nick);", "",
      []
    ),
  ]

  @Test(
    "It finds only what the suggestion says itself: data that is lost, and rows that a unique index refuses",
    arguments: changes.indices, TestEngine.allCases)
  func agree(index: Int, engine: TestEngine) throws {
    let (old, new, renames) = Self.changes[index]
    let wanted =
      switch (old, index) {
      case ("", _): Self.base + new
      // The index that its table loses in the same change is dropped by name.
      case ("nick TEXT", _):
        Self.base.replacing(old, with: new).replacing("CREATE INDEX player_on_nick ON player (nick);", with: "")
      case (_, Self.changes.count - 1): Self.team
      default: Self.base.replacing(old, with: new)
      }
    let (before, after) = (try schema(engine, Self.base), try schema(engine, wanted))
    let suggestion = try SuggestedMigration(
      from: before, to: after, renames: SchemaRenames(parsing: renames, of: before))
    let trial = try ToolTrial(engine, ["1_base.sql": Self.base, "2_suggested.sql": suggestion.sql])
    let lint = trial.run("lint --json", usesDatabase: false)
    let findings = try lint.json()["findings"] as? [[String: Any]] ?? []
    let rules = Set(findings.compactMap { $0["rule"] as? String })
    // The later schema lacks a property on purpose, which only its author knows.
    let ofData = rules.subtracting(["unique-over-rows", "lost-property"])
    #expect(ofData.isEmpty == suggestion.losses.isEmpty, "\(lint)\n\(suggestion.sql)")
    #expect(
      rules.isSubset(of: ["destructive", "lost-autoincrement", "lost-property", "unique-over-rows"]),
      "\(lint)\n\(suggestion.sql)")
    #expect(!rules.contains("unique-over-rows") || !suggestion.risks.isEmpty)
  }

  private func schema(_ engine: TestEngine, _ sql: String) throws -> SchemaSnapshot {
    try engine.inMemoryQueue().write { db in
      try db.execute(sql: sql)
      return try db.schema()
    }
  }
}
