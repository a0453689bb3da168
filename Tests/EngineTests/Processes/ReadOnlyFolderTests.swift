import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Processes: without write permission")
struct ReadOnlyFolderTests {
  /// Migrates a database and removes write permission from its file and folder.
  private func readOnlyDatabase(_ engine: TestEngine) throws -> String {
    let path = try engine.temporaryPath()
    let dbQueue = try DatabaseQueue(engine.backend(path: path))
    try NumberedMigrations.migrator(count: 1, rows: 1).migrate(dbQueue)
    try dbQueue.close()
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    return path
  }

  @Test("with nothing pending, a read-only file in a read-only folder is enough", arguments: TestEngine.allCases)
  func nothingPending(engine: TestEngine) throws {
    let path = try readOnlyDatabase(engine)
    let worker = try WorkerProcess(engine, path, "migrate-unprivileged")
    let (code, output) = try worker.finish()
    #expect(code == 0, "\(output)")
    #expect(output.contains("applied m0"))
  }
}
