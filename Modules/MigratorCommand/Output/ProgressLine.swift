/// How far work is, as one line: the bar, how much is done and how fast, what is left, and what it is.
struct ProgressLine {
  /// What is worked on.
  var title = ""
  /// How many parts are done.
  var done = 0
  /// How many parts there are.
  var count = 1
  /// How much of the part that goes on is done.
  var inner = 0.0
  /// How much the part has; zero where that is unknown.
  var innerCount = 0
  /// What ``inner`` counts.
  var unit = ""
  /// How long everything had taken when the last unit was done.
  var lastStep = Duration.zero
  /// Whether the rate of the units tells something.
  var countsUnits = false

  /// How much of everything is done, from 0 to 1; nil where that is unknown.
  private var fraction: Double? {
    guard innerCount > 0 || count > 1 else { return nil }
    let part = innerCount > 0 ? min(1, max(0, inner / Double(innerCount))) : 0
    return min(1, (Double(done) + part) / Double(max(1, count)))
  }

  /// The line, which is shorter than the terminal is wide: one that wraps could not be taken away again.
  ///
  /// On a narrow terminal the bar shrinks, and of the times and the rate only the time that is left is shown.
  func text(elapsed: Duration, width: Int, showsUnicode: Bool) -> String {
    let isNarrow = width < 60
    let size = isNarrow ? 8 : 24
    var parts: [String] = []
    if let fraction { parts.append(bar(fraction, size: size, showsUnicode: showsUnicode)) }
    if count > 1 { parts.append("\(min(count, done + 1))/\(count)") }
    if count == 1, let fraction { parts.append("\(Int(fraction * 100)) %") }
    let left = timeLeft(elapsed)
    // Of the two times the one that is left matters more.
    if !isNarrow || left == nil { parts.append(elapsed.shortText) }
    if let left { parts.append("\(left.shortText) left") }
    if !isNarrow, let rate = rate(elapsed) { parts.append(rate) }
    var line = parts.joined(separator: " ") + "  " + title.oneLine
    if innerCount > 1, !countsUnits, !unit.isEmpty {
      line += " (\(unit) \(min(innerCount, Int(inner) + 1)) of \(innerCount))"
    }
    return String(line.prefix(max(1, width - 1)))
  }

  private func bar(_ fraction: Double, size: Int, showsUnicode: Bool) -> String {
    let filled = min(size, Int(fraction * Double(size)))
    let (full, empty) = showsUnicode ? ("\u{2588}", "\u{2591}") : ("#", "-")
    return "[" + String(repeating: full, count: filled) + String(repeating: empty, count: size - filled) + "]"
  }

  /// Guessed from what is done; nil while that is too little to guess from, and when the guess turns out to be wrong.
  private func timeLeft(_ elapsed: Duration) -> Duration? {
    guard let fraction, (0.02..<1).contains(fraction), elapsed > .seconds(1) else { return nil }
    let guess = lastStep / .seconds(1) * (1 - fraction) / fraction - (elapsed - lastStep) / .seconds(1)
    return guess > 0 ? .seconds(guess.rounded(.up)) : nil
  }

  private func rate(_ elapsed: Duration) -> String? {
    let seconds = elapsed / .seconds(1)
    guard countsUnits, innerCount > 0, seconds > 0.5, inner > 0 else { return nil }
    return "\(Int(inner / seconds)) \(unit)/s"
  }
}
