public import Migrator

/// What the tool has to know of a backend: how it is called, which files are its own, and how to make one.
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

  /// Whether a file belongs to this backend, told from its first bytes, which are 16 at least and 100 at most.
  public let recognises: @Sendable (_ header: [UInt8]) -> Bool

  /// Makes the backend of a database.
  public let makeBackend: @Sendable (ToolLocation) throws(DatabaseError) -> any DatabaseBackend

  /// What `verify` checks besides the engine's own integrity check.
  public let checks: [ToolCheck]

  /// Changes how a file is encrypted, from a task that may be cancelled; nil for a backend that cannot.
  ///
  /// Throws `DatabaseError` or `CancellationError`; the file is as it was then.
  public let convert: (@Sendable (ToolConversion) async throws -> ToolConversion.Outcome)?

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - title: The name for people; `name` when it is nil.
  ///   - recognises: Nil stands for files that begin as plain SQLite files do, or for all others if a key is needed.
  ///   - checks: What `verify` checks besides the engine's own integrity check.
  ///   - convert: Changes how a file is encrypted; nil for a backend that cannot.
  ///   - makeBackend: Makes the backend of a database. The key is there when one is needed.
  public init(
    name: String, title: String? = nil, needsKey: Bool = false,
    recognises: (@Sendable (_ header: [UInt8]) -> Bool)? = nil, checks: [ToolCheck] = [],
    convert: (@Sendable (ToolConversion) async throws -> ToolConversion.Outcome)? = nil,
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
  /// What a check found.
  public enum Outcome: Sendable, Hashable {
    /// All is well; the text says what that means.
    case passed(String)
    /// Something is wrong; each text is one finding. At least one.
    case failed([String])
    /// There was nothing to check, or no way; the text says why.
    case skipped(String)
  }

  /// What is checked, in a word or two.
  public let name: String

  /// Looks at the database, without writing.
  public let check: @Sendable (Database) throws -> Outcome

  /// Creates a check.
  public init(name: String, check: @escaping @Sendable (Database) throws -> Outcome) {
    self.name = name
    self.check = check
  }
}
