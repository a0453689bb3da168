package import Migrator
internal import SQLCipherBackend

/// The conversions of a file, for tests of all of them.
///
/// They use raw keys, which need no derivation.
package enum TestConversion: String, CaseIterable, Sendable {
  /// Without encryption to encrypted.
  case encrypt
  /// Encrypted to without encryption.
  case decrypt
  /// From one key to another.
  case rekey
  /// From an older format to the engine's own.
  case upgrade
  /// From the engine's own format to an older one.
  case downgrade
  /// To another page size.
  case resize

  private static let key = EncryptionKey.raw(keyBytes[0])
  private static let otherKey = EncryptionKey.raw(keyBytes[1])

  /// The bytes of the keys, for tests that search for them where they must not be.
  package static let keyBytes: [[UInt8]] = [(0..<32).map { UInt8($0) }, (0..<32).map { UInt8($0 + 100) }]

  /// Returns an older format that the engine reads and writes.
  private static func older(_ engine: TestEngine) -> CipherSettings {
    CipherSettings(compatibility: engine == .sqlCipher3 ? 1 : 3)
  }

  private static var resized: CipherSettings {
    var settings = CipherSettings()
    settings.pageSizeInBytes = 8192
    return settings
  }

  /// Returns the form of the file before the conversion.
  package func before(_ engine: TestEngine) -> TestForm {
    switch self {
    case .encrypt: TestForm(key: nil)
    case .decrypt, .rekey, .downgrade, .resize: TestForm(key: Self.key)
    case .upgrade: TestForm(key: Self.key, settings: Self.older(engine))
    }
  }

  /// Returns the form of the file after the conversion.
  package func after(_ engine: TestEngine) -> TestForm {
    switch self {
    case .encrypt, .upgrade: TestForm(key: Self.key)
    case .decrypt: TestForm(key: nil)
    case .rekey: TestForm(key: Self.otherKey)
    case .downgrade: TestForm(key: Self.key, settings: Self.older(engine))
    case .resize: TestForm(key: Self.key, settings: Self.resized)
    }
  }

  /// Converts a file.
  @discardableResult
  package func run(
    _ path: String, _ engine: TestEngine, keepingOriginal: Bool = false, patience: Duration = .zero,
    progress: (@Sendable (ConversionProgress) -> Void)? = nil
  ) throws -> ConversionOutcome {
    let options = ConversionOptions(
      keepingOriginal: keepingOriginal, patience: patience, engine: engine.source, progress: progress)
    let settings = after(engine).settings
    return switch self {
    case .encrypt: try SQLCipher.encrypt(path, key: Self.key, options: options)
    case .decrypt: try SQLCipher.decrypt(path, key: Self.key, options: options)
    case .rekey: try SQLCipher.rekey(path, from: Self.key, to: Self.otherKey, options: options)
    case .upgrade: try SQLCipher.upgrade(path, key: Self.key, options: options)
    case .downgrade, .resize:
      try SQLCipher.upgrade(path, key: Self.key, from: CipherSettings(), to: settings, options: options)
    }
  }
}
