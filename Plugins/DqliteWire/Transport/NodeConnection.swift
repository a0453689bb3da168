internal import Dispatch

/// A connection to one node of a cluster, on which one request is answered at a time.
package final class NodeConnection {
  /// The node's address.
  package let address: String
  /// The maximum time for an answer.
  package var timeout: Duration
  /// Asked after each second without an answer: whether to regard the connection as lost, as when another node leads the
  /// cluster by now.
  package var isAbandoned: (() -> Bool)?
  /// Receives the node's address and each request before it is sent; tests end nodes at such moments.
  package var willSend: (@Sendable (String, WireRequest) -> Void)?
  private var socket: WireSocket?

  /// The time for the answer to a statement: a node whose statement takes so long has lost the leadership long ago.
  package static let patience = Duration.seconds(300)

  /// Blocks this thread, as every request does, between two attempts.
  package static func pause(_ duration: Duration) {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + duration / .seconds(1))
  }

  /// Connects to a node; both the connection and each answer may take `timeout`.
  package init(to address: String, within timeout: Duration) throws(WireError) {
    self.address = address
    self.timeout = timeout
    let socket = try WireSocket(to: address, within: timeout)
    self.socket = socket
    // The version of the protocol, which the node does not answer.
    var hello = WireWriter()
    hello.write(1 as UInt64)
    do throws(WireError) {
      try socket.transmit(hello.bytes, until: .now + timeout)
    } catch {
      throw WireError.unreachable("\(address): the node closed the connection")
    }
  }

  /// Whether the node has closed the connection; to be asked only while no answer is expected.
  package var hasEnded: Bool { socket?.hasAnswer(until: .now) ?? true }

  /// Closes the connection, also while the rows of a query are being received.
  package func close() { socket = nil }

  /// Sends a request and returns its answer; after an error, except for a failure that the node reports, the connection
  /// is closed.
  package func call(_ request: WireRequest) throws(WireError) -> WireResponse {
    guard let socket else { throw WireError.unreachable("the connection to \(address) is closed") }
    willSend?(address, request)
    do throws(WireError) {
      try socket.transmit(request.bytes, until: .now + timeout)
    } catch {
      close()
      throw error
    }
    return try receive()
  }

  /// Returns the next answer, such as the next message with rows.
  package func receive() throws(WireError) -> WireResponse {
    guard let socket else { throw WireError.lost("the connection to \(address) is closed") }
    do throws(WireError) {
      let deadline = ContinuousClock.now + timeout
      try awaitAnswer(socket, until: deadline)
      let head = WireBody(count: 8)
      try socket.receive(into: head.memory, until: deadline)
      let words = UInt32(littleEndian: head.bytes.load(as: UInt32.self))
      // A gigabyte: SQLite has no larger value, and a message has at most a few thousand bytes besides one row.
      guard words > 0, words <= 1 << 27 else { throw WireError.malformed("a message of \(words) words") }
      let body = WireBody(count: Int(words) * 8)
      try socket.receive(into: body.memory, until: deadline)
      return try WireResponse(type: head.bytes[4], body)
    } catch {
      if case .failure = error { throw error }
      close()
      throw error
    }
  }

  private func awaitAnswer(_ socket: WireSocket, until deadline: ContinuousClock.Instant) throws(WireError) {
    while !socket.hasAnswer(until: min(deadline, .now + .seconds(1))) {
      guard ContinuousClock.now < deadline else { throw WireError.lost("the node did not answer in time") }
      if isAbandoned?() == true { throw WireError.lost("the node no longer leads the cluster") }
    }
  }

  /// Returns the address of the node that leads, as far as this node knows; empty if it knows none.
  package func leader() throws(WireError) -> String {
    guard case .leader(let address) = try call(.leader) else {
      throw WireError.malformed("\(address) does not answer which node leads")
    }
    return address
  }

  /// Returns the addresses of the nodes that elect the leader.
  package func voters() throws(WireError) -> [String] {
    guard case .nodes(let nodes) = try call(.cluster) else {
      throw WireError.malformed("\(address) does not answer which nodes form the cluster")
    }
    return nodes.filter { $0.role == .voter }.map(\.address)
  }
}
