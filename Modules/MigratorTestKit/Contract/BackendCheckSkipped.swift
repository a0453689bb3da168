/// A rule that does not apply to a backend, such as a rule about interrupting where the engine cannot be interrupted.
public struct BackendCheckSkipped: Error, Sendable, Hashable {
  /// Why the rule does not apply, as a sentence without a full stop.
  public var reason: String

  /// Creates a reason.
  public init(_ reason: String) { self.reason = reason }
}
