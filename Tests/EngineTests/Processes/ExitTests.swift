import Foundation
import Migrator
import TestEngines
import Testing

/// Tests of databases whose process exits while other threads write.
///
/// SQLCipher wipes its keys at exit, when a thread may still encrypt with them. Tools/test runs a few
/// rounds, Tools/soak 300.
@Suite("Processes: exits")
struct ExitTests {
  @Test(
    "a process that exits while its threads write does not crash, and leaves databases that their key opens",
    arguments: TestEngine.allCases)
  func whileWriting(engine: TestEngine) throws {
    var random = SeededGenerator.announced("exits \(engine)")
    let threads = 4
    for round in 0..<TestTier.pick(2, full: 10, soak: 300) {
      let folder = try TemporaryFolder()
      let time = UInt32.random(in: 0...20_000, using: &random)
      let worker = try WorkerProcess(engine, folder.file("db"), "exit-while-writing", "\(threads)", "\(time)")
      let (code, output) = try worker.finish()
      #expect(code == 0 && !worker.isKilled, "round \(round): \(code) \(output)")
      for number in 0..<threads {
        let dbQueue = try DatabaseQueue(engine.backend(path: folder.file("db-\(number)"), key: .raw))
        try dbQueue.read { db throws in
          #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
          #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? 0 > 0)
        }
        try dbQueue.close()
      }
    }
  }
}
