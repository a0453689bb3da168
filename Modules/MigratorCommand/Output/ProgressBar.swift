internal import Dispatch
internal import Migrator

/// Shows on a terminal how far a run is, once it takes longer than half a second.
final class ProgressBar: Sendable {
  private struct State {
    var title = ""
    var done = 0
    var count = 1
    var statement = 0
    var statementCount = 0
    var isVisible = false
    var start = ContinuousClock.now
    var timer: Timer?
  }

  /// Unchecked: a dispatch source, which is not marked as Sendable, may be used from any thread.
  private struct Timer: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  private let environment: ToolEnvironment
  private let isEnabled: Bool
  private let state = Lock(State())

  /// Shows nothing yet.
  init(_ output: Output) {
    environment = output.environment
    isEnabled = output.environment.isErrorTerminal && output.environment.isOutputTerminal && !output.isQuiet
  }

  /// Shows number `index` of `count`, counted from 1, whose work begins.
  ///
  /// The first call begins the time that is shown until ``end()``.
  func begin(_ title: String, index: Int, count: Int, statementCount: Int) {
    guard isEnabled else { return }
    state.withLock { state in
      if state.timer == nil {
        state.start = .now
        state.timer = makeTimer()
      }
      state.title = title
      state.done = index - 1
      state.count = count
      state.statement = 0
      state.statementCount = statementCount
    }
  }

  /// A statement begins, counted from 1.
  func beginStatement(_ number: Int) {
    guard isEnabled else { return }
    state.withLock { $0.statement = number }
  }

  /// Takes the bar away while a line is printed, so that the two do not mix.
  func hidden(_ print: () -> Void) {
    state.withLock { clear(&$0) }
    print()
  }

  /// Takes the bar away.
  func end() {
    state.withLock { state in
      state.timer?.source.cancel()
      state.timer = nil
      clear(&state)
    }
  }

  private func makeTimer() -> Timer {
    let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "migrator.progress"))
    source.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(100))
    source.setEventHandler { [weak self] in self?.draw() }
    source.activate()
    return Timer(source: source)
  }

  private func clear(_ state: inout State) {
    guard state.isVisible else { return }
    state.isVisible = false
    environment.writeError("\r\u{1B}[K")
  }

  private func draw() {
    state.withLock { state in
      guard state.timer != nil else { return }
      state.isVisible = true
      environment.writeError("\r\u{1B}[K" + Self.line(state, elapsed: .now - state.start, width: environment.width))
    }
  }

  private static func line(_ state: State, elapsed: Duration, width: Int) -> String {
    let size = 24
    let inner = state.statementCount > 0 ? Double(max(0, state.statement - 1)) / Double(state.statementCount) : 0
    let filled = min(size, Int((Double(state.done) + inner) / Double(max(1, state.count)) * Double(size)))
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: size - filled)
    var text = "[\(bar)] \(state.done + 1)/\(state.count) \(elapsed.shortText)  \(state.title)"
    if state.statementCount > 1 { text += " (statement \(state.statement) of \(state.statementCount))" }
    // A line that wraps cannot be taken away again.
    return String(text.prefix(width - 1))
  }
}
