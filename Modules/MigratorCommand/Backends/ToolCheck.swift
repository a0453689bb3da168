public import Migrator

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
