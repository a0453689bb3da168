package import DqliteWire
internal import Foundation
internal import Migrator

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A node whose answers a test determines; it runs in this process.
package final class ScriptedNode: Sendable {
  /// An answer to a request.
  package enum Answer: Sendable {
    /// The statement has run.
    case result
    /// The rows of a query.
    case rows([String], [[WireValue]])
    /// The request has failed.
    case failure(Int, String)
    /// These bytes, as a message of a type.
    case message(UInt8, [UInt8])
    /// No answer: the connection remains open.
    case silence
    /// No answer: the connection is closed.
    case close
  }

  /// Answers a statement, or nil to let the node answer as an empty database does.
  package typealias Script = @Sendable (_ sql: String, _ connection: Int) -> Answer?

  /// The address, on the loopback device.
  package let address: String
  private let listener: Int32
  private let script: Script
  private let state: Lock<State>

  private struct State {
    var leader: String
    var voters: [String]
    var connectionCount = 0
  }

  /// Starts a node that names itself as the leader, and as the only voter.
  package init(_ script: @escaping Script = { _, _ in nil }) throws {
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &name) { [listener] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        // Without a port, the system chooses one.
        bind(listener, address, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, address, &size) == 0
      }
    }
    guard isReady else { throw NodeFailure(output: "no port is free") }
    address = "127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    self.script = script
    state = Lock(State(leader: address, voters: [address]))
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        // Another test may interrupt the process, or use up its descriptors for a moment.
        if descriptor < 0, [EINTR, ECONNABORTED, EMFILE, ENFILE].contains(errno) {
          Thread.sleep(forTimeInterval: 0.01)
          continue
        }
        guard descriptor >= 0, let self else { return }
        Thread.detachNewThread { [weak self] in Self.serve(descriptor, { self }) }
      }
    }
  }

  deinit {
    stop()
    _ = close(listener)
  }

  /// Refuses new connections from now on.
  package func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

  /// Changes the leader and the voters that the node names.
  package func name(leader: String, voters: [String]) {
    state.withLock { ($0.leader, $0.voters) = (leader, voters) }
  }

  #if canImport(Darwin)
    private static let sendFlags: Int32 = 0
  #else
    private static let sendFlags = Int32(MSG_NOSIGNAL)
  #endif

  /// Answers the requests of one connection until it ends.
  private static func serve(_ descriptor: Int32, _ node: () -> ScriptedNode?) {
    defer { _ = close(descriptor) }
    // The version of the protocol.
    guard receive(8, from: descriptor) != nil, let node = node() else { return }
    var number: Int?
    while let head = receive(8, from: descriptor) {
      let count = head.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) } * 8
      guard let body = receive(count, from: descriptor) else { return }
      if head[4] == 3 {
        number = node.state.withLock { state in
          state.connectionCount += 1
          return state.connectionCount
        }
      }
      let answer = node.answer(head[4], body, number ?? 0)
      if case .close = answer { return }
      let bytes = message(answer)
      let sent = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags) }
      guard sent == bytes.count else { return }
    }
  }

  private static func receive(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, count, Int32(MSG_WAITALL)) }
    return received == count ? bytes : nil
  }

  private func answer(_ type: UInt8, _ body: [UInt8], _ connection: Int) -> Answer {
    switch type {
    case 0:
      let leader = state.withLock { $0.leader }
      return .message(
        1,
        Self.body {
          $0.write(0 as UInt64)
          $0.write(leader)
        })
    case 16:
      let voters = state.withLock { $0.voters }
      return .message(
        3,
        Self.body { writer in
          writer.write(UInt64(voters.count))
          for (index, voter) in voters.enumerated() {
            writer.write(UInt64(index + 1))
            writer.write(voter)
            writer.write(WireNode.Role.voter.rawValue)
          }
        })
    case 3: return .message(4, Self.body { $0.write(0 as UInt64) })
    default:
      let sql = String(decoding: body.dropFirst(8).prefix { $0 != 0 }, as: UTF8.self)
      return script(sql, connection) ?? Self.usual(type, sql)
    }
  }

  /// Answers as a node whose programs are read-only and return one column, and whose queries return nothing.
  private static func usual(_ type: UInt8, _ sql: String) -> Answer {
    if type == 8 { return .result }
    if sql.contains("sqlite_version()") {
      return .rows(["v", "f4", "f5"], [[.text("3.40.1"), .integer(1), .integer(1)]])
    }
    guard sql.hasPrefix("EXPLAIN ") else { return .rows(["a"], []) }
    let isRead = sql.hasPrefix("EXPLAIN SELECT")
    let instructions: [(String, Int64)] = [("Transaction", isRead ? 0 : 1)] + (isRead ? [("ResultRow", 1)] : [])
    return .rows(
      ["addr", "opcode", "p1", "p2"],
      instructions.map { [.integer(0), .text($0.0), .integer(0), .integer($0.1)] })
  }

  private static func body(_ write: (inout WireWriter) -> Void) -> [UInt8] {
    Array(WireRequest(0, write).bytes.dropFirst(8))
  }

  private static func message(_ answer: Answer) -> [UInt8] {
    switch answer {
    case .result:
      WireRequest(6) { for _ in 1...2 { $0.write(0 as UInt64) } }.bytes
    case .rows(let columns, let rows):
      WireRequest(7) { writer in
        writer.write(UInt64(columns.count))
        for column in columns { writer.write(column) }
        for row in rows { writer.write(row: row) }
        writer.write(UInt64.max)
      }.bytes
    case .failure(let code, let text):
      WireRequest(0) {
        $0.write(UInt64(code))
        $0.write(text)
      }.bytes
    case .message(let type, let body):
      [0, 1, 2, 3].map { UInt8(truncatingIfNeeded: (body.count / 8) >> ($0 * 8)) } + [type, 0, 0, 0] + body
    case .silence, .close: []
    }
  }
}

extension WireWriter {
  /// Writes a row of at most 16 values: their kinds in four bits each, then the values.
  fileprivate mutating func write(row: [WireValue]) {
    write(row.enumerated().reduce(0 as UInt64) { $0 | $1.element.kindInRow << UInt64($1.offset * 4) })
    for value in row {
      switch value {
      case .null: write(0 as UInt64)
      case .integer(let number): write(UInt64(bitPattern: number))
      case .real(let number): write(number.bitPattern)
      case .text(let text): write(text)
      case .blob(let bytes):
        write(UInt64(bytes.count))
        for start in stride(from: 0, to: bytes.count, by: 8) {
          write(bytes[start...].prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
        }
      }
    }
  }
}

extension WireValue {
  fileprivate var kindInRow: UInt64 {
    switch self {
    case .integer: 1
    case .real: 2
    case .text: 3
    case .blob: 4
    case .null: 5
    }
  }
}
