/// What a database may be when it is opened, to be converted before.
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
