/// How a database is converted.
public struct ConversionOptions: Sendable {
  /// Whether the original stays, beside the database, with `-original` behind its name; false unless changed.
  public var keepingOriginal: Bool

  /// For how long to wait until other connections, here and in other processes, let go of the database.
  public var patience: Duration

  /// The SQLCipher library to load, as a path or as a name that the system's loader knows; nil to search for the usual
  /// names.
  public var library: String?

  /// What is told how far the conversion is, on the thread that converts: at the begin and end of each phase, and at most
  /// twenty times a second between; it must not use the database.
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
