/// A backend broke a rule of the border.
public struct BackendCheckFailure: Error, Sendable, Hashable {
  /// The number of the broken rule; zero until the check has ended.
  public var number: Int

  /// The broken rule.
  public var sentence: String

  /// What the backend did instead, as a sentence without a full stop.
  public var seen: String

  /// Creates a failure.
  public init(number: Int = 0, sentence: String = "", seen: String) {
    self.number = number
    self.sentence = sentence
    self.seen = seen
  }
}

extension BackendCheckFailure: CustomStringConvertible {
  /// The rule with its number, and what was seen.
  public var description: String { "rule \(number) is broken: \(sentence)\nSeen: \(seen)" }
}
