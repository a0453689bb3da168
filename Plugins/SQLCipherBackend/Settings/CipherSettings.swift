internal import Migrator
internal import SQLiteEngine

/// How an encrypted file is laid out, where that differs from what the running SQLCipher does by itself.
///
/// A file opens with the settings that it was made with, and with no others. Each nil leaves the setting to the
/// library, or to ``compatibility``. They are given to the engine in its own order, and read back. SQLCipher's
/// `cipher_hmac_salt_mask` and `cipher_default_...` are not among them: they hold for the whole process, whose other files
/// would open no longer.
/// https://www.zetetic.net/sqlcipher/sqlcipher-api/
public struct CipherSettings: Sendable, Hashable {
  /// An algorithm for hashes.
  public enum Algorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-1, of SQLCipher 3 and older.
    case sha1 = "SHA1"
    /// SHA-256.
    case sha256 = "SHA256"
    /// SHA-512, of SQLCipher 4.
    case sha512 = "SHA512"
  }

  /// The order of the bytes of a page's number, which is authenticated with the page.
  public enum PageNumberOrder: String, Sendable, Hashable, CaseIterable {
    /// The lowest byte first, as all versions do by themselves.
    case littleEndian = "le"
    /// The highest byte first.
    case bigEndian = "be"
    /// That of the machine that wrote the file, as the first releases of version 2 had it.
    case native
  }

  /// The major version of SQLCipher whose defaults to use: 1 through 4, not above the running one's.
  public var compatibility: Int?
  /// The size of a page in bytes: a power of two from 512 through 65536.
  public var pageSizeInBytes: Int?
  /// How often the hash is repeated to derive a key from a passphrase.
  public var kdfIterations: Int?

  /// How often the hash is repeated to derive the key of the authentication from the key of the encryption.
  ///
  /// 2 in all versions. https://www.zetetic.net/sqlcipher/sqlcipher-api/#fast_kdf_iter
  public var fastKDFIterations: Int?

  /// Whether each page is authenticated.
  public var usesHMAC: Bool?
  /// The algorithm that authenticates pages; needs SQLCipher 4.
  public var hmacAlgorithm: Algorithm?

  /// How page numbers are authenticated.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_pgno
  public var hmacPageNumberOrder: PageNumberOrder?

  /// The algorithm that derives keys; needs SQLCipher 4.
  public var kdfAlgorithm: Algorithm?

  /// How many bytes at the start of the file stay readable, for systems that look there.
  ///
  /// 16 through 96 in steps of 16, at least 32 to be of use: iOS ends an app that holds a lock on a file in a shared
  /// container while it is suspended, unless it recognises the file as a database by its start. Needs SQLCipher 4. The
  /// file does then not hold its salt: it is in ``salt`` or in the key, and has to be kept like the key. A file that was
  /// made without such a header cannot be given one by opening it with this setting, which is refused; convert it.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_plaintext_header_size
  public var plaintextHeaderSizeInBytes: Int?

  /// The 16 bytes of salt of a file that does not hold it, because its header is readable; not a secret.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_salt
  public var salt: [UInt8]?

  /// Whether SQLCipher keeps all the memory that it uses out of the swap space, and wipes it; needs SQLCipher 4.
  ///
  /// Slow, and a setting of the whole process: it holds for all its databases from then on.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_memory_security
  public var secureMemory: Bool?

  /// Creates settings that leave all to the library, but for the version to be compatible with.
  public init(compatibility: Int? = nil) { self.compatibility = compatibility }

  /// Settings of a file in a container that iOS shares between apps and extensions; see ``plaintextHeaderSizeInBytes``.
  ///
  /// - Parameters:
  ///   - bytes: The size of the readable header.
  ///   - salt: 16 random bytes, made once for the file and stored with its key.
  public static func plaintextHeader(bytes: Int = 32, salt: [UInt8]) -> CipherSettings {
    var settings = CipherSettings()
    settings.plaintextHeaderSizeInBytes = bytes
    settings.salt = salt
    return settings
  }
}

extension CipherSettings {
  /// Refuses settings that make no sense, or that the engine does not have; called before any file is opened.
  func check(_ library: EngineLibrary, form: KeyMaterial.Form) throws(DatabaseError) {
    let major = library.cipherMajorVersion ?? 0
    if let compatibility, !(1...max(major, 1)).contains(compatibility) {
      throw .sqlCipher(
        .unsupported, "SQLCipher \(major) cannot use the file format of version \(compatibility)",
        "It knows the versions 1 through \(major).")
    }
    if let size = pageSizeInBytes, !(512...65536).contains(size) || size & (size - 1) != 0 {
      throw .sqlCipher(.misuse, "there is no page of \(size) bytes; its size is a power of two, from 512 through 65536")
    }
    for case let count? in [kdfIterations, fastKDFIterations] where !(1...Int(Int32.max)).contains(count) {
      throw .sqlCipher(.misuse, "a key cannot be derived in \(count) iterations")
    }
    let isAuthenticated = usesHMAC ?? (compatibility != 1)
    if !isAuthenticated, hmacAlgorithm != nil || hmacPageNumberOrder != nil || fastKDFIterations != nil {
      throw .sqlCipher(
        .misuse, "the settings say how pages are authenticated, and that they are not",
        "Leave one of the two out; files of version 1 have no authentication.")
    }
    if major < 4 {
      if hmacAlgorithm != nil || kdfAlgorithm != nil || plaintextHeaderSizeInBytes != nil || salt != nil {
        throw .sqlCipher(.unsupported, "SQLCipher \(major) has no choice of algorithms, and no readable headers")
      }
      if secureMemory != nil {
        throw .sqlCipher(.unsupported, "SQLCipher \(major) has no setting for the memory that it uses")
      }
    }
    try checkHeader(form)
  }

  private func checkHeader(_ form: KeyMaterial.Form) throws(DatabaseError) {
    let size = plaintextHeaderSizeInBytes ?? 0
    if let salt {
      guard salt.count == 16 else {
        throw .sqlCipher(.misuse, "a salt has 16 bytes, and this one \(salt.count)")
      }
      guard size != 0 else {
        throw .sqlCipher(
          .misuse, "a salt was given for a file that holds its own",
          "Leave it out, or say how many bytes of the header are readable.")
      }
      guard form != .rawWithSalt else {
        throw .sqlCipher(
          .misuse, "the salt was given twice, with the key and in the settings", "Give it in one place.")
      }
    }
    guard size != 0 else { return }
    // From byte 100 on there is the schema: https://www.sqlite.org/fileformat.html#the_database_header
    guard size > 0, size % 16 == 0, size <= 96 else {
      throw .sqlCipher(.misuse, "a readable header has 16 through 96 bytes in steps of 16, not \(size)")
    }
    guard salt != nil || form == .rawWithSalt else {
      throw .sqlCipher(
        .misuse, "a file with a readable header does not hold its salt",
        "Give the salt in the settings or the key as EncryptionKey.rawWithSalt, and keep the salt with the key.")
    }
  }
}
