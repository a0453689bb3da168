/// Functions that quote and unquote SQL names and strings, and determine which names need quotes.
package enum SQLIdentifier {
  /// Returns the text of a quoted token without its quotes; a doubled quote inside becomes one quote.
  ///
  /// Accepts `"a"`, `[a]`, `'a'` and a name in backticks; returns any other text unchanged.
  package static func unquoted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count >= 2, let first = bytes.first, let last = bytes.last else { return text }
    let inner = bytes[1..<(bytes.count - 1)]
    switch (first, last) {
    case (UInt8(ascii: "["), UInt8(ascii: "]")):
      return String(decoding: inner, as: UTF8.self)
    case (UInt8(ascii: "\""), first), (UInt8(ascii: "`"), first), (UInt8(ascii: "'"), first):
      return String(decoding: undoubled(inner, quote: first), as: UTF8.self)
    default:
      return text
    }
  }

  /// The three names of the rowid; a column with one of these names takes precedence over the rowid
  /// (https://www.sqlite.org/lang_createtable.html#rowid).
  package static let rowIDNames = ["rowid", "_rowid_", "oid"]

  /// Returns a name of the rowid that no column hides; nil if columns hide all three names, so that the rowid cannot be
  /// read.
  package static func rowIDName(besides columns: some Sequence<String>) -> String? {
    let hidden = Set(columns.map(\.asciiLowercased))
    return rowIDNames.first { !hidden.contains($0) }
  }

  /// Returns whether a name keeps its meaning without quotes: it has the form of an identifier and is not a keyword.
  static func needsNoQuotes(_ name: String) -> Bool {
    var tokenizer = SQLTokenizer(name)
    guard let token = tokenizer.next(), token.kind == .word, tokenizer.next() == nil else { return false }
    return !SQLKeyword.differsFromIdentifier(name.asciiLowercased)
  }

  /// Returns whether a table can have the given name: it is not empty, contains no NUL character, and is not reserved
  /// for SQLite (https://www.sqlite.org/lang_createtable.html).
  package static func canNameTable(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains(0) && !name.asciiLowercased.hasPrefix("sqlite_")
  }

  private static func undoubled(_ inner: ArraySlice<UInt8>, quote: UInt8) -> [UInt8] {
    var result: [UInt8] = []
    var index = inner.startIndex
    while index < inner.endIndex {
      result.append(inner[index])
      index += inner[index] == quote ? 2 : 1
    }
    return result
  }
}

extension String {
  /// The name in double quotes, with quotes inside doubled (https://www.sqlite.org/lang_keywords.html).
  package var quotedIdentifier: String { quoted(with: UInt8(ascii: "\"")) }
  /// The name as in SQL that a person reads: in double quotes only if it needs them.
  package var identifierForReading: String { SQLIdentifier.needsNoQuotes(self) ? self : quotedIdentifier }
  /// The string in single quotes, with quotes inside doubled
  /// (https://www.sqlite.org/lang_expr.html#literal_values_constants_).
  package var quotedText: String { quoted(with: UInt8(ascii: "'")) }

  /// Returns whether both texts have the same bytes; `==` also regards different forms of a Unicode character as equal.
  package func hasSameBytes(as other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable { others in
        // The same string in memory, which may be long, is not read.
        own.count == others.count && (own.baseAddress == others.baseAddress || own.elementsEqual(others))
      }
    }
    return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }

  /// Returns the text in quotes, with quotes inside doubled.
  ///
  /// Works on bytes, as SQLite does: Swift would combine a quote and a combining mark into one `Character`.
  private func quoted(with quote: UInt8) -> String {
    var text = self
    return text.withUTF8 { bytes in
      String(unsafeUninitializedCapacity: 2 * bytes.count + 2) { quoted in
        var count = 0
        func append(_ byte: UInt8) {
          quoted[count] = byte
          count += 1
        }
        append(quote)
        for byte in bytes {
          if byte == quote { append(quote) }
          append(byte)
        }
        append(quote)
        return count
      }
    }
  }

  /// The text with the letters A through Z in lower case and all else unchanged, as SQLite does to compare names.
  package var asciiLowercased: String {
    var text = self
    return text.withUTF8 { bytes in
      guard bytes.contains(where: { (0x41...0x5a).contains($0) }) else { return self }
      return String(decoding: bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
  }

  /// Returns whether the text contains a keyword, given in ASCII lowercase; ignores case, and also matches inside other
  /// tokens.
  package func holdsWord(_ word: String) -> Bool {
    var (text, word) = (self, word)
    return word.withUTF8 { word in
      text.withUTF8 { bytes in
        bytes.indices.dropLast(word.count - 1).contains { start in
          // Setting this bit turns uppercase letters into lowercase ones, turns no other byte into a letter, and changes
          // an underscore.
          bytes[start] | 0x20 == word[0] && word.indices.allSatisfy { bytes[start + $0] | 0x20 == word[$0] | 0x20 }
        }
      }
    }
  }
}
