#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A value in a JSON text, with its position, which Foundation's decoder does not report.
struct JSONItem {
  enum Value {
    case text(String)
    /// A number, exactly as written.
    case number(String)
    case flag(Bool)
    case null
    case list([JSONItem])
    case object([Member])
  }

  struct Member {
    let name: String
    /// The offset of the name in bytes.
    let offset: Int
    let item: JSONItem
  }

  /// A mistake in a JSON text, or in the way in which the text is used.
  struct Failure: Error {
    let what: String
    var remedy: String?
    let offset: Int
  }

  let value: Value
  /// The offset of the value in bytes.
  let offset: Int

  /// Parses a text that consists of one value (https://www.rfc-editor.org/rfc/rfc8259).
  static func parse(_ text: String) throws(Failure) -> JSONItem {
    var reader = JSONReader(bytes: Array(text.utf8))
    let item = try reader.item(depth: 0)
    guard reader.next() == nil else { throw Failure(what: "there is text after its end", offset: reader.place) }
    return item
  }

  /// Returns the members of the value; throws if it is not an object, which the message then calls `name`.
  func members(_ name: String) throws(Failure) -> [Member] {
    guard case .object(let members) = value else {
      throw Failure(what: "\(name) must be an object in braces", offset: offset)
    }
    return members
  }
}

private struct JSONReader {
  /// The maximum nesting depth of values, since the parser is recursive.
  private static let depthLimit = 32

  let bytes: [UInt8]
  private(set) var place = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
    // A byte order mark.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }

  /// Skips whitespace and returns the next character; nil at the end.
  mutating func next() -> Character? {
    while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    return place < bytes.count ? Character(Unicode.Scalar(bytes[place])) : nil
  }

  mutating func item(depth: Int) throws(JSONItem.Failure) -> JSONItem {
    guard depth < Self.depthLimit else { throw failure("the values are nested too deeply") }
    let next = next()
    let start = place
    let value: JSONItem.Value
    switch next {
    case "{": value = .object(try members(depth: depth))
    case "[": value = .list(try elements(depth: depth))
    case "\"": value = .text(try text())
    default: value = try literal()
    }
    return JSONItem(value: value, offset: start)
  }

  private mutating func members(depth: Int) throws(JSONItem.Failure) -> [JSONItem.Member] {
    var members: [JSONItem.Member] = []
    try list(until: "}") { reader throws(JSONItem.Failure) in
      guard reader.next() == "\"" else { throw reader.failure("a name in double quotes is missing") }
      let offset = reader.place
      let name = try reader.text()
      guard reader.next() == ":" else { throw reader.failure("a colon is missing after \"\(name)\"") }
      reader.place += 1
      guard !members.contains(where: { $0.name == name }) else {
        throw JSONItem.Failure(what: "\"\(name)\" occurs twice", offset: offset)
      }
      members.append(JSONItem.Member(name: name, offset: offset, item: try reader.item(depth: depth + 1)))
    }
    return members
  }

  private mutating func elements(depth: Int) throws(JSONItem.Failure) -> [JSONItem] {
    var elements: [JSONItem] = []
    try list(until: "]") { reader throws(JSONItem.Failure) in elements.append(try reader.item(depth: depth + 1)) }
    return elements
  }

  /// Reads the elements between two brackets, starting at the opening bracket.
  private mutating func list(
    until end: Character, _ element: (inout JSONReader) throws(JSONItem.Failure) -> Void
  ) throws(JSONItem.Failure) {
    place += 1
    if next() == end { return place += 1 }
    while true {
      try element(&self)
      let separator = next()
      guard separator == "," || separator == end else { throw failure("a comma or \(end) is missing") }
      place += 1
      if separator == end { return }
    }
  }

  private mutating func text() throws(JSONItem.Failure) -> String {
    let start = place
    place += 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard place < bytes.count else {
      throw JSONItem.Failure(what: "a string is not closed: its closing double quote is missing", offset: start)
    }
    place += 1
    guard let text = try? JSONDecoder().decode(String.self, from: Data(bytes[start..<place])) else {
      throw JSONItem.Failure(what: "the text is not valid JSON", offset: start)
    }
    return text
  }

  private mutating func literal() throws(JSONItem.Failure) -> JSONItem.Value {
    let start = place
    while place < bytes.count, !"{}[],:\" \t\r\n".utf8.contains(bytes[place]) { place += 1 }
    let word = String(decoding: bytes[start..<place], as: UTF8.self)
    switch word {
    case "true": return .flag(true)
    case "false": return .flag(false)
    case "null": return .null
    case _ where Double(word) != nil && word.allSatisfy { "0123456789.eE+-".contains($0) } && !word.hasPrefix("+"):
      return .number(word)
    default: throw JSONItem.Failure(what: "a value is missing or is not valid JSON", offset: start)
    }
  }

  private func failure(_ what: String) -> JSONItem.Failure { JSONItem.Failure(what: what, offset: place) }
}
