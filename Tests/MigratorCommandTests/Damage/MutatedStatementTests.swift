import Foundation
import Migrator
import SQLiteCommand
@testable import MigratorCommand
import TestEngines
import Testing

/// Runs the commands that read migrations on mutated files, and with a database.
///
/// The normal suite mutates a few scripts. MIGRATOR_SOAK=1 mutates 30,000, and MIGRATOR_STATEMENTS=n mutates n;
/// MIGRATOR_SEED=s begins with that seed, which is printed.
@Suite("Mutated migrations")
struct MutatedStatementTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isLong = environment["MIGRATOR_SOAK"] != nil
  private static let count = environment["MIGRATOR_STATEMENTS"].flatMap(Int.init) ?? (isLong ? 30_000 : 15)
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

  @Test("no command crashes, hangs, or prints a character that controls the terminal")
  func commands() throws {
    // The watch counts the time of all tests of the process.
    let watch = TrialWatch("mutated-migrations", limit: .seconds(Self.isLong ? 10 : 60))
    let folder = try TemporaryFolder(isInMemory: true)
    try FileManager.default.createDirectory(atPath: folder.file("migrations"), withIntermediateDirectories: false)
    try folder.write((DatabaseSeed.migrations["1_start.sql"] ?? "").utf8, to: "migrations/1_start.sql")
    let tool = MigratorTool(backends: [.sqlite])
    let options = ["--migrations", folder.file("migrations")]
    #expect(tool.outcome(of: ["migrate", "--database", folder.file("app.db")] + options).exitCode == 0)
    var exitCodes: [Int32: Int] = [:]
    for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
      var damage = DatabaseDamage(seed: seed)
      let script = damage.damaged(Self.scripts[damage.pick(Self.scripts.count)])
      try folder.write(script.utf8, to: "migrations/2_mutated.sql")
      for (index, line) in ["lint", "plan", "check", "diff --from migrations --suggest"].enumerated() {
        let command = ReadingCommand(
          line: line, form: ReadingCommand.Form.allCases[(Int(seed % 3) + index) % ReadingCommand.Form.allCases.count])
        let arguments = command.arguments(folder.file("app.db"), options)
        let outcome = watch.run("seed \(seed), \(command)") {
          tool.outcome(of: arguments, isTerminal: command.form == .terminal)
        }
        exitCodes[outcome.exitCode, default: 0] += 1
        let fault = command.fault(of: outcome)
        #expect(fault == nil, "seed \(seed), \(command): \(fault ?? "")\n\(outcome.text)\n\(script.debugDescription)")
      }
      #expect(try folder.names() == ["app.db", "migrations"], "seed \(seed): \(script.debugDescription)")
    }
    print("\(Self.count) mutated migrations, commands exited \(exitCodes.sorted { $0.key < $1.key })")
  }
}
