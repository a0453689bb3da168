import Foundation
import Migrator
import TestEngines
import Testing

/// Kills rebuilds at random moments, every second one with `--keep-data`.
///
/// A run kills 2, 8 or 100 rebuilds per engine, by its tier. MIGRATOR_SEED=s starts with that seed,
/// which is printed.
@Suite("A rebuild that is killed")
struct KilledRebuildTests {
  private static let roundCount = TestTier.pick(2, full: 8, soak: 100)

  /// The number of rows in the database, and in every backup.
  private static let rowCount = 4000

  @Test("At any moment, the old rows are in the database or in a backup that opens", arguments: TestEngine.allCases)
  func random(engine: TestEngine) throws {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": TestKey.rawText]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let key = engine.isEncrypted ? ["--key-env", "K", "--raw-key"] : []
    let seed = SeededGenerator.seed(of: "killed rebuilds of \(engine)")
    var generator = SeededGenerator(seed: seed)
    for round in 1...Self.roundCount {
      let keepsData = round.isMultiple(of: 2)
      let rebuild = ["rebuild", "--force", "--yes"] + (keepsData ? ["--keep-data"] : []) + key
      let transcript = try Transcript(variables: variables)
      try transcript.write(Self.migration, to: "migrations/0001_log.sql")
      let tool = ToolProcess(folder: transcript.folder.path, variables: variables)
      try #require(try tool.run(["rebuild"] + key).exitCode == 0)
      // The row count distinguishes old from rebuilt tables: the file inserts one row, and the test adds the others.
      try fill(engine, transcript.folder.file("app.db"))

      let (process, _, _) = try tool.start(rebuild)
      Thread.sleep(forTimeInterval: Double.random(in: 0...0.6, using: &generator))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()

      let names = try transcript.folder.names().filter { $0 == "app.db" || $0.hasSuffix("Z") }
      let counts = try names.map { try rowCount(engine, transcript.folder.file($0)) }
      #expect(counts.contains(Self.rowCount), "seed \(seed): \(names) \(counts)")
      // The remaining files do not block the next rebuild, which removes them.
      #expect(try tool.run(rebuild).exitCode == 0, "seed \(seed)")
      let left = try transcript.folder.names().filter { $0.contains(".unfinished") || $0.contains(".partial") }
      #expect(left == [], "seed \(seed)")
      guard keepsData else { continue }
      #expect(try rowCount(engine, transcript.folder.file("app.db")) == Self.rowCount, "seed \(seed)")
    }
  }

  private static let migration = "CREATE TABLE log (text TEXT);\nINSERT INTO log VALUES ('first');\n"

  private func fill(_ engine: TestEngine, _ path: String) throws {
    let queue = try engine.queue(path: path)
    try queue.write { db in
      let insertion = try db.makeStatement(sql: "INSERT INTO log VALUES (?)")
      for number in 2...Self.rowCount { try insertion.execute(arguments: ["row number \(number)"]) }
    }
    try queue.close()
  }

  /// Returns the rows of the log; nil while a rebuilt database does not have the table.
  private func rowCount(_ engine: TestEngine, _ path: String) throws -> Int? {
    let queue = try engine.queue(path: path)
    // Only the count matters here.
    defer { try? queue.close() }
    return try queue.read { db in
      guard try db.tableExists("log") else { return nil }
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM log")
    }
  }
}
