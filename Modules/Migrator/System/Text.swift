extension Int {
  /// The number with the word "row" or "rows".
  var rowsText: String { self == 1 ? "1 row" : "\(self) rows" }
}

extension [String] {
  /// The names in quotes, the first five of them.
  var quotedList: String {
    let shown = prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
    return count > 5 ? "\(shown) and \(count - 5) more" : shown
  }
}

extension String {
  /// The text, with spaces before all of its lines but the first.
  func indentedFurtherLines(by count: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: " ", count: count))
  }
}

extension String {
  /// The text with some scalars written in another way.
  ///
  /// Scalar by scalar: a quote and the combining mark after it, or a carriage return and a line feed, are one `Character`.
  package func escaping(_ escapes: [Unicode.Scalar: String]) -> String {
    guard unicodeScalars.contains(where: { escapes[$0] != nil }) else { return self }
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let escape = escapes[scalar] {
        escaped.append(contentsOf: escape.unicodeScalars)
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}

extension String {
  /// Whether a word is part of this text, byte by byte but for the case of ASCII letters.
  ///
  /// - Parameter word: ASCII letters in lower case.
  func holdsWord(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard let first = word.withUTF8Buffer({ $0.first }) else { return true }
    var text = self
    return text.withUTF8 { bytes in
      word.withUTF8Buffer { word in
        guard bytes.count >= length else { return false }
        return (0...(bytes.count - length)).contains { start in
          // Setting this bit turns upper-case letters into lower-case ones, and no other byte into a letter.
          guard bytes[start] | 0x20 == first else { return false }
          return (1..<length).allSatisfy { bytes[start + $0] | 0x20 == word[$0] }
        }
      }
    }
  }
}
