public import Migrator

/// The options of a conversion.
public struct ConversionOptions: Sendable {
  /// Whether the original stays, beside the database, with `-original` behind its name; false unless changed.
  public var keepingOriginal: Bool
  /// The time to wait until other connections, here and in other processes, are done with the database.
  public var patience: Duration

  /// The SQLCipher library to load, as a path or as a name that the system's loader knows; nil to search for the usual
  /// names.
  public var library: String?

  /// Called with the progress of the conversion, on the thread that converts: at the begin and end of each phase, and at
  /// most twenty times a second between; it must not use the database.
  public var progress: (@Sendable (ConversionProgress) -> Void)?

  /// Creates options.
  public init(
    keepingOriginal: Bool = false, patience: Duration = .seconds(5), library: String? = nil,
    progress: (@Sendable (ConversionProgress) -> Void)? = nil
  ) {
    self.keepingOriginal = keepingOriginal
    self.patience = patience
    self.library = library
    self.progress = progress
  }
}

/// The forms in which a database may be when it is opened, to be converted before.
public struct ConvertibleSources: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set of its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A database without encryption, which is encrypted.
  public static let plaintext = ConvertibleSources(rawValue: 1)
  /// A database of an older version of SQLCipher, which gets the settings that it is opened with.
  public static let olderFormats = ConvertibleSources(rawValue: 2)
}
