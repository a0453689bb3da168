/// Which database a backend is to be made for, and how.
public struct ToolLocation: Sendable {
  /// The path of the file.
  public var path: String
  /// The key; nil for backends that need none.
  public var key: ToolKey?
  /// The cipher settings.
  public var cipher: CipherOptions
  /// The path of the engine's library; nil when the backend is to find it.
  public var library: String?

  /// Creates a location.
  public init(path: String, key: ToolKey? = nil, cipher: CipherOptions = CipherOptions(), library: String? = nil) {
    self.path = path
    self.key = key
    self.cipher = cipher
    self.library = library
  }
}

/// The key of an encrypted database, as it was given to the tool.
public struct ToolKey: Sendable {
  /// What the bytes are.
  public enum Form: Sendable, Hashable {
    /// A passphrase, from which the engine derives the key.
    case passphrase
    /// The key itself: 32 bytes, or 48 with the salt behind it.
    case raw
  }

  /// What the bytes are.
  public let form: Form

  /// The bytes.
  public let secret: ToolSecret

  /// Creates a key.
  public init(form: Form, secret: ToolSecret) {
    self.form = form
    self.secret = secret
  }
}

/// How an encrypted database is encrypted, where the user says that it differs from the library's own settings.
public struct CipherOptions: Sendable, Hashable {
  /// The major version of SQLCipher whose file format is meant: 1, 2, 3 or 4.
  public var compatibility: Int?
  /// The size of a page in bytes.
  public var pageSizeInBytes: Int?
  /// The rounds of the passphrase's derivation.
  public var keyIterations: Int?
  /// The hash of the passphrase's derivation: one of ``algorithms``.
  public var keyAlgorithm: String?
  /// The hash that authenticates pages: one of ``algorithms``.
  public var authenticationAlgorithm: String?

  /// Whether pages are authenticated.
  public var usesAuthentication: Bool?
  /// How many bytes at the start of the file are not encrypted.
  public var plaintextHeaderSizeInBytes: Int?

  /// The names of hashes that can be given.
  ///
  /// Source: https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_algorithm
  public static let algorithms = ["sha1", "sha256", "sha512"]

  /// Creates options; nil leaves a setting to the library.
  public init(
    compatibility: Int? = nil, pageSizeInBytes: Int? = nil, keyIterations: Int? = nil, keyAlgorithm: String? = nil,
    authenticationAlgorithm: String? = nil, usesAuthentication: Bool? = nil, plaintextHeaderSizeInBytes: Int? = nil
  ) {
    self.compatibility = compatibility
    self.pageSizeInBytes = pageSizeInBytes
    self.keyIterations = keyIterations
    self.keyAlgorithm = keyAlgorithm
    self.authenticationAlgorithm = authenticationAlgorithm
    self.usesAuthentication = usesAuthentication
    self.plaintextHeaderSizeInBytes = plaintextHeaderSizeInBytes
  }
}
