internal import Migrator

extension String {
  /// The text with a capital at its beginning, unless a command stands there, and a full stop at its end.
  var asSentence: String {
    guard let first else { return self }
    let start = first.isLetter ? first.uppercased() + dropFirst() : self
    return hasSuffix(".") ? start : start + "."
  }
}

extension Duration {
  /// The duration for people, with three digits at most: "0.42 ms", "17 ms", "3.1 s", "2 min 05 s".
  var shortText: String {
    let (seconds, attoseconds) = components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    // Each limit is where rounding goes over it.
    if milliseconds < 999.5 { return "\(Self.digits(milliseconds)) ms" }
    if milliseconds < 59_500 { return "\(Self.digits(milliseconds / 1000)) s" }
    let rounded = seconds + (attoseconds < 500_000_000_000_000_000 ? 0 : 1)
    let rest = rounded % 60
    return "\(rounded / 60) min \(rest < 10 ? "0" : "")\(rest) s"
  }

  /// The duration in seconds, rounded to microseconds, for JSON.
  var roundedSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + (Double(attoseconds) / 1e12).rounded() / 1e6
  }

  /// Two decimals below one, one below ten, none above.
  ///
  /// `String(format:)` would need the whole of Foundation.
  private static func digits(_ value: Double) -> String {
    let decimals = value < 0.995 ? 2 : value < 9.95 ? 1 : 0
    let scale = decimals == 2 ? 100.0 : decimals == 1 ? 10 : 1
    let scaled = Int((value * scale).rounded())
    guard decimals > 0 else { return String(scaled) }
    let whole = scaled / Int(scale)
    let fraction = scaled % Int(scale)
    return String(whole) + (decimals == 2 && fraction < 10 ? ".0" : ".") + String(fraction)
  }
}

extension String {
  /// The text as one word of a shell's line, so that a command that is shown can be typed as it is.
  ///
  /// Bare where no shell reads anything into it, otherwise in single quotes, which bash, zsh and fish read alike.
  var shellWord: String {
    guard isEmpty || utf8.contains(where: { !$0.isPlainInShells }) else { return self }
    return "'" + escaping(["'": #"'\''"#]) + "'"
  }
}

extension UInt8 {
  /// Whether no shell takes the byte for more than itself, wherever it is in a word.
  fileprivate var isPlainInShells: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...: true
    default: [UInt8]("/._-+:@,%".utf8).contains(self)
    }
  }
}
