internal import Migrator

/// The time that a job spends on work that does not count.
final class Uncounted: Sendable {
  private let state = Lock<(start: ContinuousClock.Instant, sum: Duration)>((.now, .zero))

  func begin() { state.withLock { $0.start = .now } }

  func end() { state.withLock { $0.sum += .now - $0.start } }

  /// Returns the sum since the last call.
  func take() -> Duration {
    state.withLock { state in
      defer { state.sum = .zero }
      return state.sum
    }
  }
}
