/// Finds the node that leads a cluster.
package struct LeaderSearch: Sendable {
  /// The addresses of nodes, as `host:port`; nodes that they know are found, too.
  package let addresses: [String]
  /// The addresses of nodes that earlier connections have learned: those above may all be down by now.
  package var members: [String] = []
  /// Receives the leader's address and each request to it before it is sent, once it is found.
  package var willSend: (@Sendable (String, WireRequest) -> Void)?
  /// The time for receiving the rows of a query that are not read.
  package var patienceWithRows = Duration.seconds(5)

  /// The time for one connection or answer: short, because during an election the node named as leader may be dead.
  private static let patience = Duration.milliseconds(400)

  /// Creates a search that begins with the nodes at `addresses`.
  package init(_ addresses: [String]) { self.addresses = addresses }

  /// Returns a connection to the leader, which has confirmed that it leads; asks each address at least once, and throws
  /// ``WireError/unreachable(_:)`` if there is no leader within the limit.
  package func find(within limit: Duration) throws(WireError) -> NodeConnection {
    let deadline = ContinuousClock.now + limit
    var (known, reasons) = (addresses + members.filter { !addresses.contains($0) }, [String: String]())
    while true {
      for address in known {
        do throws(WireError) {
          let node = try NodeConnection(to: address, within: Self.patience)
          let named = try node.leader()
          if named == address { return node }
          for member in try node.voters() where !known.contains(member) { known.append(member) }
          guard !named.isEmpty else {
            reasons[address] = "\(address): no leader is known"
            continue
          }
          let leading = try NodeConnection(to: named, within: Self.patience)
          reasons[address] = "\(address): the leader \(named) does not answer; it may be running a long statement"
          guard let leader = try? leading.leader() else { continue }
          if leader == named { return leading }
          reasons[address] = "\(address): \(named) does not lead"
        } catch {
          let reason = error.reason
          reasons[address] = reason.hasPrefix(address) ? reason : "\(address): \(reason)"
        }
      }
      guard ContinuousClock.now < deadline else {
        throw WireError.unreachable(known.compactMap { reasons[$0] }.joined(separator: "; "))
      }
      // An election takes many times as long.
      NodeConnection.pause(.milliseconds(20))
    }
  }
}

extension WireError {
  /// A description of the error.
  package var reason: String {
    switch self {
    case .failure(_, let message), .unreachable(let message), .lost(let message): message
    case .malformed(let message): "the node does not follow the protocol of dqlite: \(message)"
    case .namesTooLong: "the names of the columns are too long"
    }
  }
}
