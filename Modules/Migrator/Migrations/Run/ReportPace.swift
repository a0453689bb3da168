/// Lets at most ten reports a second pass, so that telling of work does not hold it up.
struct ReportPace {
  private static let pause = Duration.milliseconds(100)

  private let start = ContinuousClock.now
  private var next: ContinuousClock.Instant

  /// Begins with the work; the first report is due one pause later.
  init() { next = start + Self.pause }

  /// How long the work has taken, when a report is due; nil when the last one was a moment ago.
  mutating func elapsedIfDue() -> Duration? {
    let now = ContinuousClock.now
    guard now >= next else { return nil }
    next = now + Self.pause
    return now - start
  }
}
