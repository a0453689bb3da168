public import Migrator
internal import SQLiteDialect

/// The command line tool, for migrations in a folder or for an app's own migrations.
///
/// ```swift
/// MigratorTool(migrator: AppDatabase.migrator, backends: [.sqlite]).main()
/// ```
public struct MigratorTool: Sendable {
  /// The name of the program.
  public let name: String
  /// The version that `--version` and the manual page print: this package's version, unless the app passes another.
  public let version: String
  /// The app's own migrations; nil when they are SQL files in a folder.
  public let migrator: DatabaseMigrator?
  /// The backends to choose from; the first one is the default for a new database.
  public let backends: [ToolBackend]
  /// The default database; nil if the command line must name one.
  public let database: String?
  /// The version of this package, which is defined only here; the first entry of the changelog describes it.
  public static let packageVersion = "1.0.0"
  /// The default folder for migrations.
  static let usualFolder = "migrations"

  /// Creates a tool.
  ///
  /// - Precondition: There is at least one backend, and no two have the same name.
  public init(
    name: String = "migrator", version: String = Self.packageVersion, migrator: DatabaseMigrator? = nil,
    backends: [ToolBackend], database: String? = nil
  ) {
    precondition(!backends.isEmpty, "A tool needs a backend.")
    precondition(Set(backends.map(\.name)).count == backends.count, "Two backends have the same name.")
    (self.name, self.version, self.database) = (name, version, database)
    (self.migrator, self.backends) = (migrator, backends)
  }
}

/// The description of a backend for the tool: its name, the files it recognizes, and a function that creates it.
///
/// Pass backends to ``MigratorTool/init(name:version:migrator:backends:database:)``; the tool has no built-in ones.
public struct ToolBackend: Sendable {
  /// The name for options, and for the prefix in `--database`: lowercase ASCII letters and digits.
  public let name: String
  /// The name for display.
  public let title: String
  /// Whether a database of this backend cannot be opened without a key.
  public let needsKey: Bool
  /// Whether databases are on a server, and are named by the server's address instead of a path.
  public let isServed: Bool
  /// Returns whether a file belongs to this backend, judging by its first bytes (at least 16 and at most 100).
  public let recognizes: @Sendable (_ header: [UInt8]) -> Bool
  /// Creates the backend for a database.
  public let makeBackend: @Sendable (ToolLocation) throws(DatabaseError) -> any DatabaseBackend
  /// The checks that `verify` runs in addition to the engine's integrity check.
  public let checks: [ToolCheck]
  /// Encrypts, decrypts or re-encrypts a file, in a task that can be canceled; nil for a backend without encryption.
  ///
  /// Throws `DatabaseError` or `CancellationError`; the file is then unchanged.
  public let convert: (@Sendable (ToolConversion) async throws -> ConversionOutcome)?

  /// Creates the description of a backend.
  ///
  /// - Parameters:
  ///   - title: The name for display; `name` when nil.
  ///   - isServed: Whether databases are on a server. The text after the prefix in `--database` is then passed on as
  ///     ``ToolLocation/path``, and commands that work on files refuse it.
  ///   - recognizes: Returns whether a file belongs to the backend. If nil, the backend recognizes unencrypted SQLite
  ///     files by their header, or, if `needsKey`, all other files.
  ///   - makeBackend: Creates the backend for a database. The location contains a key if `needsKey`.
  public init(
    name: String, title: String? = nil, needsKey: Bool = false, isServed: Bool = false,
    recognizes: (@Sendable (_ header: [UInt8]) -> Bool)? = nil, checks: [ToolCheck] = [],
    convert: (@Sendable (ToolConversion) async throws -> ConversionOutcome)? = nil,
    makeBackend: @escaping @Sendable (ToolLocation) throws(DatabaseError) -> any DatabaseBackend
  ) {
    self.name = name
    self.title = title ?? name
    self.needsKey = needsKey
    self.isServed = isServed
    self.recognizes = recognizes ?? { header in !isServed && Self.isPlain(header) != needsKey }
    self.checks = checks
    self.convert = convert
    self.makeBackend = makeBackend
  }

