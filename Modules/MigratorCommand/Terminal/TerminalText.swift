extension String {
  /// The text with control characters written out as `\u{1B}`, so that no name of a table or file steers the terminal.
  ///
  /// Line ends and tabs stay. What changes the direction of writing is written out too: it can make a name look like
  /// another one (https://www.unicode.org/reports/tr36/, 2.6).
  ///
  /// - Parameter keepsColors: Whether the colours that ``Style`` gives stay, and nothing else of that kind.
  func harmless(keepsColors: Bool = false) -> String {
    guard !isPlain, unicodeScalars.contains(where: \.isHarmful) else { return self }
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
        result += scalar.escaped
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text on one line, with control characters written out: how a name is shown in a table.
  var oneLine: String {
    isPlain ? self : harmless().replacing("\n", with: "\\n").replacing("\t", with: "\\t")
  }

  /// Whether there is nothing but printable ASCII, as in most names, which need no closer look then.
  var isPlain: Bool {
    // To the end in any case: that takes many bytes at a time.
    utf8.withContiguousStorageIfAvailable { $0.reduce(0) { max($0, $1 &- 0x20) } < 0x7F - 0x20 } ?? false
  }
}

extension Unicode.Scalar {
  /// Whether a terminal may do something else than show the character.
  fileprivate var isHarmful: Bool {
    switch value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  fileprivate var escaped: String { "\\u{" + String(value, radix: 16, uppercase: true) + "}" }
}

extension String {
  /// The columns of a terminal that the text takes.
  var columns: Int { isPlain ? utf8.count : reduce(0) { $0 + $1.columns } }

  /// The beginning of the text, of so many columns at most.
  func prefix(columns limit: Int) -> Substring {
    guard !isPlain else { return prefix(limit) }
    var rest = limit
    return prefix {
      rest -= $0.columns
      return rest >= 0
    }
  }
}

extension Character {
  /// The columns of a terminal that the character takes: two for those of East Asia and for pictures.
  ///
  /// Source: https://www.unicode.org/reports/tr11/, whose wide characters are these blocks but for single ones.
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
