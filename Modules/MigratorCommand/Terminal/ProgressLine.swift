internal import SQLMigrations

/// How far work is, as one line: the bar, how much is done and how fast, what is left, and what it is.
struct ProgressLine {
  var title = ""
  var done = 0
  var count = 1
  /// How much of the part that goes on is done.
  var inner = 0.0
  /// How much the part has; zero where that is unknown.
  var innerCount = 0
  var unit = ""
  /// How long everything had taken when the last unit was done.
  var lastStep = Duration.zero
  /// Whether the rate of the units is meaningful.
  var countsUnits = false
  /// How many rows were changed, in which time.
  var changedRows = (count: 0, elapsed: Duration.zero)

  /// Whether this is not a later state of the same work.
  func isOther(than before: ProgressLine) -> Bool {
    countsUnits != before.countsUnits || countsUnits && title != before.title
  }

  /// How much of everything is done, from 0 to 1; nil where that is unknown.
  private var fraction: Double? {
    // A statement does not report its progress.
    guard count > 1 || innerCount > 1 || (innerCount == 1 && unit != "statement") else { return nil }
    let part = innerCount > 0 ? min(1, max(0, inner / Double(innerCount))) : 0
    return min(1, (Double(done) + part) / Double(max(1, count)))
  }

  /// The line, which leaves room for the ^C that a terminal adds: one that wraps could not be taken away again.
  ///
  /// On a narrow terminal the bar shrinks, and of the times and the rate only the time that is left is shown.
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
