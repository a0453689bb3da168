import Testing

/// Tests of the search for engines' names, on small made-up trees.
@Suite
struct EngineNamesTests {
  @Test
  func `the core mentions an engine's name only in comments`() {
    let sources = [
      "Modules/CSQLiteLoader/A.c": "int sqlite;",
      "Modules/Migrator/A.swift": "// SQLite\n/* SQLCipher */\nlet sql = \"PRAGMA x\"\nlet isSQLCipher = 1",
    ]
    let files = sources.map { SourceFile(path: $0.key, text: $0.value) }.sorted { $0.path < $1.path }
    #expect(
      EngineNames(files: files).violations.map { "\($0.rule.rawValue) \($0)" } == [
        "engineName Modules/Migrator/A.swift: line 3 spells pragma ",
        "engineName Modules/Migrator/A.swift: line 4 spells sqlcipher",
      ])
  }
}
