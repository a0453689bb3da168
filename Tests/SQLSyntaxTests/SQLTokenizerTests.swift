import SQLSyntax
import Testing

@Suite("SQLTokenizer")
struct SQLTokenizerTests {
  private func kinds(_ sql: String) -> [SQLToken.Kind] {
    SQLTokenizer(sql).map(\.kind).filter { $0 != .whitespace }
  }

  private func texts(_ sql: String) -> [String] {
    let tokenizer = SQLTokenizer(sql)
    return tokenizer.filter { !$0.isTrivia }.map(tokenizer.text(of:))
  }

  @Test(
    "Each kind of token is recognized",
    arguments: [
      ("SELECT", SQLToken.Kind.word), ("_a$1", .word), ("größe", .word), ("x", .word),
      ("\"a\"\"b\"", .quotedIdentifier),
      ("`a``b`", .quotedIdentifier), ("[a b]", .quotedIdentifier), ("'it''s'", .string), ("''", .string),
      ("x'00fF'", .blob), ("X''", .blob), ("0", .number), ("1.5e-10", .number), (".5", .number), ("5.", .number),
      ("0xFf", .number), ("1_000", .number), ("1E+2", .number), ("?", .variable), ("?12", .variable),
      (":name", .variable),
      ("@name", .variable), ("$a::b(c)", .variable), ("->>", .operator), ("||", .operator), ("<>", .operator),
      ("-- a", .comment), ("/* a\n*/", .comment), ("/* a", .comment), ("/*", .comment),
      (" \t\r\n\u{0C}\u{0B}", .whitespace),
      ("\u{FEFF}", .whitespace), ("'a", .unterminated), ("'a''", .unterminated), ("\"a", .unterminated),
      ("[a", .unterminated), ("`a", .unterminated), ("x'0", .unterminated), ("x'0'", .illegal), ("x'zz'", .illegal),
      ("1abc", .illegal), ("0x", .illegal), ("1e", .illegal), ("#", .illegal), ("\\", .illegal), ("!", .illegal),
      ("\0", .illegal),
      ("$", .illegal), ("{", .illegal), ("$a(b", .illegal),
    ])
  func kindOfSingleToken(sql: String, kind: SQLToken.Kind) {
    let tokens = Array(SQLTokenizer(sql))

    #expect(tokens.map(\.kind) == [kind] && tokens.map(\.range) == [0..<sql.utf8.count])
  }

  @Test("Operators are as long as possible")
  func operators() {
    let all = [
      "(", ")", ";", ",", ".", "+", "-", "*", "/", "%", "=", "==", "!=", "<>", "<", "<=", "<<", ">", ">=", ">>",
    ]
    let more = ["||", "|", "&", "~", "->", "->>"]

    for text in all + more { #expect(texts(text + " a") == [text, "a"], "\(text)") }
    #expect(texts("a<>b") == ["a", "<>", "b"])
    #expect(texts("t.a->>'$.x'") == ["t", ".", "a", "->>", "'$.x'"])
    #expect(texts("1-1") == ["1", "-", "1"])
    #expect(texts("a.b.c") == ["a", ".", "b", ".", "c"])
  }

  @Test("A string hides comments, and a comment hides strings")
  func nesting() {
    #expect(kinds("'-- /*' -- it's\n\"/*\" /* ' -- */ a") == [.string, .comment, .quotedIdentifier, .comment, .word])
  }

  @Test("Block comments do not nest")
  func blockComments() {
    #expect(texts("/* a /* b */ c /**/ d /***/ e") == ["c", "d", "e"])
  }

  @Test("A line comment goes on after a carriage return")
  func carriageReturn() {
    #expect(Array(SQLTokenizer("-- a\rSELECT")).map(\.kind) == [.comment])
  }

  @Test("An identifier may contain characters outside ASCII, and its text is preserved")
  func nonASCII() {
    #expect(texts("SELECT naïve, 表 FROM \"größe\"") == ["SELECT", "naïve", ",", "表", "FROM", "\"größe\""])
  }

  @Test("Bytes that are not UTF-8 are covered, too")
  func invalidUTF8() {
    let bytes: [UInt8] = [0xFF, 0x27, 0xC3, 0x27, 0x00, 0x80, 0xEF, 0xBB]

    #expect(Array(SQLTokenizer(bytes: bytes)).map(\.range) == [0..<1, 1..<4, 4..<5, 5..<8])
  }

  @Test(
    "Unquoting removes the quotes and makes doubled quotes single",
    arguments: [
      ("\"a\"\"b\"", "a\"b"), ("`a``b`", "a`b"), ("[a]", "a"), ("'it''s'", "it's"), ("''", ""), ("a", "a"), ("'", "'"),
      ("\"\"\"\"", "\""),
    ])
  func unquoting(quoted: String, name: String) {
    #expect(SQLIdentifier.unquoted(quoted) == name)
  }
}
