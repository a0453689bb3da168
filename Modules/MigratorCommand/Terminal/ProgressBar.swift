internal import SQLMigrations
internal import Dispatch
internal import Migrator

/// A bar on a terminal that shows the progress of a run, once it takes longer than half a second.
final class ProgressBar: Sendable {
  /// Unchecked: a dispatch source, which is not marked as Sendable, may be used from any thread.
  private struct State: @unchecked Sendable {
    var work = ProgressLine()
    var isVisible = false
    var start = ContinuousClock.now
    var timer: (any DispatchSourceTimer)?
  }

  private let environment: ToolEnvironment
  let isEnabled: Bool
  private let state = Lock(State())

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

  func beginStatement(_ number: Int) { advance { $0.inner = Double(number - 1) } }

  func show(fraction: Double) { advance { work in (work.inner, work.innerCount, work.unit) = (fraction, 1, "") } }

  private func advance(_ body: (inout ProgressLine) -> Void) {
    guard isEnabled else { return }
    state.withLock { state in
      body(&state.work)
      state.work.lastStep = .now - state.start
    }
  }

  /// Shows that so many rows were changed by the statements that have ended, in the time since the work began.
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

  func hidden(_ print: () -> Void) {
    state.withLock { clear(&$0) }
    print()
  }

  func end() {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      clear(&state)
    }
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "migrator.progress"))
    source.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(100))
    source.setEventHandler { [weak self] in self?.draw() }
    source.activate()
    return source
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

/// The progress of work as one line: the bar, how much is done and how fast, the time that is left, and the title.
struct ProgressLine {
  var title = ""
  var done = 0
  var count = 1
  /// The amount of the present part that is done.
  var inner = 0.0
  /// The amount of the whole part; zero where that is unknown.
  var innerCount = 0
  var unit = ""
  /// The time that everything had taken when the last unit was done.
  var lastStep = Duration.zero
  var countsUnits = false
  /// The rows that were changed, and in which time.
  var changedRows = (count: 0, elapsed: Duration.zero)

  /// Whether this is not a later state of the same work.
  func isOther(than before: ProgressLine) -> Bool {
    countsUnits != before.countsUnits || countsUnits && title != before.title
  }

  /// The part of everything that is done, from 0 to 1; nil where that is unknown.
  private var fraction: Double? {
    // A statement does not report its progress.
    guard count > 1 || innerCount > 1 || (innerCount == 1 && unit != "statement") else { return nil }
    let part = innerCount > 0 ? min(1, max(0, inner / Double(innerCount))) : 0
    return min(1, (Double(done) + part) / Double(max(1, count)))
  }

  /// The line, which leaves room for the ^C that a terminal adds: one that wraps could not be taken away again.
  func text(elapsed: Duration, width: Int, showsUnicode: Bool) -> String {
    let isNarrow = width < 60
    let size = isNarrow ? 8 : 24
    var parts: [String] = []
    let cells = fraction.map { 0..<Int($0 * Double(size)) } ?? Self.wandering(elapsed, size: size)
    parts.append(bar(cells, size: size, showsUnicode: showsUnicode))
    if count > 1 { parts.append("\(min(count, done + 1))/\(count)") }
    if count == 1, let fraction { parts.append("\(Int(fraction * 100)) %") }
    let left = timeLeft(elapsed)
    // Of the two times the one that is left matters more.
    if !isNarrow || left == nil { parts.append(elapsed.shortText) }
    if let left { parts.append("\(left.shortText) left") }
    if !isNarrow, let rate = rate(elapsed) { parts.append(rate) }
    var line = parts.joined(separator: " ") + "  " + title.oneLine
    var notes: [String] = []
    if innerCount > 1, !countsUnits, !unit.isEmpty {
      notes.append("\(unit) \(min(innerCount, Int(inner) + 1)) of \(innerCount)")
    }
    if changedRows.count > 0 { notes.append("\(counted(changedRows.count, "row")) changed") }
    if !notes.isEmpty { line += " (\(notes.joined(separator: ", ")))" }
    return String(line.prefix(columns: max(1, width - 3)))
  }

  private func bar(_ filled: Range<Int>, size: Int, showsUnicode: Bool) -> String {
    let (full, empty) = showsUnicode ? ("\u{2588}", "\u{2591}") : ("#", "-")
    return "[" + (0..<size).map { filled.contains($0) ? full : empty }.joined() + "]"
  }

  /// A piece of the bar that goes to and fro, where the progress is unknown.
  private static func wandering(_ elapsed: Duration, size: Int) -> Range<Int> {
    let length = max(2, size / 5)
    let way = size - length
    let step = Int(elapsed / .milliseconds(100)) % (2 * way)
    let start = step < way ? step : 2 * way - step
    return start..<(start + length)
  }

  /// Guessed from what is done; nil while that is too little to guess from, and when the guess turns out to be wrong.
  private func timeLeft(_ elapsed: Duration) -> Duration? {
    guard let fraction, (0.02..<1).contains(fraction), elapsed > .seconds(1) else { return nil }
    let guess = lastStep / .seconds(1) * (1 - fraction) / fraction - (elapsed - lastStep) / .seconds(1)
    return guess > 0 ? .seconds(guess.rounded(.up)) : nil
  }

  private func rate(_ elapsed: Duration) -> String? {
    guard countsUnits else { return Self.rate(Double(changedRows.count), "rows", in: changedRows.elapsed) }
    return innerCount > 0 ? Self.rate(inner, unit, in: elapsed) : nil
  }

  private static func rate(_ amount: Double, _ unit: String, in time: Duration) -> String? {
    guard amount > 0, time > .milliseconds(500) else { return nil }
    return "\(Int(amount / (time / .seconds(1)))) \(unit)/s"
  }
}
