public import Migrator

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
  /// Reports how far the work is; to be called from any thread.
  public let progress: @Sendable (ConversionProgress) -> Void
}
