public import Foundation

/// An executable check of one rule that every backend must follow.
public struct BackendCheck: Sendable {
  /// The rule's number, which never changes and is never reused; the guide for backend authors uses the same numbers.
  public let number: Int
  /// The text of the rule.
  public let sentence: String

  /// The closure that runs the check.
  ///
  /// - Throws: ``BackendCheckFailure`` if the backend breaks the rule, ``BackendCheckSkipped`` if the rule does not
  ///   apply to the backend, and any unexpected error from the backend.
  public let body: @Sendable (BackendUnderTest) throws -> Void

  /// Creates a check.
  public init(_ number: Int, _ sentence: String, _ body: @escaping @Sendable (BackendUnderTest) throws -> Void) {
    self.number = number
    self.sentence = sentence
    self.body = body
  }

  /// Runs the check.
  ///
  /// Blocks until the check is complete, which takes a few seconds at most.
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
  /// The number and the text of the rule.
  public var description: String { "\(number). \(sentence)" }
}

/// The result of one check.
public struct BackendCheckResult: Sendable, Hashable {
  /// The outcome of a check.
  public enum Outcome: Sendable, Hashable {
    /// The backend follows the rule, as far as the check can determine.
    case passed
    /// The rule does not apply to the backend.
    case skipped(BackendCheckSkipped)
    /// The backend breaks the rule.
    case failed(BackendCheckFailure)
  }

  /// The rule's number.
  public let number: Int
  /// The text of the rule.
  public let sentence: String
  /// The outcome of the check.
  public let outcome: Outcome

  /// Creates a result.
  public init(number: Int, sentence: String, outcome: Outcome) {
    self.number = number
    self.sentence = sentence
    self.outcome = outcome
  }

  /// The failure; nil if the check passed or was skipped.
  public var failure: BackendCheckFailure? { if case .failed(let failure) = outcome { failure } else { nil } }
}

extension BackendCheckResult: CustomStringConvertible {
  /// A single line if the check passed or was skipped, the full failure if it failed.
  public var description: String {
    switch outcome {
    case .passed: "passed \(number). \(sentence)"
    case .skipped(let skipped): "skipped \(number). \(sentence) (\(skipped.reason))"
    case .failed(let failure): failure.description
    }
  }
}

/// The error thrown if a backend breaks a rule.
public struct BackendCheckFailure: LocalizedError, Sendable, Hashable {
  /// The number of the broken rule; zero until the check has ended.
  public var number: Int
  /// The text of the broken rule.
  public var sentence: String
  /// The observed behavior of the backend, as a sentence without a period.
  public var seen: String

  /// Creates a failure.
  public init(number: Int = 0, sentence: String = "", seen: String) {
    self.number = number
    self.sentence = sentence
    self.seen = seen
  }
}

extension BackendCheckFailure: CustomStringConvertible {
  /// The number and the text of the rule, and the observed behavior.
  public var description: String { "rule \(number) is broken: \(sentence)\nSeen: \(seen)" }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// The error thrown if a rule does not apply to a backend, such as a rule about interrupts if the engine has none.
public struct BackendCheckSkipped: LocalizedError, Sendable, Hashable {
  /// The reason why the rule does not apply, as a sentence without a period.
  public var reason: String

  /// Creates the error with a reason.
  public init(_ reason: String) { self.reason = reason }

  /// The reason.
  public var errorDescription: String? { reason }
}
