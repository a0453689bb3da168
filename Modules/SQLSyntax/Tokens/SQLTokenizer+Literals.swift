extension SQLTokenizer {
  /// Scans text between two equal quotes; a doubled quote inside stands for one quote.
  func scanQuoted(_ kind: SQLToken.Kind, from start: Int, doubling quote: UInt8) -> (SQLToken.Kind, Int) {
    var end = start + 1
    while end < bytes.count {
      guard bytes[end] == quote else {
        end += 1
        continue
      }
      guard byte(at: end + 1) == quote else { return (kind, end + 1) }
      end += 2
    }
    return (.unterminated, bytes.count)
  }

  /// Scans an identifier in brackets, which cannot contain a closing bracket.
  func scanBracketed(from start: Int) -> (SQLToken.Kind, Int) {
    let close = end(from: start + 1) { $0 != UInt8(ascii: "]") }
    return close < bytes.count ? (.quotedIdentifier, close + 1) : (.unterminated, bytes.count)
  }

  /// Scans a blob literal: an even number of hexadecimal digits between single quotes.
  func scanBlob(from start: Int) -> (SQLToken.Kind, Int) {
    let digits = start + 2
    let close = end(from: digits) { $0 != UInt8(ascii: "'") }
    guard close < bytes.count else { return (.unterminated, bytes.count) }
    let isBlob = (close - digits).isMultiple(of: 2) && bytes[digits..<close].allSatisfy(\.isSQLHexDigit)
    return (isBlob ? .blob : .illegal, close + 1)
  }

  /// Scans a number; a letter directly after it makes it illegal (`1abc`), as in SQLite.
  ///
  /// Digits may be grouped with underscores (`1_000`, https://sqlite.org/lang_expr.html, from version 3.46).
  func scanNumber(from start: Int) -> (SQLToken.Kind, Int) {
    let numberEnd = isHexadecimal(at: start) ? endOfDigits(from: start + 2, \.isSQLHexDigit) : endOfDecimal(from: start)
    let end = end(from: numberEnd, while: \.continuesSQLWord)
    return (end == numberEnd ? .number : .illegal, end)
  }

  /// Scans a parameter; `$name` may contain `::` and end with a suffix in parentheses, as Tcl variables do
  /// (https://sqlite.org/c3ref/bind_blob.html).
  func scanVariable(from start: Int) -> (SQLToken.Kind, Int) {
    var end = start + 1
    var hasName = false
    while let next = byte(at: end) {
      if next.continuesSQLWord {
        hasName = true
        end += 1
      } else if next == UInt8(ascii: "("), hasName {
        end = self.end(from: end + 1) { !$0.isSQLSpace && $0 != UInt8(ascii: ")") }
        return byte(at: end) == UInt8(ascii: ")") ? (.variable, end + 1) : (.illegal, end)
      } else if next == UInt8(ascii: ":"), byte(at: end + 1) == UInt8(ascii: ":") {
        end += 2
      } else {
        break
      }
    }
    return (hasName ? .variable : .illegal, end)
  }

  /// Scans the longest operator at `start`; a byte that cannot begin an operator is illegal.
  func scanOperator(_ first: UInt8, at start: Int) -> (SQLToken.Kind, Int) {
    // Compares Unicode scalars, which are numbers: to compare characters would take longer than all the rest here.
    let second = byte(at: start + 1).map(Unicode.Scalar.init)
    switch (Unicode.Scalar(first), second) {
    case ("-", ">"):
      return (.operator, byte(at: start + 2) == UInt8(ascii: ">") ? start + 3 : start + 2)
    case ("|", "|"), ("=", "="), ("!", "="), ("<", "="), ("<", ">"), ("<", "<"), (">", "="), (">", ">"):
      return (.operator, start + 2)
    case ("(", _), (")", _), (";", _), (",", _), (".", _), ("+", _), ("-", _), ("*", _), ("/", _), ("%", _), ("=", _),
      ("<", _), (">", _), ("|", _), ("&", _), ("~", _):
      return (.operator, start + 1)
    default:
      return (.illegal, start + 1)
    }
  }

  private func isHexadecimal(at start: Int) -> Bool {
    guard bytes[start] == UInt8(ascii: "0"), let mark = byte(at: start + 1), let digit = byte(at: start + 2) else {
      return false
    }
    return mark | 0x20 == UInt8(ascii: "x") && digit.isSQLHexDigit
  }

  private func endOfDecimal(from start: Int) -> Int {
    var end = endOfDigits(from: start, \.isSQLDigit)
    if byte(at: end) == UInt8(ascii: ".") { end = endOfDigits(from: end + 1, \.isSQLDigit) }
    guard let mark = byte(at: end), mark | 0x20 == UInt8(ascii: "e") else { return end }
    let sign = byte(at: end + 1)
    let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
    let digits = end + (isSigned ? 2 : 1)
    return byte(at: digits)?.isSQLDigit == true ? endOfDigits(from: digits, \.isSQLDigit) : end
  }

  /// Returns the end of a run of digits; two digits may be separated by a single underscore.
  private func endOfDigits(from start: Int, _ isDigit: (UInt8) -> Bool) -> Int {
    var end = end(from: start, while: isDigit)
    while end > start, byte(at: end) == UInt8(ascii: "_"), let next = byte(at: end + 1), isDigit(next) {
      end = self.end(from: end + 1, while: isDigit)
    }
    return end
  }
}