  /// Returns whether these bytes begin an unencrypted SQLite file (https://www.sqlite.org/fileformat2.html, 1.3).
  private static func isPlain(_ header: [UInt8]) -> Bool {
    // A power failure can leave a new file without its first page and with the journal that undoes the others. An
    // encrypted file begins with random bytes.
    guard header.prefix(16).contains(where: { $0 != 0 }) else { return true }
    return FirstPage.isPlain(header)
  }
}

/// A check that a backend adds to the tool's `verify` command.
public struct ToolCheck: Sendable {
  /// The result of a check.
  public enum Outcome: Sendable, Hashable {
    /// The check passed; the text describes what was confirmed.
    case passed(String)
    /// The check failed; each text is one finding, and there is at least one.
    case failed([String])
    /// The check was not possible or not necessary; the text gives the reason.
    case skipped(String)
  }

  /// A short name for what is checked.
  public let name: String
  /// Runs the check, which must not write to the database.
  public let check: @Sendable (Database) throws -> Outcome

  /// Creates a check.
  public init(name: String, check: @escaping @Sendable (Database) throws -> Outcome) {
    (self.name, self.check) = (name, check)
  }
}

/// The location of a database, with its key and settings.
public struct ToolLocation: Sendable {
  /// The path of the file, or the address of the database on a server.
  public var path: String
  /// The key; nil for backends that do not need one.
  public var key: ToolKey?
  /// The cipher settings.
  public var cipher: CipherOptions
  /// The path of the engine's library; nil if the backend should find it.
  public var library: String?

  /// Creates the location of a database.
  public init(path: String, key: ToolKey? = nil, cipher: CipherOptions = CipherOptions(), library: String? = nil) {
    (self.path, self.key, self.cipher, self.library) = (path, key, cipher, library)
  }
}

/// The key of an encrypted database, as the user gave it.
public struct ToolKey: Sendable {
  /// The forms of a key.
  public enum Form: Sendable, Hashable {
    /// A passphrase, from which the engine derives the key.
    case passphrase
    /// The raw key: 32 bytes, or 48 with the salt after it.
    case raw
  }

  /// Whether the bytes are a passphrase or the raw key.
  public let form: Form
  /// The bytes of the passphrase or the key.
  public let secret: ToolSecret

  /// Creates a key.
  public init(form: Form, secret: ToolSecret) { (self.form, self.secret) = (form, secret) }
}

/// The settings of an encrypted database that differ from the library's defaults.
public struct CipherOptions: Sendable, Hashable {
  /// The major version of SQLCipher whose file format is used: 1, 2, 3 or 4.
  public var compatibility: Int?
  /// The page size in bytes.
  public var pageSizeInBytes: Int?
  /// The number of iterations of the key derivation.
  public var keyIterations: Int?
  /// The hash function for the key derivation: one of ``algorithms``.
  public var keyAlgorithm: String?
  /// The hash function for the authentication of pages: one of ``algorithms``.
  public var authenticationAlgorithm: String?
  /// Whether pages are authenticated.
  public var usesAuthentication: Bool?
  /// The number of bytes at the start of the file that are not encrypted.
  public var plaintextHeaderSizeInBytes: Int?

  /// The names of the supported hash functions.
  ///
  /// Source: https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_hmac_algorithm
  public static let algorithms = ["sha1", "sha256", "sha512"]

  /// Creates cipher options; nil stands for the library's default.
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

/// A change to the encryption of a database file, which the tool requests from a backend.
public struct ToolConversion: Sendable {
  /// The kinds of changes.
  public enum Kind: String, Sendable, Hashable {
    /// Encrypts an unencrypted file.
    case encrypt
    /// Decrypts an encrypted file.
    case decrypt
    /// Changes the key of an encrypted file.
    case rekey
    /// Changes the format or the settings of an encrypted file.
    case upgrade
  }

  /// The kind of the change.
  public let kind: Kind
  /// The file, with its current key and settings; for `encrypt`, with the new key and settings.
  public let location: ToolLocation
  /// The new key; nil if the key does not change.
  public let newKey: ToolKey?
  /// The new settings, for `upgrade`.
  public let newCipher: CipherOptions
  /// The time to wait for other connections; nil for the default.
  public let lockTimeout: Duration?
  /// Whether to retain the original beside the converted file.
  public let keepsOriginal: Bool
  /// A closure that receives the progress; it may be called on any thread.
  public let progress: @Sendable (ConversionProgress) -> Void
}
