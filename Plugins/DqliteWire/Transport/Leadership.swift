/// The check that a node still leads its cluster.
///
/// A node that stood still while the others elected a new leader does not know it at first, and answers queries with
/// outdated data. More than half of the voters took part in that election, so the answer of one of them reveals it.
package final class Leadership {
  private let leader: String
  /// The other voters, as the node last listed them; those that answered last come first.
  private var others: [String]
  private var connections: [String: NodeConnection] = [:]

  /// The number of times to ask: the nodes learn of a new leader one after the other.
  private static let attempts = 10
  private static let patience = Duration.milliseconds(400)

  /// Creates the check for a node that claims to lead `voters`.
  package init(of leader: String, voters: [String]) {
    self.leader = leader
    others = voters.filter { $0 != leader }
  }

  /// The addresses of the voters, as the node last listed them.
  package var voters: [String] { [leader] + others }

  /// Asks the other voters, after an answer was received, and returns whether more than half of all voters name the
  /// node as leader.
  package func isConfirmed() -> Bool {
    for attempt in 1...Self.attempts {
      guard updateVoters() else { return false }
      if isNamedByMajority() { return true }
      if attempt < Self.attempts { NodeConnection.pause(.milliseconds(20)) }
    }
    return false
  }

  /// Returns whether more than half of all voters name the same other node as their leader.
  ///
  /// One voter alone proves nothing: it may have been removed, or may not know of the last election yet.
  package func isReplaced() -> Bool {
    var counts: [String: Int] = [:]
    for address in others {
      if let named = leader(namedBy: address), !named.isEmpty { counts[named, default: 0] += 1 }
    }
    counts[leader] = nil
    return counts.values.contains { $0 > voters.count / 2 }
  }

  /// Asks the node itself for the voters; returns false if it does not answer.
  ///
  /// The cluster may have grown. The list of a node that was deposed is enough: more than half of these voters took part
  /// in the first election that it missed.
  private func updateVoters() -> Bool {
    do throws(WireError) {
      let node = try connection(to: leader)
      // It may be running a long statement of another connection.
      node.timeout = NodeConnection.patience
      node.isAbandoned = { [weak self] in self?.isReplaced() ?? true }
      let newest = try node.voters().filter { $0 != leader }
      others = others.filter(newest.contains) + newest.filter { !others.contains($0) }
      return true
    } catch {
      connections[leader] = nil
      return false
    }
  }

  private func isNamedByMajority() -> Bool {
    // The node itself counts as one of the majority.
    var missing = voters.count / 2
    for address in others where missing > 0 {
      if leader(namedBy: address) == leader {
        missing -= 1
      } else {
        others.removeAll { $0 == address }
        others.append(address)
      }
    }
    return missing == 0
  }

  /// Returns the address that a node names as its leader; nil if it does not answer.
  private func leader(namedBy address: String) -> String? {
    do throws(WireError) {
      return try connection(to: address).leader()
    } catch {
      connections[address] = nil
      return nil
    }
  }

  private func connection(to address: String) throws(WireError) -> NodeConnection {
    if let open = connections[address] { return open }
    let node = try NodeConnection(to: address, within: Self.patience)
    connections[address] = node
    return node
  }
}
