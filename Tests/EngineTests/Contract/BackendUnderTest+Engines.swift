import Foundation
import Migrator
import MigratorTestKit
import TestEngines

extension BackendUnderTest {
  /// The ``failureStep`` for an engine.
  ///
  /// The rules about failing calls take most of the contract's time, so the everyday run lets every 97th call fail, Tools/test
  /// --full every 29th, and Tools/soak each call.
  static let usualFailureStep = TestTier.pick(151, full: 43, soak: 1)

  /// Creates a backend under test for an engine with databases in a folder.
  ///
  /// - Parameter key: A raw key with salt by default, since deriving a key from a passphrase takes a tenth of a second
  ///   for each connection.
  init(_ engine: TestEngine, in folder: TemporaryFolder, key: TestKey = .rawWithSalt) {
    self.init(name: "\(engine)", folder: folder.path) { path in
      path.map { engine.backend(path: $0, key: key) } ?? engine.inMemoryBackend
    }
    guard engine.isEncrypted else { return }
    makeBackendWithAnotherKey = { engine.backend(path: $0, key: .otherPassphrase) }
    secrets = [TestKey.passphraseText, "000102030405", "0001020304050607".uppercased(), "0, 1, 2, 3, 4", "AAECAwQF"]
  }
}
