/// What came of one check.
public struct BackendCheckResult: Sendable, Hashable {
  /// How a check ended.
  public enum Outcome: Sendable, Hashable {
    /// The backend keeps the rule, as far as the check can tell.
    case passed
    /// The rule does not apply to the backend.
    case skipped(BackendCheckSkipped)
    /// The backend breaks the rule.
    case failed(BackendCheckFailure)
  }

  /// The rule's number.
  public let number: Int

  /// The rule.
  public let sentence: String

  /// How the check ended.
  public let outcome: Outcome

  /// Creates a result.
  public init(number: Int, sentence: String, outcome: Outcome) {
    self.number = number
    self.sentence = sentence
    self.outcome = outcome
  }

  /// The failure; nil when the check passed or was skipped.
  public var failure: BackendCheckFailure? { if case .failed(let failure) = outcome { failure } else { nil } }
}

extension BackendCheckResult: CustomStringConvertible {
  /// One line for a check that passed or was skipped, the failure in full for one that failed.
  public var description: String {
    switch outcome {
    case .passed: "passed \(number). \(sentence)"
    case .skipped(let skipped): "skipped \(number). \(sentence) (\(skipped.reason))"
    case .failed(let failure): failure.description
    }
  }
}
