/// The key of an encrypted database, as it was given to the tool.
public struct ToolKey: Sendable {
  /// What the bytes are.
  public enum Form: Sendable, Hashable {
    /// A passphrase, from which the engine derives the key.
    case passphrase
    /// The key itself: 32 bytes, or 48 with the salt behind it.
    case raw
  }

  /// What the bytes are.
  public let form: Form

  /// The bytes.
  public let secret: ToolSecret

  /// Creates a key.
  public init(form: Form, secret: ToolSecret) {
    self.form = form
    self.secret = secret
  }
}
