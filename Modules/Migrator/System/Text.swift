internal import SQLSyntax

extension Int {
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

  /// The folder of a path as it is written; "." when it names none.
  ///
  /// By bytes, as file systems read it: a slash and a combining mark are one `Character`.
  package var containingFolder: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(decoding: utf8[..<slash], as: UTF8.self)
  }

  /// Whether two names mean the same object: the case of ASCII letters does not count.
  func isSameName(as other: String) -> Bool { asciiLowercased == other.asciiLowercased }
}
