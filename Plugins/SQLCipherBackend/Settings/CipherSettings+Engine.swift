internal import Migrator
internal import SQLiteDialect
internal import SQLiteEngine

extension CipherSettings {
  /// Throws if a file was created without a plaintext header but would be opened with one.
  ///
  /// SQLCipher would report such a file as damaged. On a connection that has already read the file, the setting would
  /// make SQLCipher overwrite the salt with the header, so that no one could ever open the file again
  /// (https://github.com/sqlcipher/sqlcipher/issues/614).
  func refuseOtherHeader(of connection: EngineConnection, path: String) throws(DatabaseError) {
    guard plaintextHeaderSizeInBytes ?? 0 > 0, let header = try connection.fileHeader(), !header.isReadable else {
      return
    }
    throw connection.error(
      .wrongKey, "\(path) was created without a plaintext header, which opening it cannot add",
      remedy: "Open it without that setting, or convert it with SQLCipher.upgrade. It was not changed.")
  }

  /// Applies the settings to a connection, or to an empty attached database, whose key has just been set.
  ///
  /// The order is SQLCipher's: the compatibility version is first, since it sets all others. Each setting is read back,
  /// because an engine ignores unknown settings and would then create a file in another format.
  func apply(to connection: EngineConnection, schema: String = "main") throws(DatabaseError) {
    if let secureMemory { try Self.set("cipher_memory_security", to: secureMemory ? "1" : "0", on: connection, schema) }
    try applyCompatibility(to: connection, schema: schema)
    let settings: [(name: String, value: String?)] = [
      ("cipher_page_size", pageSizeInBytes.map { String($0) }),
      ("cipher_use_hmac", usesHMAC.map { $0 ? "1" : "0" }),
      ("cipher_hmac_algorithm", hmacAlgorithm.map { "HMAC_\($0.rawValue)" }),
      ("cipher_kdf_algorithm", kdfAlgorithm.map { "PBKDF2_HMAC_\($0.rawValue)" }),
      ("kdf_iter", kdfIterations.map { String($0) }),
      ("fast_kdf_iter", fastKDFIterations.map { String($0) }),
      ("cipher_hmac_pgno", hmacPageNumberOrder?.rawValue),
      ("cipher_plaintext_header_size", plaintextHeaderSizeInBytes.map { String($0) }),
    ]
    for case (let name, let value?) in settings { try Self.set(name, to: value, on: connection, schema) }
    guard let salt else { return }
    let digits = salt.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    try connection.execute("PRAGMA \(schema).cipher_salt = \"x'\(digits)'\"")
    try Self.expect("cipher_salt", digits, on: connection, schema)
  }

  private func applyCompatibility(to connection: EngineConnection, schema: String) throws(DatabaseError) {
    guard let compatibility else { return }
    if connection.library.cipherMajorVersion ?? 0 >= 4 {
      try connection.execute("PRAGMA \(schema).cipher_compatibility = \(compatibility)")
      // This pragma returns no value; the settings that it changes show whether it was accepted.
      guard let version = Self.versions[compatibility] else { return }
      try Self.expect("kdf_iter", "\(version.kdfIterations)", on: connection, schema)
      return try Self.expect("cipher_page_size", "\(version.pageSizeInBytes)", on: connection, schema)
    }
    // SQLCipher 3 does not have this setting. For older files, it documents these steps:
    // https://www.zetetic.net/blog/2013/11/11/sqlcipher-300-release/
    if compatibility == 1 { try Self.set("cipher_use_hmac", to: "0", on: connection, schema) }
    if compatibility < 3 { try Self.set("kdf_iter", to: "4000", on: connection, schema) }
  }

  private static func set(
    _ name: String, to value: String, on connection: EngineConnection, _ schema: String
  ) throws(DatabaseError) {
    // Some of these pragmas return a deprecation notice.
    try connection.execute("PRAGMA \(schema).\(name) = \(value)")
    try expect(name, value, on: connection, schema)
  }

  private static func expect(
    _ name: String, _ value: String, on connection: EngineConnection, _ schema: String
  ) throws(DatabaseError) {
    let answer = try connection.text("PRAGMA \(schema).\(name)")
    guard answer?.lowercased() != value.lowercased() else { return }
    throw connection.error(
      .unsupported, "this SQLCipher did not accept the setting \(name) = \(value)",
      remedy: answer.map { "It uses \($0)." } ?? "This version does not have the setting.")
  }

  struct Version {
    let hash: KeyDerivation.Hash
    let kdfIterations: Int
    let pageSizeInBytes: Int
  }

  /// The default settings of each version (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_compatibility).
  static let versions: [Int: Version] = [
    1: Version(hash: .sha1, kdfIterations: 4000, pageSizeInBytes: 1024),
    2: Version(hash: .sha1, kdfIterations: 4000, pageSizeInBytes: 1024),
    3: Version(hash: .sha1, kdfIterations: 64000, pageSizeInBytes: 1024),
    4: Version(hash: .sha512, kdfIterations: 256_000, pageSizeInBytes: 4096),
  ]

  /// Returns the parameters with which the engine would derive the key of a file; nil if the engine does not report
  /// them.
  func derivation(salt: [UInt8], on connection: EngineConnection) throws(DatabaseError) -> KeyDerivation? {
    let version = compatibility.flatMap { Self.versions[$0] }
    var hash = kdfAlgorithm.flatMap { KeyDerivation.Hash(rawValue: $0.rawValue) } ?? version?.hash
    if hash == nil {
      // Versions before 4 have only this algorithm.
      let isNew = connection.library.cipherMajorVersion ?? 0 >= 4
      hash = isNew ? Self.hash(named: try connection.text("PRAGMA cipher_default_kdf_algorithm")) : .sha1
    }
    var iterations = kdfIterations ?? version?.kdfIterations
    if iterations == nil { iterations = try connection.text("PRAGMA cipher_default_kdf_iter").flatMap { Int($0) } }
    guard let hash, let iterations, iterations > 0 else { return nil }
    return KeyDerivation(hash: hash, iterations: iterations, salt: salt)
  }

  /// Whether a connection with its key and these settings derives keys with the given parameters.
  static func confirms(_ derivation: KeyDerivation, _ connection: EngineConnection) throws(DatabaseError) -> Bool {
    guard try connection.text("PRAGMA kdf_iter") == "\(derivation.iterations)" else { return false }
    guard connection.library.cipherMajorVersion ?? 0 >= 4 else { return derivation.hash == .sha1 }
    return try hash(named: connection.text("PRAGMA cipher_kdf_algorithm")) == derivation.hash
  }

  /// Returns the hash function in SQLCipher's name of an algorithm, such as SHA-512 for `PBKDF2_HMAC_SHA512`; nil if
  /// the name contains none.
  private static func hash(named algorithm: String?) -> KeyDerivation.Hash? {
    let prefix = "PBKDF2_HMAC_"
    guard let algorithm, algorithm.hasPrefix(prefix) else { return nil }
    return KeyDerivation.Hash(rawValue: String(algorithm.dropFirst(prefix.count)))
  }
}
