internal import Migrator
internal import SQLiteEngine

/// The encryption settings of a file that differ from the defaults of the loaded SQLCipher.
///
/// A file opens only with the settings with which it was created. A setting that is nil has the library's default, or
/// the default of the version in ``compatibility``. The settings are applied in the engine's order, and read back.
/// SQLCipher's `cipher_hmac_salt_mask` and `cipher_default_...` are not included: they apply to the whole process,
/// whose other files would no longer open. https://www.zetetic.net/sqlcipher/sqlcipher-api/
public struct CipherSettings: Sendable, Hashable {
  /// A hash function.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-1, the default of SQLCipher 3 and older.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512, the default of SQLCipher 4.
    case sha512 = "SHA512"
  }

  /// A byte order for the page numbers in authenticated data.
  public enum PageNumberOrder: String, Sendable, Hashable, CaseIterable {
    /// Little-endian, the default of all versions.
    case littleEndian = "le"
    /// Big-endian.
    case bigEndian = "be"
    /// The byte order of the computer that wrote the file, as in the first releases of version 2.
    case native
  }

  /// The major version of SQLCipher whose defaults are used: 1 through 4, at most the major version of the library.
  public var compatibility: Int?
  /// The size of a page in bytes: a power of two from 512 through 65536.
  public var pageSizeInBytes: Int?
  /// The number of iterations with which a key is derived from a passphrase.
  public var kdfIterations: Int?

  /// The number of iterations with which the authentication key is derived from the encryption key.
  ///
  /// The default is 2 in all versions. https://www.zetetic.net/sqlcipher/sqlcipher-api/#fast_kdf_iter
  public var fastKDFIterations: Int?

  /// Whether each page is authenticated.
  public var usesHMAC: Bool?
  /// The hash function for the authentication of pages; requires SQLCipher 4.
  public var hmacAlgorithm: Algorithm?

  /// The byte order of the page numbers in authenticated data.
  ///
  /// See https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_pgno.
  public var hmacPageNumberOrder: PageNumberOrder?

  /// The hash function for the derivation of keys; requires SQLCipher 4.
  public var kdfAlgorithm: Algorithm?

  /// The number of unencrypted bytes at the start of the file, for systems that must recognize the file as a database.
  ///
  /// A multiple of 16, from 16 through 96; values below 32 are not useful. iOS terminates a suspended app that holds a
  /// lock on a file in a shared container, unless the header shows that the file is a database. Requires SQLCipher 4. A
  /// file with a plaintext header does not contain its salt, which must be given in ``salt`` or in the key: store the
  /// salt together with the key. With this setting, a file that was created without a plaintext header cannot be
  /// opened; convert the file instead.
  ///
  /// See https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_plaintext_header_size.
  public var plaintextHeaderSizeInBytes: Int?

  /// The 16-byte salt of a file with a plaintext header, which does not contain the salt; not a secret.
  ///
  /// See https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_salt.
  public var salt: [UInt8]?

  /// Whether SQLCipher keeps all of its memory out of swap space, and wipes it afterwards; requires SQLCipher 4.
  ///
  /// This makes SQLCipher slow. It applies to the whole process, to all of its databases from then on.
  ///
  /// See https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_memory_security.
  public var secureMemory: Bool?

  /// Creates settings with the defaults of the library, or of the given version of SQLCipher.
  public init(compatibility: Int? = nil) { self.compatibility = compatibility }

  /// Returns settings for a file in a container that iOS shares between apps and extensions; see
  /// ``plaintextHeaderSizeInBytes``.
  ///
  /// - Parameters:
  ///   - bytes: The size of the plaintext header.
  ///   - salt: 16 random bytes, created once for the file and stored with its key.
  public static func plaintextHeader(bytes: Int = 32, salt: [UInt8]) -> CipherSettings {
    var settings = CipherSettings()
    settings.plaintextHeaderSizeInBytes = bytes
    settings.salt = salt
    return settings
  }
}

extension CipherSettings {
  /// Throws if settings contradict each other, or if the engine does not have them; called before any file is opened.
  func check(_ library: EngineLibrary, form: KeyMaterial.Form) throws(DatabaseError) {
    let major = library.cipherMajorVersion ?? 0
    if let compatibility, !(1...max(major, 1)).contains(compatibility) {
      throw .sqlCipher(
        .unsupported, "SQLCipher \(major) cannot use the file format of version \(compatibility)",
        "It supports versions 1 through \(major).")
    }
    if let size = pageSizeInBytes, !(512...65536).contains(size) || size & (size - 1) != 0 {
      throw .sqlCipher(.misuse, "the page size \(size) is not a power of two from 512 through 65536")
    }
    for case let count? in [kdfIterations, fastKDFIterations] where !(1...Int(Int32.max)).contains(count) {
      throw .sqlCipher(.misuse, "\(count) is not a valid number of iterations for deriving a key")
    }
    let isAuthenticated = usesHMAC ?? (compatibility != 1)
    if !isAuthenticated, hmacAlgorithm != nil || hmacPageNumberOrder != nil || fastKDFIterations != nil {
      throw .sqlCipher(
        .misuse, "the settings specify a page authentication and disable it",
        "Omit one of the two. Files of version 1 have no authentication.")
    }
    if major < 4 {
      if hmacAlgorithm != nil || kdfAlgorithm != nil || plaintextHeaderSizeInBytes != nil || salt != nil {
        throw .sqlCipher(.unsupported, "SQLCipher \(major) has no choice of algorithms and no plaintext headers")
      }
      if secureMemory != nil {
        throw .sqlCipher(.unsupported, "SQLCipher \(major) has no setting for memory security")
      }
    }
    try checkHeader(form)
  }

  private func checkHeader(_ form: KeyMaterial.Form) throws(DatabaseError) {
    let size = plaintextHeaderSizeInBytes ?? 0
    if let salt {
      guard salt.count == 16 else {
        throw .sqlCipher(.misuse, "a salt must have 16 bytes, but this one has \(salt.count)")
      }
      guard size != 0 else {
        throw .sqlCipher(
          .misuse, "a salt was given for a file that contains its own salt",
          "Omit it, or specify the size of the plaintext header.")
      }
      guard form != .rawWithSalt else {
        throw .sqlCipher(
          .misuse, "the salt was given twice, in the key and in the settings", "Provide it only once.")
      }
    }
    guard size != 0 else { return }
    // The schema begins at byte 100: https://www.sqlite.org/fileformat.html#the_database_header
    guard size > 0, size % 16 == 0, size <= 96 else {
      throw .sqlCipher(.misuse, "a plaintext header must have 16 through 96 bytes in steps of 16, not \(size)")
    }
    guard salt != nil || form == .rawWithSalt else {
      throw .sqlCipher(
        .misuse, "a file with a plaintext header does not contain its salt",
        "Provide the salt in the settings, or in the key with EncryptionKey.rawWithSalt, and store it with the key.")
    }
  }
}
