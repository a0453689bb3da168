/// One rule of the border between the core and a backend, as something that can be run.
public struct BackendCheck: Sendable {
  /// The rule's number, which never changes and is never given to another rule; the guide uses the same.
  public let number: Int

  /// The rule.
  public let sentence: String

  /// Tries to break the rule.
  ///
  /// - Throws: ``BackendCheckFailure`` when the backend breaks the rule, ``BackendCheckSkipped`` when the rule does not
  ///   apply to it, and whatever the backend throws where it should not.
  public let body: @Sendable (BackendUnderTest) throws -> Void

  /// Creates a check.
  public init(_ number: Int, _ sentence: String, _ body: @escaping @Sendable (BackendUnderTest) throws -> Void) {
    self.number = number
    self.sentence = sentence
    self.body = body
  }

  /// Runs the check.
  ///
  /// Blocks until it is done, for some seconds at most.
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
