public import Migrator

/// The options of a conversion.
public struct ConversionOptions: Sendable {
  /// Whether the original is retained beside the database, with `-original` appended to its name; false by default.
  public var keepingOriginal: Bool
  /// The time to wait for other connections to the database, in this process or in others.
  public var patience: Duration

  /// The SQLCipher that converts; by default, a library that is loaded by its usual names.
  public var engine: EngineSource

  /// The closure that receives the progress of the conversion, on the thread that converts.
  ///
  /// The closure is called at the beginning and the end of each phase, and in between at most twenty times a second. It
  /// must not use the database.
  public var progress: (@Sendable (ConversionProgress) -> Void)?

  /// Creates conversion options.
  public init(
    keepingOriginal: Bool = false, patience: Duration = .seconds(5), engine: EngineSource = .automatic,
    progress: (@Sendable (ConversionProgress) -> Void)? = nil
  ) {
    self.keepingOriginal = keepingOriginal
    self.patience = patience
    self.engine = engine
    self.progress = progress
  }
}

/// The forms of a database file that are converted when the database is opened.
public struct ConvertibleSources: OptionSet, Sendable, Hashable {
  /// The bits of the option set.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An unencrypted database, which is then encrypted.
  public static let plaintext = ConvertibleSources(rawValue: 1)
  /// A database from an older version of SQLCipher, which is converted to the settings given for opening it.
  public static let olderFormats = ConvertibleSources(rawValue: 2)
}
