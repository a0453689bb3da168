/// The text of a Swift or C file, with spaces in place of everything that is not code.
///
/// Lines and columns remain the same. Code inside an interpolation counts as code; regular expression literals, which
/// these sources do not use, are not recognized.
struct SourceText {
  /// The code alone: comments and the contents of string literals are replaced with spaces.
  private(set) var code: [UInt8]

  /// The code and its string literals: comments are replaced with spaces.
  private(set) var uncommented: [UInt8]

  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
    code = bytes
    uncommented = bytes
    skipCode(untilParenthesis: false)
  }

  /// Skips code, up to the end or to the parenthesis that closes an interpolation.
  private mutating func skipCode(untilParenthesis isInterpolation: Bool) {
    var depth = 0
    while index < bytes.count {
      // Most bytes begin nothing.
      guard Self.beginsSomething(bytes[index]) else {
        index += 1
        continue
      }
      if starts(with: "//") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank(isComment: true) }
      } else if starts(with: "/*") {
        skipBlockComment()
      } else if let delimiter = stringDelimiter() {
        skipString(delimiter)
      } else {
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") {
          if isInterpolation, depth == 0 { return }
          depth -= 1
        }
      }
    }
  }

  private static func beginsSomething(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "("), UInt8(ascii: ")"): true
    default: false
    }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        blank(isComment: true)
      } else if starts(with: "*/") {
        depth -= 1
        blank(isComment: true)
      }
      blank(isComment: true)
    } while depth > 0 && index < bytes.count
  }

  /// Returns the delimiters of the string literal that begins here; nil if none begins here.
  private func stringDelimiter() -> (quotes: Int, hashes: Int)? {
    var end = index
    while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    let isMultiline = end + 2 < bytes.count && bytes[end + 1] == bytes[end] && bytes[end + 2] == bytes[end]
    return (isMultiline ? 3 : 1, end - index)
  }

  private mutating func skipString(_ delimiter: (quotes: Int, hashes: Int)) {
    let hashes = String(repeating: "#", count: delimiter.hashes)
    let end = String(repeating: "\"", count: delimiter.quotes) + hashes
    index += delimiter.hashes + delimiter.quotes
    while index < bytes.count, !starts(with: end) {
      if starts(with: "\\\(hashes)(") {
        index += hashes.utf8.count + 2
        skipCode(untilParenthesis: true)
      } else {
        // An escaped quote or backslash does not end the literal.
        if starts(with: "\\\(hashes)") { for _ in 0...delimiter.hashes { blank(isComment: false) } }
        blank(isComment: false)
      }
    }
    index += end.utf8.count
  }

  private mutating func blank(isComment: Bool) {
    guard index < bytes.count else { return }
    if bytes[index] != UInt8(ascii: "\n") {
      code[index] = UInt8(ascii: " ")
      if isComment { uncommented[index] = UInt8(ascii: " ") }
    }
    index += 1
  }

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { starts(with: $0) }
  }

  private func starts(with text: String) -> Bool { starts(with: text.utf8) }

  private func starts(with text: some Collection<UInt8>) -> Bool {
    index + text.count <= bytes.count && zip(bytes[index...], text).allSatisfy(==)
  }
}
