internal import Migrator

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Spells names, values and fragments as SQL.
enum SQLSpelling {
  /// A name in double quotes, those inside doubled (https://www.sqlite.org/lang_keywords.html).
  static func identifier(_ name: String) -> String { quoted(name, quote: "\"") }

  /// Names in quotes, separated by commas, in parentheses.
  static func identifiers(_ names: [String]) -> String {
    "(\(names.map(identifier).joined(separator: ", ")))"
  }

  /// A text literal (https://www.sqlite.org/lang_expr.html#literal_values_constants_).
  ///
  /// SQL text ends at a NUL, so that a text which holds one is spelled by its bytes.
  static func text(_ text: String) -> String {
    guard text.utf8.contains(0) else { return quoted(text, quote: "'") }
    return "(CAST(\(blob(text.utf8)) AS TEXT))"
  }

  /// A literal that reads back as the same value.
  static func literal(_ value: DatabaseValue) -> String {
    switch value {
    case .null: "NULL"
    // The digits of the smallest integer without its sign are too large for an integer, and would be read as a real.
    case .integer(Int64.min): "(-9223372036854775807 - 1)"
    case .integer(let integer): String(integer)
    case .real(let real): self.real(real)
    case .text(let text): self.text(text)
    case .blob(let bytes): blob(bytes)
    }
  }

  /// A default's expression, in parentheses unless it is a literal or a bare word already
  /// (https://www.sqlite.org/lang_createtable.html#the_default_clause).
  static func defaultExpression(_ sql: String) -> String {
    let source = SQLSource(sql)
    let tokens = source.tokens
    if let first = tokens.first, first.isOperator("("), source.closing(of: 0) == tokens.count - 1 { return closed(sql) }
    let isSigned = tokens.count == 2 && (tokens[0].isOperator("-") || tokens[0].isOperator("+"))
    if tokens.count == 1 || isSigned && tokens[1].kind == .number { return closed(sql) }
    return "(\(closed(sql)))"
  }

  /// A fragment that more SQL may follow: a line comment at its end would hide that.
  static func closed(_ sql: String) -> String {
    let tokenizer = SQLTokenizer(sql)
    var last: SQLToken?
    for token in tokenizer { last = token }
    guard let last, last.kind == .comment else { return sql }
    return tokenizer.text(of: last).hasPrefix("--") ? sql + "\n" : sql
  }

  /// A fragment without the blanks and comments at its end.
  ///
  /// `ADD COLUMN` keeps the text up to its end: a line comment there would hide what follows in the stored definition,
  /// and SQLite 3.15 does not notice that the file cannot be read any more.
  static func trimmed(_ sql: String) -> String {
    let source = SQLSource(sql)
    guard let last = source.tokens.last else { return sql }
    return String(decoding: source.bytes[..<last.range.upperBound], as: UTF8.self)
  }

  private static func real(_ real: Double) -> String {
    // SQL has no literal for infinities, and stores no NaN (https://www.sqlite.org/floatingpoint.html).
    if real.isNaN { return "NULL" }
    if real.isInfinite { return real < 0 ? "-9e999" : "9e999" }
    return "\(real)"
  }

  private static func blob(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return "x'" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
  }

  private static func quoted(_ text: String, quote: Character) -> String {
    var result = String(quote)
    for character in text.unicodeScalars {
      if Character(character) == quote { result.append(quote) }
      result.unicodeScalars.append(character)
    }
    result.append(quote)
    return result
  }
}
