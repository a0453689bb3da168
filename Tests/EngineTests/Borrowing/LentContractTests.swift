import Migrator
import MigratorTestKit
import SQLCipherBackend
import SQLiteBackend
import SQLiteEngine
import TestEngines
import Testing

/// A connection that is lent keeps the rules of the border, its recorder's included.
@Suite("Contract of the border, on lent connections")
struct LentContractTests {
  /// Rules about what belongs to the owner of a connection: waiting in the engine is up to the owner's busy handler.
  private static let rulesOfOwners: Set<Int> = [194]

  /// An application with its connection.
  ///
  /// `@unchecked Sendable` is right because one thread uses it.
  private struct Owner: @unchecked Sendable {
    let connection: AppConnection

    var lentBackend: any DatabaseBackend {
      let family: EngineFamily = connection.engine.isEncrypted ? .sqlCipher : .sqlite
      return BorrowedBackend(connection.pointer, of: family, engine: .automatic, preparingScratch: nil)
    }
  }

  @Test(
    "Each engine keeps each rule",
    arguments: TestTier.pairs(
      TestEngine.allCases, BackendContract.checks.filter { !rulesOfOwners.contains($0.number) }))
  func rule(engine: TestEngine, check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    var backend = BackendUnderTest(name: "lent \(engine)", folder: folder.path) { path in
      let owners = path.map { engine.backend(path: $0, key: .rawWithSalt) } ?? engine.inMemoryBackend
      return LentBackend(owners, of: engine)
    }
    backend.failureStep = BackendUnderTest.usualFailureStep
    let owners = Lock<[Owner]>([])
    backend.makeLentBackend = { path in
      let owner = Owner(connection: try AppConnection(engine, path: path))
      owners.withLock { $0.append(owner) }
      return owner.lentBackend
    }
    // The keys, the reporter and the functions belong to the owner.
    try ContractTests.expectSuccess(of: check, on: backend, skipping: [27, 35, 195, 196])
  }
}
