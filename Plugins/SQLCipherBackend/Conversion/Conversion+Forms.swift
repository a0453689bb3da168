internal import Migrator

extension Conversion {
  /// A database without encryption becomes an encrypted one.
  static func encrypting(
    _ path: String, _ key: EncryptionKey, _ settings: CipherSettings, _ options: ConversionOptions
  ) -> Conversion {
    Conversion(path: path, options: options, sources: [.plaintext], target: .encrypted(key, settings))
  }

  /// An encrypted database becomes one without encryption.
  static func decrypting(
    _ path: String, _ key: EncryptionKey, _ settings: CipherSettings, _ options: ConversionOptions
  ) -> Conversion {
    Conversion(path: path, options: options, sources: [.encrypted(key, settings)], target: .plaintext)
  }

  /// An encrypted database gets another key.
  static func rekeying(
    _ path: String, _ old: EncryptionKey, _ new: EncryptionKey, _ settings: CipherSettings,
    _ options: ConversionOptions
  ) -> Conversion {
    Conversion(
      path: path, options: options, sources: [.encrypted(old, settings)], target: .encrypted(new, settings),
      triesTargetFirst: true)
  }

  /// An encrypted database gets other settings.
  static func upgrading(
    _ path: String, _ key: EncryptionKey, _ old: CipherSettings?, _ new: CipherSettings, _ options: ConversionOptions
  ) throws(DatabaseError) -> Conversion {
    var formats: [CipherSettings] = []
    if let old {
      formats = [old]
    } else {
      formats = try CipherForm.formats(options).map { CipherSettings(compatibility: $0) }
    }
    return Conversion(
      path: path, options: options, sources: formats.map { .encrypted(key, $0) }, target: .encrypted(key, new),
      triesTargetFirst: true)
  }
}
