import Foundation
import Migrator
import TestEngines
import Testing

@Suite("The documentation's samples: the development loop")
struct DevelopmentLoopTests {
  @Test("the README and the article show what the library prints", arguments: TestEngine.allCases)
  func report(engine: TestEngine) throws {
    let folder = try TemporaryFolder()
    let queue = try engine.queue(path: folder.file("app.sqlite"))
    let texts = Lock<[String]>([])
    func migrate(_ columns: String) throws {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("Create players") { db in
        try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, \(columns))")
      }
      migrator.notify = { text in texts.withLock { $0.append(text) } }
      try GettingStarted.loop(migrator).migrate(queue)
    }
    try migrate("nick TEXT")
    try queue.write { db in
      for number in 1...12 {
        try db.execute(sql: "INSERT INTO player (nick) VALUES (?)", arguments: ["player \(number)"])
      }
    }
    try migrate("nick TEXT, score INTEGER")
    #expect(try queue.number("SELECT count(*) FROM player WHERE score IS NULL") == 12)
    try queue.close()

    let printed = texts.withLock { $0 }.map { text in
      (text + "\n").replacing(folder.path, with: "/home/ann")
        .replacing(/\d{8}T\d{6}\.\d{3}Z/, with: "20260131T235959.123Z")
    }
    #expect(printed.count == 1)
    let report = try #require(printed.first)
    for path in ["README.md", "Modules/Migrator/Migrator.docc/TheDevelopmentLoop.md"] {
      #expect(try DocumentationPage(path).text.contains("```text\n\(report)```\n"), "\(path) does not show:\n\(report)")
    }
  }
}
