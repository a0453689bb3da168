/// An executable check of one rule for the border between the core and a backend.
public struct BackendCheck: Sendable {
  /// The rule's number, which never changes and is never given to another rule; the guide uses the same.
  public let number: Int
  /// The rule.
  public let sentence: String

  /// The closure that tries to break the rule.
  ///
  /// - Throws: ``BackendCheckFailure`` when the backend breaks the rule, ``BackendCheckSkipped`` when the rule does not
  ///   apply to it, and any unexpected error of the backend.
  public let body: @Sendable (BackendUnderTest) throws -> Void

  /// Creates a check.
  public init(_ number: Int, _ sentence: String, _ body: @escaping @Sendable (BackendUnderTest) throws -> Void) {
    self.number = number
    self.sentence = sentence
    self.body = body
  }

  /// Runs the check.
  ///
  /// Blocks until it is complete, for some seconds at most.
  public func run(on backend: BackendUnderTest) -> BackendCheckResult {
    let outcome: BackendCheckResult.Outcome
    do {
      try body(backend)
      outcome = .passed
    } catch let skipped as BackendCheckSkipped {
      outcome = .skipped(skipped)
    } catch var failure as BackendCheckFailure {
      failure.number = number
      failure.sentence = sentence
      outcome = .failed(failure)
    } catch {
      outcome = .failed(BackendCheckFailure(number: number, sentence: sentence, seen: "unexpected error: \(error)"))
    }
    return BackendCheckResult(number: number, sentence: sentence, outcome: outcome)
  }
}

extension BackendCheck: CustomStringConvertible {
  /// The number and the rule.
  public var description: String { "\(number). \(sentence)" }
}

/// The result of one check.
public struct BackendCheckResult: Sendable, Hashable {
  /// The outcome of a check.
  public enum Outcome: Sendable, Hashable {
    /// The backend keeps the rule, as far as the check can determine.
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
  /// The outcome of the check.
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
  /// One line for a check that passed or was skipped, and the full failure for one that failed.
  public var description: String {
    switch outcome {
    case .passed: "passed \(number). \(sentence)"
    case .skipped(let skipped): "skipped \(number). \(sentence) (\(skipped.reason))"
    case .failed(let failure): failure.description
    }
  }
}

/// A backend broke a rule of the border.
public struct BackendCheckFailure: Error, Sendable, Hashable {
  /// The number of the broken rule; zero until the check has ended.
  public var number: Int
  /// The broken rule.
  public var sentence: String
  /// The behavior of the backend, as a sentence without a period.
  public var seen: String

  /// Creates a failure.
  public init(number: Int = 0, sentence: String = "", seen: String) {
    self.number = number
    self.sentence = sentence
    self.seen = seen
  }
}

extension BackendCheckFailure: CustomStringConvertible {
  /// The rule with its number, and the observed behavior.
  public var description: String { "rule \(number) is broken: \(sentence)\nSeen: \(seen)" }
}

/// A rule that does not apply to a backend, such as a rule about interrupting where the engine cannot be interrupted.
public struct BackendCheckSkipped: Error, Sendable, Hashable {
  /// The reason why the rule does not apply, as a sentence without a period.
  public var reason: String

  /// Creates a reason.
  public init(_ reason: String) { self.reason = reason }
}
