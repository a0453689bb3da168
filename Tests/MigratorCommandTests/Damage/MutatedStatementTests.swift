import Foundation
import Migrator
import SQLCipherCommand
import SQLSyntax
import SQLiteCommand
@testable import MigratorCommand
import TestEngines
import Testing

/// Runs each command that reads on mutated migrations, with a database.
///
/// The normal suite mutates a few statements per engine. MIGRATOR_SOAK=1 mutates 1,000,000 in all, and
/// MIGRATOR_STATEMENTS=n mutates n per engine; MIGRATOR_SEED=s begins with that seed, which is printed.
@Suite("Mutated migrations", .serialized)
struct MutatedStatementTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isLong = environment["MIGRATOR_SOAK"] != nil
  private static let count =
    environment["MIGRATOR_STATEMENTS"].flatMap(Int.init) ?? (isLong ? 1_000_000 / TestEngine.allCases.count + 1 : 8)
  private static let seed = SeededGenerator.seed(of: "mutated migrations")

  private static let scripts =
    DatabaseSeed.migrations.filter { $0.key != "1_start.sql" }.values.sorted() + [
      "-- migrator: no-transaction\nBEGIN;\nDROP TABLE book;\nCOMMIT;\nVACUUM;",
      "-- migrator: allow destructive because\nDELETE FROM author; DROP VIEW IF EXISTS shelf;",
      "-- migrator: foreign-keys immediate\nUPDATE author SET id = id + 100;\nINSERT INTO book (author) VALUES (101);",
      """
      -- +goose Up
      CREATE TABLE new_author (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x');
      INSERT INTO new_author (id, name) SELECT id, name FROM author;
      DROP TABLE author;
      ALTER TABLE new_author RENAME TO author;
      -- +goose Down
      DROP TABLE author;
      """,
      "PRAGMA foreign_keys = OFF;\nALTER TABLE author RENAME COLUMN name TO called;\nPRAGMA user_version = 7;",
      "SAVEPOINT s; INSERT INTO author (name) SELECT title FROM book WHERE title = \"one\"; ROLLBACK TO s; RELEASE s;",
      "CREATE TRIGGER t AFTER INSERT ON author BEGIN UPDATE author SET name = CASE WHEN 1 THEN new.name ELSE '' END; END;",
    ]

  @Test(
    "no command crashes, hangs, changes the database, or prints a character that controls the terminal",
    arguments: TestEngine.allCases)
  func commands(engine: TestEngine) throws {
    // The watch counts the time of all tests of the process.
    let watch = TrialWatch("mutated-migrations-\(engine.rawValue)", limit: .seconds(Self.isLong ? 10 : 60))
    let folder = try TemporaryFolder(isInMemory: true)
    let path = folder.file("app.db")
    try FileManager.default.createDirectory(atPath: folder.file("migrations"), withIntermediateDirectories: false)
    try folder.write((DatabaseSeed.migrations["1_start.sql"] ?? "").utf8, to: "migrations/1_start.sql")
    let tool = MigratorTool(backends: [.sqlite, .sqlCipher])
    let variables = ["K": TestKey.rawText]
    var options = ["--migrations", folder.file("migrations")]
    if engine.isEncrypted { options += ["--key-env", "K", "--raw-key"] }
    if let library = engine.libraryPath { options += ["--sqlcipher-library", library] }
    let migrated = tool.outcome(of: ["migrate", "--database", path] + options, variables: variables)
    try #require(migrated.exitCode == 0, "\(migrated.text)")
    let database = DatabaseFiles(path: path).main
    var (seed, scriptCount, statementCount) = (Self.seed, 0, 0)
    var exitCodes: [Int32: Int] = [:]
    while statementCount < Self.count {
      let script = Self.mutated(seed, engine)
      try folder.write(script.text.utf8, to: "migrations/2_mutated.sql")
      for command in ReadingCommand.all(seed) {
        let arguments = command.arguments(path, options)
        let outcome = watch.run("seed \(seed), \(engine), \(command)") {
          tool.outcome(of: arguments, variables: variables, isTerminal: command.form == .terminal)
        }
        exitCodes[outcome.exitCode, default: 0] += 1
        guard let fault = command.fault(of: outcome) else { continue }
        Issue.record("seed \(seed), \(command): \(fault)\n\(outcome.text)\n\(script.text.debugDescription)")
      }
      #expect(try folder.names() == ["app.db", "migrations"], "seed \(seed): \(script.text.debugDescription)")
      #expect(DatabaseFiles(path: path).main == database, "seed \(seed): \(script.text.debugDescription)")
      (scriptCount, statementCount, seed) = (scriptCount + 1, statementCount + script.mutatedCount, seed + 1)
    }
    print(
      "\(engine): \(statementCount) mutated statements in \(scriptCount) migrations, commands exited "
        + "\(exitCodes.sorted { $0.key < $1.key })")
  }

  /// Returns a mutated script, and the number of its distinct statements that the original script does not have.
  private static func mutated(_ seed: UInt64, _ engine: TestEngine) -> (text: String, mutatedCount: Int) {
    // The same seed gives each engine another script.
    var damage = DatabaseDamage(seed: seed &* 3 &+ UInt64(TestEngine.allCases.firstIndex(of: engine) ?? 0))
    let original = scripts[damage.pick(scripts.count)]
    let text = damage.damaged(original)
    guard text != original else { return (text, 0) }
    // A text that cannot be split has a statement or a comment without an end.
    guard let statements = try? SQLStatementSplitter.split(text), let old = try? SQLStatementSplitter.split(original)
    else { return (text, 1) }
    return (text, Set(statements.map(\.text)).subtracting(old.map(\.text)).count)
  }
}
