public import Migrator

/// The options of a conversion.
public struct ConversionOptions: Sendable {
  /// Whether the original is kept, beside the database, with `-original` appended to its name; false by default.
  public var keepingOriginal: Bool
  /// The time to wait for other connections to the database, in this process and in others.
  public var patience: Duration

  /// The SQLCipher library to load, as a path or as a name that the system's loader knows; nil to search for the usual
  /// names.
  public var library: String?

  /// The closure called with the progress of the conversion, on the converting thread: at the beginning and end of each
  /// phase, and at most twenty times a second in between; it must not use the database.
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

/// The forms of a database that opening it may convert.
public struct ConvertibleSources: OptionSet, Sendable, Hashable {
  /// The raw bits.
  public let rawValue: Int

  /// Creates a set from raw bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A database without encryption, which gets encrypted.
  public static let plaintext = ConvertibleSources(rawValue: 1)
  /// A database of an older version of SQLCipher, which gets the settings used for opening it.
  public static let olderFormats = ConvertibleSources(rawValue: 2)
}
