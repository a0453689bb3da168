internal import Migrator
internal import SQLiteEngine

extension CipherSettings {
  /// What a version of SQLCipher does by itself.
  struct Version {
    let hash: KeyDerivation.Hash
    let kdfIterations: Int
    let pageSizeInBytes: Int
  }

  /// What each version does by itself.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_compatibility
  static let versions: [Int: Version] = [
    1: Version(hash: .sha1, kdfIterations: 4000, pageSizeInBytes: 1024),
    2: Version(hash: .sha1, kdfIterations: 4000, pageSizeInBytes: 1024),
    3: Version(hash: .sha1, kdfIterations: 64000, pageSizeInBytes: 1024),
    4: Version(hash: .sha512, kdfIterations: 256_000, pageSizeInBytes: 4096),
  ]

  /// How the engine would derive the key of a file with these settings; nil when it does not say.
  ///
  /// - Parameters:
  ///   - salt: The file's salt.
  ///   - connection: A connection that may not have a key yet.
  func derivation(salt: [UInt8], on connection: EngineConnection) throws(DatabaseError) -> KeyDerivation? {
    let version = compatibility.flatMap { Self.versions[$0] }
    var hash = kdfAlgorithm.flatMap { KeyDerivation.Hash(rawValue: $0.rawValue) } ?? version?.hash
    if hash == nil { hash = try Self.defaultHash(on: connection) }
    var iterations = kdfIterations ?? version?.kdfIterations
    if iterations == nil { iterations = try Self.defaultIterations(on: connection) }
    guard let hash, let iterations else { return nil }
    return KeyDerivation(hash: hash, iterations: iterations, salt: salt)
  }

  /// Whether a connection that has its key and these settings would derive keys in this way.
  static func confirms(_ derivation: KeyDerivation, _ connection: EngineConnection) throws(DatabaseError) -> Bool {
    guard try connection.text("PRAGMA kdf_iter") == "\(derivation.iterations)" else { return false }
    guard connection.library.cipherMajorVersion ?? 0 >= 4 else { return derivation.hash == .sha1 }
    return try hash(named: connection.text("PRAGMA cipher_kdf_algorithm")) == derivation.hash
  }

  private static func defaultHash(on connection: EngineConnection) throws(DatabaseError) -> KeyDerivation.Hash? {
    // Before version 4 there was no other one.
    guard connection.library.cipherMajorVersion ?? 0 >= 4 else { return .sha1 }
    return hash(named: try connection.text("PRAGMA cipher_default_kdf_algorithm"))
  }

  private static func defaultIterations(on connection: EngineConnection) throws(DatabaseError) -> Int? {
    try connection.text("PRAGMA cipher_default_kdf_iter").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The hash of an algorithm as SQLCipher names it, such as `PBKDF2_HMAC_SHA512`.
  private static func hash(named algorithm: String?) -> KeyDerivation.Hash? {
    let prefix = "PBKDF2_HMAC_"
    guard let algorithm, algorithm.hasPrefix(prefix) else { return nil }
    return KeyDerivation.Hash(rawValue: String(algorithm.dropFirst(prefix.count)))
  }
}
