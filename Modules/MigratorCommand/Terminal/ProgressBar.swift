internal import Dispatch
internal import Migrator

/// Shows on a terminal how far a run is, once it takes longer than half a second.
final class ProgressBar: Sendable {
  private struct State {
    var work = ProgressLine()
    var isVisible = false
    var start = ContinuousClock.now
    var timer: Timer?
  }

  /// Unchecked: a dispatch source, which is not marked as Sendable, may be used from any thread.
  private struct Timer: @unchecked Sendable {
    let source: any DispatchSourceTimer
  }

  private let environment: ToolEnvironment
  let isEnabled: Bool
  private let state = Lock(State())

  /// Shows nothing yet.
  init(_ output: Output) {
    environment = output.environment
    isEnabled = output.environment.isErrorTerminal && output.environment.isOutputTerminal && !output.isQuiet
  }

  /// Shows number `index` of `count`, counted from 1, whose work begins.
  ///
  /// The first call begins the time that is shown until ``end()``, or until work of another kind begins.
  func begin(_ title: String, index: Int, count: Int, statementCount: Int) {
    change { work in
      work = ProgressLine(title: title, done: index - 1, count: count, inner: 0, innerCount: statementCount)
      work.unit = "statement"
    }
  }

  /// A statement begins, counted from 1.
  func beginStatement(_ number: Int) {
    guard isEnabled else { return }
    state.withLock { state in
      state.work.inner = Double(number - 1)
      state.work.lastStep = .now - state.start
    }
  }

  /// A part of what began is done, from 0 to 1.
  func show(fraction: Double) {
    guard isEnabled else { return }
    state.withLock { state in
      (state.work.inner, state.work.innerCount, state.work.unit) = (fraction, 1, "")
      state.work.lastStep = .now - state.start
    }
  }

  /// So many rows were changed by the statements that have ended, in the time since the work began.
  func show(changedRowCount: Int, after elapsed: Duration) {
    guard isEnabled else { return }
    state.withLock { state in
      // The count stands still until the next statement ends, and the rate must not sink meanwhile.
      guard state.work.changedRows.count != changedRowCount else { return }
      state.work.changedRows = (changedRowCount, elapsed)
    }
  }

  /// Shows work that counts units of its own; a total of zero is an unknown one.
  func show(_ title: String, _ done: Int64, of total: Int64, _ unit: String) {
    change { work in
      work = ProgressLine(title: title, done: 0, count: 1, inner: Double(done), innerCount: Int(total))
      work.unit = unit
      work.countsUnits = true
    }
  }

  private func change(_ body: (inout ProgressLine) -> Void) {
    guard isEnabled else { return }
    state.withLock { state in
      if state.timer == nil {
        state.start = .now
        state.timer = makeTimer()
      }
      let before = state.work
      body(&state.work)
      // What is left is guessed from the work that goes on, not from what came before.
      if state.work.isOther(than: before) { state.start = .now }
      state.work.lastStep = .now - state.start
    }
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
      environment.writeError(
        "\r\u{1B}[K"
          + state.work.text(
            elapsed: .now - state.start, width: environment.width, showsUnicode: environment.showsUnicode))
    }
  }
}
