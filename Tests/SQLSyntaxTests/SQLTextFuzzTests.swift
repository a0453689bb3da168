import SQLSyntax
import Testing

/// Random and mutated texts never trap, no byte is lost, and the canonical form is stable.
@Suite("SQL text, fuzzed")
struct SQLTextFuzzTests {
  private static let pieces = [
    "'", "''", "\"", "`", "[", "]", "--", "/*", "*/", "\n", "\r", "\r\n", " ", "\t", ";", "(", ")", ".", ",", "x'", "X",
    "0x",
    "1", "1e5", "_", "$", "$a(", ":", "::", "?", "@a", "#", "<", ">", "=", "!", "|", "-", "->", "\\", "\u{FEFF}", "é",
    "表", "🙂", "\u{301}", "CREATE", "TEMP", "TRIGGER", "BEGIN", "END", "CASE", "DEFAULT", "SET", "select", "\"Ab\"",
    "[a b]",
    "PRAGMA", "ROLLBACK", "TO", "EXPLAIN", "\u{0B}", "\u{0C}", "\u{1}", "null", "Key",
  ]

  private static let script = """
    CREATE TABLE "a" (b TEXT DEFAULT 'it''s', c BLOB DEFAULT x'00ff'); -- comment; here
    CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET b = CASE WHEN 1 THEN :x ELSE [b] END; END;
    /* block ; comment */ PRAGMA main.foreign_keys = OFF; SELECT 1e5, 0xff, `a`, $x::y(z) -> '$.k';
    """

  @Test("Texts of random pieces", arguments: 1...20 as ClosedRange<UInt64>)
  func randomPieces(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 0...40, using: &random)
      let text = (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
      check(text, seed: seed)
    }
  }

  @Test("Mutations of a script", arguments: 1...20 as ClosedRange<UInt64>)
  func mutations(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var bytes = Array(Self.script.utf8)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.remove(at: index)
        case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
        default: bytes.insert(contentsOf: Array((Self.pieces.randomElement(using: &random) ?? "").utf8), at: index)
        }
      }
      checkLossless(bytes, seed: seed)
      check(String(decoding: bytes, as: UTF8.self), seed: seed)
    }
  }

  @Test("A long text of opening brackets is tokenized once")
  func longTexts() {
    for piece in Self.pieces { checkLossless(Array(String(repeating: piece, count: 20_000).utf8), seed: 0) }
  }

  private func checkLossless(_ bytes: [UInt8], seed: UInt64) {
    var end = 0
    for token in SQLTokenizer(bytes: bytes) {
      guard token.range.lowerBound == end, !token.range.isEmpty else {
        Issue.record("seed \(seed): a gap at \(end) in \(bytes)")
        return
      }
      end = token.range.upperBound
    }
    if end != bytes.count { Issue.record("seed \(seed): stopped at \(end) in \(bytes)") }
  }

  private func check(_ text: String, seed: UInt64) {
    let bytes = Array(text.utf8)
    checkLossless(bytes, seed: seed)
    let tokenizer = SQLTokenizer(text)
    #expect(Array(tokenizer.map(tokenizer.text(of:)).joined().utf8) == bytes, "seed \(seed)")

    let canonical = SQLNormalization.canonicalText(of: text)
    let again = SQLNormalization.canonicalText(of: canonical)
    #expect(canonical == again, "seed \(seed): \(text.debugDescription)")

    _ = SQLStatementKind(of: text)
    guard let statements = try? SQLStatementSplitter.split(text) else { return }
    var end = 0
    for statement in statements {
      #expect(statement.utf8Range.lowerBound >= end, "seed \(seed): \(text.debugDescription)")
      #expect(statement.text.utf8.count == statement.utf8Range.count, "seed \(seed): \(text.debugDescription)")
      #expect(statement.position == SQLTextPosition(ofUTF8Offset: statement.utf8Range.lowerBound, in: text))
      // A statement that was split off is a single statement again.
      #expect((try? SQLStatementSplitter.split(statement.text))?.map(\.text) == [statement.text], "seed \(seed)")
      end = statement.utf8Range.upperBound
    }
  }
}

/// SplitMix64: small, and the same everywhere for a seed.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
