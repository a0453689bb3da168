internal import SQLMigrations
internal import Dispatch
internal import Migrator

/// A progress bar on a terminal, shown when a run takes longer than half a second.
final class ProgressBar: Sendable {
  /// The state of the bar.
  ///
  /// `@unchecked Sendable` is correct because a dispatch source, although not marked as Sendable, may be used from any
  /// thread.
  private struct State: @unchecked Sendable {
    var work = ProgressLine()
    var isVisible = false
    var start = ContinuousClock.now
    var timer: (any DispatchSourceTimer)?
  }

  private let environment: ToolEnvironment
  private let state = Lock(State())

  init(_ environment: ToolEnvironment) { self.environment = environment }

  /// Shows the beginning of step `index`, from 1, of `count`.
  ///
  /// The first call starts the clock, which runs until ``end()``, or until a different kind of work begins.
  func begin(_ title: String, index: Int, count: Int, statementCount: Int) {
    change { work in
      work = ProgressLine(title: title, done: index - 1, count: count, inner: 0, innerCount: statementCount)
      work.unit = "statement"
    }
  }

  func beginStatement(_ number: Int) { advance { $0.inner = Double(number - 1) } }

  func show(fraction: Double) { advance { work in (work.inner, work.innerCount, work.unit) = (fraction, 1, "") } }

  private func advance(_ body: (inout ProgressLine) -> Void) {
    state.withLock { state in
      body(&state.work)
      state.work.lastStep = .now - state.start
    }
  }

  /// Shows the number of rows that the completed statements have changed since the work began.
  func show(changedRowCount: Int, after elapsed: Duration) {
    state.withLock { state in
      // The count changes only when a statement ends; in the meantime, the displayed rate must not drop.
      guard state.work.changedRows.count != changedRowCount else { return }
      state.work.changedRows = (changedRowCount, elapsed)
    }
  }

  /// Shows the progress of work in its own unit; `total` is zero if the total is unknown.
  func show(_ title: String, _ done: Int64, of total: Int64, _ unit: String, note: String = "") {
    change { work in
      work = ProgressLine(title: title, done: 0, count: 1, inner: Double(done), innerCount: Int(total))
      (work.unit, work.note) = (unit, note)
      work.countsUnits = true
    }
  }

  private func change(_ body: (inout ProgressLine) -> Void) {
    state.withLock { state in
      if state.timer == nil {
        state.start = .now
        state.timer = makeTimer()
      }
      let before = state.work
      body(&state.work)
      // The estimate of the remaining time is based only on the current work.
      if state.work.isOther(than: before) { state.start = .now }
      state.work.lastStep = .now - state.start
    }
  }

  /// Hides the bar until it is drawn again.
  func hide() { state.withLock { clear(&$0) } }

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

/// The progress of work as one line: the bar, the amount done, the rate, the remaining time, and the title.
struct ProgressLine {
  var title = ""
  var done = 0
  var count = 1
  /// The fraction of the current step that is done.
  var inner = 0.0
  /// The total amount of the current step; zero when unknown.
  var innerCount = 0
  var unit = ""
  /// The elapsed time at which the last unit was completed.
  var lastStep = Duration.zero
  var countsUnits = false
  /// A note about the work, shown after the title.
  var note = ""
  /// The number of changed rows, and the time within which they were changed.
  var changedRows = (count: 0, elapsed: Duration.zero)

  /// Returns whether the lines show different work, rather than two states of the same work.
  func isOther(than before: ProgressLine) -> Bool {
    countsUnits != before.countsUnits || countsUnits && title != before.title
  }

  /// The fraction of all work that is done, from 0 to 1; nil when unknown.
  private var fraction: Double? {
    // A statement does not report its own progress.
    guard count > 1 || innerCount > 1 || (innerCount == 1 && unit != "statement") else { return nil }
    let part = innerCount > 0 ? min(1, max(0, inner / Double(innerCount))) : 0
    return min(1, (Double(done) + part) / Double(max(1, count)))
  }

  /// Returns the line as text.
  ///
  /// Leaves space for the `^C` that a terminal echoes, since a line that wraps could not be erased.
  func text(elapsed: Duration, width: Int, showsUnicode: Bool) -> String {
    let isNarrow = width < 60
    let size = isNarrow ? 8 : 24
    var parts: [String] = []
    let cells = fraction.map { 0..<Int($0 * Double(size)) } ?? Self.wandering(elapsed, size: size)
    parts.append(bar(cells, size: size, showsUnicode: showsUnicode))
    if count > 1 { parts.append("\(min(count, done + 1))/\(count)") }
    if count == 1, let fraction { parts.append("\(Int(fraction * 100)) %") }
    let left = timeLeft(elapsed)
    // The remaining time matters more than the elapsed time.
    if !isNarrow || left == nil { parts.append(elapsed.shortText) }
    if let left { parts.append("\(left.shortText) left") }
    if !isNarrow, let rate = rate(elapsed) { parts.append(rate) }
    var line = parts.joined(separator: " ") + "  " + title.oneLine
    var notes = note.isEmpty ? [] : [note]
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

  /// Returns the position of a segment that moves back and forth, for progress that is unknown.
  private static func wandering(_ elapsed: Duration, size: Int) -> Range<Int> {
    let length = max(2, size / 5)
    let way = size - length
    let step = Int(elapsed / .milliseconds(100)) % (2 * way)
    let start = step < way ? step : 2 * way - step
    return start..<(start + length)
  }

  /// Estimates the remaining time; returns nil if too little is done, or if the estimate has been exceeded.
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
    return "\(Int(amount / (time / .seconds(1))))\(unit.isEmpty ? "" : " " + unit)/s"
  }
}
