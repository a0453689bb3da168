import Foundation
import Migrator
import TestEngines
import Testing

@Suite("The documentation's samples: SQL files")
struct SQLFilesTests {
  @Test(
    "a folder is migrated, an edited file is refused, a failing statement is located", arguments: TestEngine.allCases)
  func samples(engine: TestEngine) throws {
    let fixture = try FolderFixture(["1_a.sql": "CREATE TABLE a (x);\n"])
    SQLFiles.printProblems(fixture.path)
    let dbQueue = try engine.temporaryQueue()
    #expect(try SQLFiles.failing(SQLFiles.migrator(fixture.path), dbQueue) == nil)
    try fixture.write(Data("CREATE TABLE b (x);\n".utf8), to: "1_a.sql")
    #expect(try SQLFiles.edited(SQLFiles.migrator(fixture.path), dbQueue) == ["1_a"])
    try fixture.write(Data("SELECT * FROM nowhere;\n".utf8), to: "2_b.sql")
    let place = try SQLFiles.failing(SQLFiles.migrator(fixture.path), dbQueue)
    #expect(place?.hasPrefix("\(fixture.path)/2_b.sql:1:") == true)
  }
}
