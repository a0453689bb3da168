/// Writes names and texts as SQL.
package enum SQLQuote {
  /// The name in double quotes; works for every name (https://www.sqlite.org/lang_keywords.html).
  package static func name(_ name: String) -> String { quoted(name, by: "\"") }

  /// The text in single quotes.
  package static func text(_ text: String) -> String { quoted(text, by: "'") }

  private static func quoted(_ text: String, by quote: Unicode.Scalar) -> String {
    if !text.utf8.contains(UInt8(ascii: quote)) {
      let quote = String(Character(quote))
      return quote + text + quote
    }
    // By scalars: a quote and a combining mark after it are one Character.
    var result = String.UnicodeScalarView([quote])
    for scalar in text.unicodeScalars {
      if scalar == quote { result.append(quote) }
      result.append(scalar)
    }
    result.append(quote)
    return String(result)
  }
}
