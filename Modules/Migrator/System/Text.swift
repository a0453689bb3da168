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

  /// The name at the end of a path, without its folder; empty if the path ends with a slash.
  package var lastPathComponent: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return String(decoding: utf8[utf8.index(after: slash)...], as: UTF8.self)
  }

  /// Returns the text, or its beginning and its end if it has more than a number of characters.
  package func shortened(to limit: Int) -> String {
    // A text has no more characters than bytes, which are counted faster.
    guard utf8.count > limit, count > limit else { return self }
    return prefix(limit * 2 / 3) + "..." + suffix(limit / 3)
  }

  /// Returns whether two names are equal, ignoring ASCII case, and therefore refer to the same object.
  func isSameName(as other: String) -> Bool { asciiLowercased == other.asciiLowercased }
}

/// Formats a number with its noun: "1 table", "2 tables".
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// Formats a list: "a", "a and b", "a, b and c".
///
/// If there are more than `limit` names, lists the first ones and counts the rest.
package func listed(_ names: [String], limit: Int = 5) -> String {
  if names.count > limit + 1 {
    return names.prefix(limit).joined(separator: ", ") + " and \(names.count - limit) others"
  }
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " and " + last
}
