import TestCluster
import Testing

@testable import DqliteWire

/// Messages as they were recorded between a client and a node of dqlite 1.11.1.
@Suite("Messages")
struct MessageTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8.filter { $0 != 0x20 })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
  }

  @Test("A query is sent with its parameters")
  func query() {
    let expected = bytes(
      """
      0600000009000000 0000000000000000 53454c454354203f 2c203f0000000000 0201030000000000 0700000000000000 \
      736576656e000000
      """.replacing("\n", with: ""))
    #expect(WireRequest.query("SELECT ?, ?", [.integer(7), .text("seven")]).bytes == expected)
  }

  @Test("A request for the leader, and its answer")
  func leader() throws {
    #expect(WireRequest.leader.bytes == bytes("0100000000000000 0000000000000000"))
    let body = WireBody(bytes("0200000000000000 3132372e302e302e 313a313934313100"))
    guard case .leader(let address) = try WireResponse(type: 1, body) else { throw WireError.malformed("no leader") }
    #expect(address == "127.0.0.1:19411")
  }

  @Test("Only requests that dqlite 1.11 answers exist")
  func types() {
    let requests: [WireRequest] = [
      .leader, .open("a"), .execute("a"), .query("a"), .add(1, "a"), .assign(1, .voter), .dump("a"), .cluster,
      .transfer(1),
    ]
    #expect(requests.map { $0.bytes[4] } == [0, 3, 8, 9, 12, 13, 15, 16, 17])
  }

  @Test("A failure after rows is read from its end")
  func lateFailure() {
    let body = WireBody(
      bytes(
        """
        0100000000000000 7879000000000000 0100000000000000 0100000000000000 0100000000000000 696e746567657220 \
        6f766572666c6f77 0000000000000000
        """.replacing("\n", with: "")))
    #expect(throws: WireError.failure(code: 1, message: "integer overflow")) { try WireResponse(type: 0, body) }
  }

  /// One row: 7, 1.5, "é", a blob of three bytes, NULL.
  private static let row = """
    0500000000000000 6100000000000000 6200000000000000 6300000000000000 6400000000000000 6500000000000000 \
    2143050000000000 0700000000000000 000000000000f83f c3a900ff227c377f 0300000000000000 0102030000000000 \
    0000000000000000 ffffffffffffffff
    """

  @Test("Rows have values of five kinds, and the bytes after a text do not matter")
  func rows() throws {
    // The kinds take one nibble each, the first one in the low nibble.
    let body = WireBody(bytes(Self.row.replacing("\n", with: "")))
    guard case .rows(let rows) = try WireResponse(type: 7, body) else { throw WireError.malformed("no rows") }
    #expect(rows.columns == ["a", "b", "c", "d", "e"])
    #expect(rows.count == 1)
    #expect(rows.isLast)
    #expect(rows.values[0] == .integer(7))
    #expect(rows.values[1] == .real(1.5))
    #expect(rows.values[4] == .null)
    guard case .text(let text) = rows.values[2], case .blob(let blob) = rows.values[3] else {
      throw WireError.malformed("other kinds")
    }
    #expect(body.text(text) == "é")
    #expect(Array(body.bytes[blob]) == [1, 2, 3])
  }

  @Test(
    "A truncated message is an error, wherever it ends",
    arguments: [
      // The leader; one node; the last rowid and the number of changes; rows; one file.
      (1, "0200000000000000 3132372e302e302e 313a313934313100"),
      (3, "0100000000000000 0100000000000000 3132372e302e302e 313a313934313100 0000000000000000"),
      (6, "0100000000000000 0200000000000000"), (7, row),
      (9, "0100000000000000 6170700000000000 0800000000000000 0102030405060708"),
    ] as [(UInt8, String)])
  func truncated(type: UInt8, hex: String) throws {
    let whole = bytes(hex.replacing("\n", with: ""))
    _ = try WireResponse(type: type, WireBody(whole))
    for end in stride(from: 0, to: whole.count, by: 8) {
      #expect(throws: WireError.self) { try WireResponse(type: type, WireBody(Array(whole[..<end]))) }
    }
  }

  @Test("A second statement, which was not sent, is a lock that the node has found")
  func nonemptyTail() {
    let message = Array("nonempty statement tail\0".utf8)
    let body = WireBody([1, 0, 0, 0, 0, 0, 0, 0] + message)
    #expect(throws: WireError.failure(code: 5, message: "database is locked")) { try WireResponse(type: 0, body) }
  }

  @Test("A truncated failure is a failure or malformed")
  func truncatedFailure() {
    let whole = bytes("0100000000000000 6f766572666c6f77 0000000000000000")
    #expect(throws: WireError.failure(code: 1, message: "overflow")) { try WireResponse(type: 0, WireBody(whole)) }
    for end in stride(from: 0, to: whole.count, by: 8) {
      #expect(throws: WireError.self) { try WireResponse(type: 0, WireBody(Array(whole[..<end]))) }
    }
  }

  @Test("Random bytes are never a crash", arguments: [1, 2, 3] as [UInt64])
  func random(seed: UInt64) {
    var generator = SplitMix(state: seed)
    for _ in 0..<20_000 {
      let count = Int(generator.next() % 12) * 8
      let bytes = (0..<count).map { _ in
        let number = generator.next()
        return number & 7 == 0 ? UInt8(truncatingIfNeeded: number >> 8) : UInt8(number >> 8 & 3)
      }
      // Any outcome but a trap is correct.
      _ = try? WireResponse(type: UInt8(generator.next() % 11), WireBody(bytes))
    }
  }
}

/// A generator whose numbers depend on its seed alone.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var number = state
    number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
    number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
    return number ^ (number >> 31)
  }
}
