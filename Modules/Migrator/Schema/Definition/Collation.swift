/// A rule by which text is compared (https://www.sqlite.org/datatype3.html#collation).
public struct Collation: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
  /// The collation's name.
  public let rawValue: String
  /// Creates a collation from its name, which may be one that the application adds to its connections.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a collation from its name, which may be one that the application adds to its connections.
  public init(_ name: String) { rawValue = name }
  /// Creates a collation from its name, which may be one that the application adds to its connections.
  public init(stringLiteral value: String) { rawValue = value }

  /// By bytes.
  public static let binary = Collation("BINARY")
  /// By bytes, the 26 upper case letters of ASCII equal to the lower case ones.
  public static let nocase = Collation("NOCASE")
  /// By bytes, spaces at the end left out.
  public static let rtrim = Collation("RTRIM")
}
