import SQLSyntax
import Testing

@Suite("Quoted names and strings")
struct SQLQuotesTests {
  @Test(
    "every name and string is one token when quoted, and unquoting restores it",
    arguments: [
      "", "a", "\"", "'", "x\"\u{301}; DROP TABLE victim; --", "'\u{301}'", "\"\u{FE0F}\"\u{200D}🙂", "\u{1}\r\n",
      "`]['\"",
    ])
  func roundTrip(name: String) {
    for (quoted, kind) in [(name.quotedIdentifier, SQLToken.Kind.quotedIdentifier), (name.quotedText, .string)] {
      #expect(SQLTokenizer(quoted).map(\.kind) == [kind])
      #expect(SQLIdentifier.unquoted(quoted).utf8.elementsEqual(name.utf8))
    }
  }
}
