/// An upgrade that did not end as a fresh install does.
public struct UpgradeFailure: Error, Sendable, Hashable {
  /// The version that the database was built at: its last migration; nil for an empty database.
  public var start: String?

  /// The version that it was brought to; nil for an empty database.
  public var end: String?

  /// What is wrong, each as a sentence without a full stop; at least one.
  public var reasons: [String]

  /// Creates a failure.
  public init(start: String?, end: String?, reasons: [String]) {
    self.start = start
    self.end = end
    self.reasons = reasons
  }
}

extension UpgradeFailure: CustomStringConvertible {
  /// From where to where, and all that is wrong, a line each.
  public var description: String {
    func name(_ version: String?) -> String { version.map { "\"\($0)\"" } ?? "an empty database" }
    return "upgrading from \(name(start)) to \(name(end)):" + reasons.map { "\n- \($0)" }.joined()
  }
}
