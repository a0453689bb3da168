/// How an encrypted file is laid out, where that differs from what the running SQLCipher does by itself.
///
/// A file opens with the settings that it was made with, and with no others. Each nil leaves the setting to the
/// library, or to ``compatibility``. https://www.zetetic.net/sqlcipher/sqlcipher-api/
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

  /// The major version of SQLCipher whose defaults to use: 1 through 4, not above the running one's.
  public var compatibility: Int?

  /// The size of a page in bytes: a power of two from 512 through 65536.
  public var pageSizeInBytes: Int?

  /// How often the hash is repeated to derive a key from a passphrase.
  public var kdfIterations: Int?

  /// Whether each page is authenticated.
  public var usesHMAC: Bool?

  /// The algorithm that authenticates pages; needs SQLCipher 4.
  public var hmacAlgorithm: Algorithm?

  /// The algorithm that derives keys; needs SQLCipher 4.
  public var kdfAlgorithm: Algorithm?

  /// How many bytes at the start of the file stay readable, for systems that look there.
  ///
  /// A multiple of 16, at least 32 to be of use. Needs SQLCipher 4, and a key with its salt, which the file then does not
  /// hold.
  ///
  /// https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_plaintext_header_size
  public var plaintextHeaderSizeInBytes: Int?

  /// Creates settings that leave all to the library, but for the version to be compatible with.
  public init(compatibility: Int? = nil) { self.compatibility = compatibility }
}
