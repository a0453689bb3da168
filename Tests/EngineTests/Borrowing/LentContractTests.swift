import Migrator
import MigratorTestKit
import TestEngines
import Testing

/// A connection that is lent keeps the rules of the border, its recorder's included.
@Suite("Contract of the border, on lent connections")
struct LentContractTests {
  /// Rules about what belongs to the owner of a connection: waiting in the engine is up to the owner's busy handler.
  private static let rulesOfOwners: Set<Int> = [194]

  @Test(
    "Each engine keeps each rule", arguments: TestEngine.allCases,
    BackendContract.checks.filter { !rulesOfOwners.contains($0.number) })
  func rule(engine: TestEngine, check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    let backend = BackendUnderTest(name: "lent \(engine)", folder: folder.path) { path in
      let owners = path.map { engine.backend(path: $0, key: .rawWithSalt) } ?? engine.inMemoryBackend
      return LentBackend(owners, of: engine)
    }
    let result = check.run(on: backend)
    #expect(result.failure == nil, "\(result)")
  }
}
