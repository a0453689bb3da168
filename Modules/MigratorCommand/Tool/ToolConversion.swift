/// A change of how the file of a database is encrypted, which the tool asks of a backend.
public struct ToolConversion: Sendable {
  /// What is changed.
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

  /// How far a conversion is.
  public struct Progress: Sendable, Hashable {
    /// What is done at this moment, in a word.
    public var phase: String
    /// How many units of the phase are done.
    public var completedUnitCount: Int64
    /// How many units the phase has; zero where that is unknown.
    public var totalUnitCount: Int64
    /// What is counted, such as "pages".
    public var unit: String

    /// Creates a value.
    public init(phase: String, completedUnitCount: Int64, totalUnitCount: Int64, unit: String) {
      self.phase = phase
      self.completedUnitCount = completedUnitCount
      self.totalUnitCount = totalUnitCount
      self.unit = unit
    }
  }

  /// How a conversion ended.
  public enum Outcome: Sendable, Hashable {
    /// The file is converted; the path is that of the original, nil when it was removed.
    case converted(original: String?)
    /// The file was what it was to become; nothing was done.
    case unchanged
  }

  /// What is changed.
  public let kind: Kind
  /// The file, with the key and the settings of its encrypted form: the present one, or for `encrypt` the future one.
  public let location: ToolLocation
  /// The key that it gets; nil unless that is another one.
  public let newKey: ToolKey?
  /// The settings that it gets, for `upgrade`.
  public let newCipher: CipherOptions
  /// Whether the original stays beside the new file.
  public let keepsOriginal: Bool
  /// Receives the progress, from any thread.
  public let progress: @Sendable (Progress) -> Void
}
