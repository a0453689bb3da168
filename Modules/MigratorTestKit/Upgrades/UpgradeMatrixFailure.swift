/// Upgrades that did not end as a fresh install does.
public struct UpgradeMatrixFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The upgrades that failed, from the oldest version on; at least one.
  public let failures: [UpgradeFailure]

  /// Each upgrade that failed, with its reasons.
  public var description: String {
    "\(failures.count) \(failures.count == 1 ? "upgrade" : "upgrades") failed\n"
      + failures.map(\.description).joined(separator: "\n")
  }
}
