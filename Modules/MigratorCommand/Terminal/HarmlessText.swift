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
