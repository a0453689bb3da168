/// A source file, as this check reads it.
struct SourceFile {
  /// An identifier, a number or one punctuation character of the code.
  struct Token {
    let text: Substring
    let line: Int

    /// Whether this looks like a type name: an identifier that begins with a capital letter.
    var isTypeName: Bool { text.first.map { $0.isUppercase } ?? false }
  }

  /// The path from the project's root.
  let path: String
  let tokens: [Token]

  /// The code and its string literals.
  let uncommented: String

  init(path: String, text: String) {
    self.path = path
    let source = SourceText(text)
    uncommented = String(decoding: source.uncommented, as: UTF8.self)
    tokens = Self.tokens(of: String(decoding: source.code, as: UTF8.self))
  }

  /// The path of the folder.
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  /// The modules that the file imports.
  var imports: [String] {
    zip(tokens, tokens.dropFirst()).filter { $0.0.text == "import" && $0.0.line == $0.1.line }.map { String($0.1.text) }
  }

  /// The types that the file declares outside other types, except those that no other file can use.
  var types: Set<String> { Set(declarations.filter { $0.depth == 0 && !$0.isPrivate }.map(\.name)) }

  /// The types of other files that the file may use, each with the line of its first mention.
  ///
  /// A name after a dot is a member: it belongs to the type before the dot. A type that the file declares itself, at
  /// any depth, hides others of the same name.
  var mentions: [String: Int] {
    let own = Set(declarations.map(\.name))
    var mentions: [String: Int] = [:]
    for (index, token) in tokens.enumerated() where token.isTypeName {
      let name = String(token.text)
      guard !own.contains(name), index == 0 || tokens[index - 1].text != ".", mentions[name] == nil else { continue }
      mentions[name] = token.line
    }
    return mentions
  }

  /// A type's declaration.
  private struct Declaration {
    let name: String
    /// The number of enclosing braces.
    let depth: Int
    let isPrivate: Bool
  }

  private static let typeKeywords: Set<Substring> = [
    "struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype",
  ]

  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "final", "indirect",
  ]

  private var declarations: [Declaration] {
    var declarations: [Declaration] = []
    var depth = 0
    for (index, token) in tokens.enumerated() {
      if token.text == "{" { depth += 1 }
      if token.text == "}" { depth -= 1 }
      guard Self.typeKeywords.contains(token.text), index + 1 < tokens.count, tokens[index + 1].isTypeName else {
        continue
      }
      let before = tokens[..<index].reversed().prefix { Self.modifiers.contains($0.text) }
      let isPrivate = before.contains { $0.text == "private" || $0.text == "fileprivate" }
      declarations.append(Declaration(name: String(tokens[index + 1].text), depth: depth, isPrivate: isPrivate))
    }
    return declarations
  }

  private static func tokens(of code: String) -> [Token] {
    var tokens: [Token] = []
    var line = 1
    let bytes = code.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isWord(byte) {
        let end = bytes[index...].firstIndex { !isWord($0) } ?? bytes.endIndex
        tokens.append(Token(text: code[index..<end], line: line))
        index = end
      } else {
        let next = bytes.index(after: index)
        if byte > UInt8(ascii: " ") { tokens.append(Token(text: code[index..<next], line: line)) }
        index = next
      }
    }
    return tokens
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...,
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
