internal import Migrator
internal import SQLiteEngine

/// The settings of an encrypted file that differ from the defaults of the running SQLCipher.
///
/// A file opens only with the settings that it was created with. Each nil leaves the setting to the library, or to
/// ``compatibility``. The settings are applied in the engine's order, and read back. SQLCipher's
/// `cipher_hmac_salt_mask` and `cipher_default_...` are not included: they apply to the whole process, and its other
/// files would no longer open. https://www.zetetic.net/sqlcipher/sqlcipher-api/
public struct CipherSettings: Sendable, Hashable {
  /// A hash algorithm.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-1, the default of SQLCipher 3 and older.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512, the default of SQLCipher 4.
    case sha512 = "SHA512"
  }

  /// The byte order of a page number, which is authenticated with the page.
  public enum PageNumberOrder: String, Sendable, Hashable, CaseIterable {
    /// Little-endian, the default of all versions.
    case littleEndian = "le"
    /// Big-endian.
    case bigEndian = "be"
    /// The byte order of the machine that wrote the file, as in the first releases of version 2.
    case native
  }

  /// The major version of SQLCipher whose defaults to use: 1 through 4, at most the running version.
  public var compatibility: Int?
  /// The size of a page in bytes: a power of two from 512 through 65536.
  public var pageSizeInBytes: Int?
  /// The number of iterations that derive a key from a passphrase.
  public var kdfIterations: Int?

  /// The number of iterations that derive the authentication key from the encryption key.
  ///
  /// 2 in all versions. https://www.zetetic.net/sqlcipher/sqlcipher-api/#fast_kdf_iter
  public var fastKDFIterations: Int?

  /// Whether each page is authenticated.
  public var usesHMAC: Bool?
  /// The algorithm that authenticates pages; requires SQLCipher 4.
  public var hmacAlgorithm: Algorithm?

  /// The byte order of authenticated page numbers.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_pgno
  public var hmacPageNumberOrder: PageNumberOrder?

  /// The algorithm that derives keys; requires SQLCipher 4.
  public var kdfAlgorithm: Algorithm?

  /// The number of unencrypted bytes at the start of the file, for systems that read them.
  ///
  /// 16 through 96 in steps of 16, and at least 32 to be useful: iOS terminates a suspended app that holds a lock on a
  /// file in a shared container, unless it recognizes the file as a database by its header. Requires SQLCipher 4. The
  /// file then does not contain its salt: store the salt, which is in ``salt`` or in the key, together with the key.
  /// Opening a file that was created without such a header with this setting fails; convert the file instead.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_plaintext_header_size
  public var plaintextHeaderSizeInBytes: Int?

  /// The 16-byte salt of a file that does not contain it, because of its plaintext header; not a secret.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_salt
  public var salt: [UInt8]?

  /// Whether SQLCipher keeps all of its memory out of swap space, and wipes it; requires SQLCipher 4.
  ///
  /// Slow. This setting applies to the whole process: to all of its databases from then on.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_memory_security
  public var secureMemory: Bool?

  /// Creates settings with the library's defaults, except for the compatibility version.
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
  /// Throws for settings that contradict each other, or that the engine does not have; called before any file is
  /// opened.
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
