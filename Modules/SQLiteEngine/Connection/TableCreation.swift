internal import Migrator

/// What a statement that makes a table will leave in the schema, known without reading it.
///
/// The engine stores the statement's own text behind `CREATE TABLE`, from the table's name to its closing parenthesis
/// (https://www.sqlite.org/schematab.html). Only where nothing else can be meant: no other word before or behind the
/// name, no comment, nothing behind the columns, nothing but ASCII, which every encoding of a database holds alike.
struct TableCreation {
  let object: SchemaObject

  /// - Parameters:
  ///   - sql: The statement, without blanks and semicolons at its end.
  ///   - name: The name of the table that the engine says it makes.
  /// - Returns: Nil when the schema must be read to know.
  init?(_ sql: String, name: String) {
    var text = sql
    guard let stored = text.withUTF8({ Self.storedText($0, name: name) }) else { return nil }
    object = SchemaObject(kind: .table, name: name, tableName: name, sql: stored)
  }

  private static func storedText(_ bytes: UnsafeBufferPointer<UInt8>, name: String) -> String? {
    guard bytes.last == UInt8(ascii: ")"), isPlain(bytes) else { return nil }
    guard let create = end(ofWord: "create", in: bytes, at: 0), let table = end(ofBlanks: bytes, at: create),
      let tableEnd = end(ofWord: "table", in: bytes, at: table), let start = end(ofBlanks: bytes, at: tableEnd)
    else { return nil }
    guard var end = end(ofName: name, in: bytes, at: start) else { return nil }
    while end < bytes.count, isBlank(bytes[end]) { end += 1 }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "(") else { return nil }
    return "CREATE TABLE " + String(decoding: bytes[start...], as: UTF8.self)
  }

  /// Whether the text is ASCII without the beginning of a comment.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var last: UInt8 = 0
    for byte in bytes {
      if byte >= 0x80 || byte == UInt8(ascii: "-") && last == byte { return false }
      if byte == UInt8(ascii: "*"), last == UInt8(ascii: "/") { return false }
      last = byte
    }
    return true
  }

  /// Where a name ends that stands there as a word or in double quotes, without a quote in it.
  private static func end(ofName name: String, in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    let isQuoted = bytes[start] == UInt8(ascii: "\"")
    let first = isQuoted ? start + 1 : start
    let last = first + name.utf8.count
    guard last < bytes.count, bytes[first..<last].elementsEqual(name.utf8) else { return nil }
    guard isQuoted else { return bytes[first..<last].allSatisfy(isWordByte) ? last : nil }
    return bytes[last] == UInt8(ascii: "\"") && !name.utf8.contains(UInt8(ascii: "\"")) ? last + 1 : nil
  }

  private static func end(ofWord word: StaticString, in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    let end = start + word.utf8CodeUnitCount
    guard end <= bytes.count else { return nil }
    for offset in 0..<word.utf8CodeUnitCount where bytes[start + offset] | 0x20 != word.utf8Start[offset] { return nil }
    return end
  }

  private static func end(ofBlanks bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    var end = start
    while end < bytes.count, isBlank(bytes[end]) { end += 1 }
    return end > start ? end : nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) && byte != 0x0b }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
  }
}
