internal import SQLSyntax

extension Int {
  var rowsText: String { self == 1 ? "1 row" : "\(self) rows" }
}

extension [String] {
  /// The first five names in quotation marks, and the number of remaining names.
  var quotedList: String {
    let shown = prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
    return count > 5 ? "\(shown) and \(count - 5) more" : shown
  }
}

extension String {
  /// Returns the text with all lines but the first indented.
  func indentedFurtherLines(by count: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: " ", count: count))
  }

  /// The folder of a path, as written in the path; "." if the path names none.
  ///
  /// Compares bytes, as file systems do: to Swift, a slash and a combining mark are one `Character`.
  package var containingFolder: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(decoding: utf8[..<slash], as: UTF8.self)
  }

  /// Returns whether two names are equal, ignoring ASCII case, so that they refer to the same object.
  func isSameName(as other: String) -> Bool { asciiLowercased == other.asciiLowercased }
}
