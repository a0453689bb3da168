internal import Migrator
internal import SQLiteEngine

extension CipherSettings {
  /// Refuses settings that make no sense, or that the engine does not have; called before any file is opened.
  ///
  /// - Throws: ``DatabaseError`` as `.misuse` or `.unsupported`.
  func check(_ library: EngineLibrary, form: EncryptionKey.Form) throws(DatabaseError) {
    let major = library.cipherMajorVersion ?? 0
    func error(_ condition: DatabaseError.Condition, _ message: String, _ remedy: String? = nil) -> DatabaseError {
      DatabaseError(condition, engine: library.description.name, message: message, remedy: remedy)
    }
    if let version = compatibility, !(1...max(major, 1)).contains(version) {
      throw error(
        .unsupported, "SQLCipher \(major) cannot use the file format of version \(version)",
        "It knows the versions 1 through \(major).")
    }
    if let size = pageSizeInBytes, !(512...65536).contains(size) || size & (size - 1) != 0 {
      throw error(.misuse, "there is no page of \(size) bytes; its size is a power of two, from 512 through 65536")
    }
    if let count = kdfIterations, !(1...Int(Int32.max)).contains(count) {
      throw error(.misuse, "a key cannot be derived in \(count) iterations")
    }
    if major < 4, hmacAlgorithm != nil || kdfAlgorithm != nil || plaintextHeaderSizeInBytes != nil {
      throw error(.unsupported, "SQLCipher \(major) has no choice of algorithms, and no readable headers")
    }
    guard let size = plaintextHeaderSizeInBytes, size != 0 else { return }
    guard size > 0, size % 16 == 0, size <= pageSizeInBytes ?? 4096 else {
      throw error(.misuse, "a readable header has a multiple of 16 bytes, not \(size)")
    }
    guard form == .rawWithSalt else {
      throw error(
        .misuse, "a file with a readable header does not hold its salt",
        "Give the key as EncryptionKey.rawWithSalt, and keep the salt with the key.")
    }
  }

  /// Gives the settings to a connection whose key was just set.
  ///
  /// In SQLCipher's order: the version to be compatible with comes first, since it sets all others. Each setting is read
  /// back, for an engine passes over a setting that it does not know, and would make another file than was asked for.
  ///
  /// - Parameter schema: The name of the database on the connection: `main`, or an attached one that is still empty.
  /// - Throws: ``DatabaseError`` as `.unsupported` when the engine did not take a setting.
  func apply(to connection: EngineConnection, schema: String = "main") throws(DatabaseError) {
    try applyCompatibility(to: connection, schema: schema)
    let settings: [(name: String, value: String?)] = [
      ("cipher_page_size", pageSizeInBytes.map { String($0) }),
      ("cipher_use_hmac", usesHMAC.map { $0 ? "1" : "0" }),
      ("cipher_hmac_algorithm", hmacAlgorithm.map { "HMAC_\($0.rawValue)" }),
      ("cipher_kdf_algorithm", kdfAlgorithm.map { "PBKDF2_HMAC_\($0.rawValue)" }),
      ("kdf_iter", kdfIterations.map { String($0) }),
      ("cipher_plaintext_header_size", plaintextHeaderSizeInBytes.map { String($0) }),
    ]
    for case (let name, let value?) in settings { try Self.set(name, to: value, on: connection, schema) }
  }

  private func applyCompatibility(to connection: EngineConnection, schema: String) throws(DatabaseError) {
    guard let compatibility else { return }
    guard connection.library.cipherMajorVersion ?? 0 < 4 else {
      return try connection.execute("PRAGMA \(schema).cipher_compatibility = \(compatibility)")
    }
    // SQLCipher 3 has no such setting; its own steps for older files:
    // https://www.zetetic.net/blog/2013/11/11/sqlcipher-300-release/
    if compatibility == 1 { try Self.set("cipher_use_hmac", to: "0", on: connection, schema) }
    if compatibility < 3 { try Self.set("kdf_iter", to: "4000", on: connection, schema) }
  }

  private static func set(
    _ name: String, to value: String, on connection: EngineConnection, _ schema: String
  ) throws(DatabaseError) {
    try connection.execute("PRAGMA \(schema).\(name) = \(value)")
    let answer = try connection.text("PRAGMA \(schema).\(name)")
    guard answer != value else { return }
    throw connection.error(
      .unsupported, "this SQLCipher did not take the setting \(name) = \(value)",
      remedy: answer.map { "It uses \($0)." } ?? "Its version does not have this setting.")
  }
}
