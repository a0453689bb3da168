internal import Migrator

extension String {
  /// Returns the text with control characters escaped as `\u{1B}`, so that no table or file name can control the
  /// terminal.
  ///
  /// Line breaks and tabs are not escaped. Bidirectional controls are, since they can make a name look like another one
  /// (https://www.unicode.org/reports/tr36/, 2.6).
  /// - Parameter keepsColors: Whether to leave the color sequences of `Style` unescaped, but no others.
  func harmless(keepsColors: Bool = false) -> String {
    guard unicodeScalars.contains(where: \.isHarmful) else { return self }
    var result = ""
    var rest = unicodeScalars[...]
    while let scalar = rest.first {
      if keepsColors, scalar == "\u{1B}", let sequence = Style.sequences.first(where: { rest.starts(with: $0) }) {
        result.unicodeScalars.append(contentsOf: sequence)
        rest = rest.dropFirst(sequence.count)
        continue
      }
      rest = rest.dropFirst()
      if scalar.isHarmful {
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The same JSON with control characters escaped as `\u009B`, which only occur in its strings.
  var harmlessJSON: String {
    guard unicodeScalars.contains(where: \.isHarmful) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      guard scalar.isHarmful else { return result.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  /// The text on one line, with line breaks and control characters escaped, as for a name in a table.
  var oneLine: String { harmless().escaping(["\n": "\\n", "\t": "\\t"]) }
}

extension Unicode.Scalar {
  /// Whether the character may control the terminal instead of being displayed.
  fileprivate var isHarmful: Bool {
    switch value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  var columns: Int { utf8.allSatisfy { (0x20...0x7E).contains($0) } ? utf8.count : reduce(0) { $0 + $1.columns } }

  func prefix(columns limit: Int) -> Substring {
    var rest = limit
    return prefix {
      rest -= $0.columns
      return rest >= 0
    }
  }
}

extension Character {
  /// The width of the character in terminal columns: two for wide East Asian characters and emoji, one for all others.
  ///
  /// Source: https://www.unicode.org/reports/tr11/; with few exceptions, its wide characters are in these blocks.
  var columns: Int {
    guard let first = unicodeScalars.first, first.value >= 0x1100 else { return 1 }
    let isPicture = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
    switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
      return 2
    default:
      return isPicture ? 2 : 1
    }
  }
}

extension String {
  /// The text as a sentence: it begins with a capital letter, unless it begins with a command, and ends with a period.
  var asSentence: String {
    guard let first else { return self }
    let start = first.isLetter ? first.uppercased() + dropFirst() : self
    return hasSuffix(".") ? start : start + "."
  }
}

extension Duration {
  /// The duration as text with at most three digits: "0.42 ms", "17 ms", "3.1 s", "2 min 05 s".
  var shortText: String {
    let (seconds, attoseconds) = components
    let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
    // Each limit is the smallest value that would be rounded up to the next unit.
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

  /// Formats a number with two decimals if it is below one, with one decimal if it is below ten, otherwise with none.
  ///
  /// `String(format:)` would require all of Foundation.
  private static func digits(_ value: Double) -> String {
    let decimals = value < 0.995 ? 2 : value < 9.95 ? 1 : 0
    let scale = [1, 10, 100][decimals]
    let scaled = Int((value * Double(scale)).rounded())
    guard decimals > 0 else { return String(scaled) }
    // The decimals are computed with a leading 1, which preserves their zeros.
    return "\(scaled / scale).\(String(scale + scaled % scale).dropFirst())"
  }
}

extension String {
  /// The text, quoted for a shell if necessary, so that the user can type a suggested command as it is printed.
  ///
  /// Unquoted if it contains no special characters; otherwise in single quotes, which have the same meaning in bash,
  /// zsh and fish.
  var shellWord: String {
    let isPlain = unicodeScalars.allSatisfy { scalar in
      !scalar.isASCII || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || "/._-+:@,%".unicodeScalars.contains(scalar)
    }
    return isPlain && !isEmpty ? self : "'" + escaping(["'": #"'\''"#]) + "'"
  }
}
