import TestEngines
import Testing

@testable import MigratorCommand

@Suite("The reader of the configuration file")
struct JSONItemTests {
  @Test("Values of every kind are read, with their places")
  func values() throws {
    let members = try JSONItem.parse(
      "\u{FEFF}{\"a\": \"\\u00e9\\ud83d\\ude00\\n\", \"b\": [1, -2.5e3], \"c\" : {\"d\":true},\"e\":null}"
    ).members("it")
    #expect(members.map(\.name) == ["a", "b", "c", "e"])
    guard case .text("é😀\n") = members[0].item.value, case .list(let numbers) = members[1].item.value,
      case .number("1") = numbers[0].value, case .number("-2.5e3") = numbers[1].value,
      case .flag(true) = try members[2].item.members("c")[0].item.value, case .null = members[3].item.value
    else {
      Issue.record("\(members)")
      return
    }
    #expect(members[0].offset == 4 && members[0].item.offset == 9)
  }

  @Test(
    "What is not JSON is refused",
    arguments: [
      "", " ", "{", "[", "{]", "[1,]", "{\"a\":1,}", "{a:1}", "\"", "\"\\\"", "\"\\x\"", "\"\n\"", "nul", "0x10", "+1",
      "nan", "1 2",
      "'a'", "{\"a\":1 \"b\":2}", "{\"a\" 1}", "// comment\n{}", String(repeating: "[", count: 10_000),
    ])
  func refusals(text: String) { #expect(throws: JSONItem.Failure.self) { try JSONItem.parse(text) } }

  @Test("Damaged text is refused or read, and its failure is inside the text")
  func damage() {
    let seed: UInt64 = 17
    var random = SeededGenerator(seed: seed)
    let text = Array("{\"a\": [\"x\\u0041\", 1.5, true], \"environments\": {\"b\": {\"c\": null}}}".utf8)
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) {
          bytes.remove(at: place)
        } else {
          bytes[place] = text.randomElement(using: &random) ?? 0
        }
      }
      let damaged = String(decoding: bytes, as: UTF8.self)
      do throws(JSONItem.Failure) {
        _ = try JSONItem.parse(damaged)
      } catch {
        #expect((0...damaged.utf8.count).contains(error.offset), "seed \(seed): \(damaged)")
      }
    }
  }
}
