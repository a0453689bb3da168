public import Migrator

/// A backend as the tool knows it: its name, which files are its own, and how to make one.
///
/// Backends are passed to ``MigratorTool/init(name:version:migrator:backends:database:)`` as values; the tool itself
/// knows none.
public struct ToolBackend: Sendable {
  /// The name in options and before the colon of `--database`: lower-case ASCII letters and digits.
  public let name: String
  /// The name for people.
  public let title: String
  /// Whether a database of this backend cannot be opened without a key.
  public let needsKey: Bool
  /// Whether a file belongs to this backend, by its first bytes, at least 16 and at most 100.
  public let recognises: @Sendable (_ header: [UInt8]) -> Bool
  /// Makes the backend of a database.
  public let makeBackend: @Sendable (ToolLocation) throws(DatabaseError) -> any DatabaseBackend
  /// The checks of `verify` besides the engine's own integrity check.
  public let checks: [ToolCheck]
  /// Changes how a file is encrypted, from a task that may be cancelled; nil for a backend that cannot.
  ///
  /// Throws `DatabaseError` or `CancellationError`; the file is as it was then.
  public let convert: (@Sendable (ToolConversion) async throws -> ConversionOutcome)?

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - title: The name for people; `name` when it is nil.
  ///   - recognises: Nil stands for files that begin as plain SQLite files do, or for all others if a key is needed.
  ///   - makeBackend: Makes the backend of a database. The key is there when one is needed.
  public init(
    name: String, title: String? = nil, needsKey: Bool = false,
    recognises: (@Sendable (_ header: [UInt8]) -> Bool)? = nil, checks: [ToolCheck] = [],
    convert: (@Sendable (ToolConversion) async throws -> ConversionOutcome)? = nil,
    makeBackend: @escaping @Sendable (ToolLocation) throws(DatabaseError) -> any DatabaseBackend
  ) {
    self.name = name
    self.title = title ?? name
    self.needsKey = needsKey
    self.recognises = recognises ?? { header in Self.isPlain(header) != needsKey }
    self.checks = checks
    self.convert = convert
    self.makeBackend = makeBackend
  }

  /// Whether these are the first bytes of a SQLite file (https://www.sqlite.org/fileformat2.html, 1.3).
  ///
  /// Byte 20, the space reserved in each page, is not 0 where an encrypted file keeps its header readable.
  private static func isPlain(_ header: [UInt8]) -> Bool {
    header.starts(with: "SQLite format 3\u{0}".utf8) && (header.count <= 20 || header[20] == 0)
  }
}

/// A check of a database that a backend adds to the tool's `verify`.
public struct ToolCheck: Sendable {
  /// The result of a check.
  public enum Outcome: Sendable, Hashable {
    /// All is well; the text says what that means.
    case passed(String)
    /// Something is wrong; each text is one finding. At least one.
    case failed([String])
    /// There was nothing to check, or no way; the text says why.
    case skipped(String)
  }

  /// The subject of the check, in a word or two.
  public let name: String
  /// Looks at the database, without writing.
  public let check: @Sendable (Database) throws -> Outcome

  /// Creates a check.
  public init(name: String, check: @escaping @Sendable (Database) throws -> Outcome) {
    (self.name, self.check) = (name, check)
  }
}

/// The database that a backend is made for, and its settings.
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
    (self.path, self.key, self.cipher, self.library) = (path, key, cipher, library)
  }
}

/// The key of an encrypted database, as it was given to the tool.
public struct ToolKey: Sendable {
  /// The forms of a key.
  public enum Form: Sendable, Hashable {
    /// A passphrase, from which the engine derives the key.
    case passphrase
    /// The key itself: 32 bytes, or 48 with the salt after it.
    case raw
  }

  /// The form of the bytes.
  public let form: Form
  /// The bytes.
  public let secret: ToolSecret

  /// Creates a key.
  public init(form: Form, secret: ToolSecret) { (self.form, self.secret) = (form, secret) }
}

/// The settings of an encrypted database, where they differ from the library's own.
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
  /// The number of bytes at the start of the file that are not encrypted.
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
    (self.compatibility, self.pageSizeInBytes) = (compatibility, pageSizeInBytes)
    (self.keyIterations, self.keyAlgorithm) = (keyIterations, keyAlgorithm)
    (self.authenticationAlgorithm, self.usesAuthentication) = (authenticationAlgorithm, usesAuthentication)
    self.plaintextHeaderSizeInBytes = plaintextHeaderSizeInBytes
  }
}

/// A change of how the file of a database is encrypted, which the tool asks of a backend.
public struct ToolConversion: Sendable {
  /// The kinds of changes.
  public enum Kind: String, Sendable, Hashable {
    /// A plain file becomes an encrypted one.
    case encrypt
    /// An encrypted file becomes a plain one.
    case decrypt
    /// An encrypted file gets another key.
    case rekey
    /// An encrypted file gets another format or other settings.
    case upgrade
  }

  /// The kind of the change.
  public let kind: Kind
  /// The file, with the key and the settings of its encrypted form: the present one, or for `encrypt` the future one.
  public let location: ToolLocation
  /// The key that it gets; nil unless that is another one.
  public let newKey: ToolKey?
  /// The settings that it gets, for `upgrade`.
  public let newCipher: CipherOptions
  /// How long to wait for other connections; nil for the usual time.
  public let lockTimeout: Duration?
  /// Whether the original stays beside the new file.
  public let keepsOriginal: Bool
  /// Reports how far the work is; to be called from any thread.
  public let progress: @Sendable (ConversionProgress) -> Void
}
