import Migrator
import MigratorTestKit
import TestEngines
import Testing

/// The engines of static archives, whose functions a C target passes to the backend.
@Suite("Contract of the border, on engines that are linked")
struct LinkedContractTests {
  @Test("Each engine keeps each rule", arguments: TestTier.pairs(LinkedEngine.allCases, BackendContract.checks))
  func rule(engine: LinkedEngine, check: BackendCheck) throws {
    let folder = try TemporaryFolder()
    var backend = BackendUnderTest(name: engine.rawValue, folder: folder.path) { path in
      try path.map { try engine.backend(path: $0) } ?? engine.inMemoryBackend()
    }
    if engine == .sqlCipher {
      backend.makeBackendWithAnotherKey = { try engine.backend(path: $0, key: .otherPassphrase) }
    }
    backend.failureStep = BackendUnderTest.usualFailureStep
    try ContractTests.expectSuccess(of: check, on: backend, skipping: [35, 219])
  }
}
