internal import DqliteWire
internal import Foundation
internal import Migrator
internal import TestEngines

/// A cluster of real nodes on this machine, each a process of `Tests/DqliteNode`.
///
/// The nodes end with the cluster, and in any case with the process that started them. Only one cluster exists at a
/// time: each waits for the end of the one before.
package final class TestCluster: Sendable {
  /// The nodes; the first one has founded the cluster.
  package let nodes: [TestNode]
  private let folder: TemporaryFolder
  private static let turn = Turn()

  /// The network latency, in milliseconds, of a cluster that loses no leader: an election takes 1.5 seconds or more, so
  /// that a busy machine causes none.
  package static let calmLatency = 100

  /// Starts nodes and joins them.
  ///
  /// - Parameter latency: The network latency in milliseconds: with 20, an election takes 0.3 seconds.
  package init(nodeCount: Int = 3, latency: Int = 20) async throws {
    // A commit waits until more than half of the nodes have synced it.
    let folder = try TemporaryFolder(isInMemory: true)
    self.folder = folder
    await Self.turn.take()
    do {
      nodes = try (1...nodeCount).map { id in
        try TestNode(id: UInt64(id), folder: folder.file("node\(id)"), latency: latency)
      }
    } catch {
      Self.turn.release()
      throw error
    }
    // From here on, `deinit` also runs after an error.
    for node in nodes { try node.start() }
    for node in nodes.dropFirst() { try join(node) }
  }

  /// Makes a node a voter; tries again after an election, which can happen at any time on a busy machine.
  private func join(_ node: TestNode) throws {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      let leader = try connectionToLeader()
      do {
        if try leader.voters().contains(node.address) { return }
        // Fails if the node was added before an election.
        _ = try? leader.call(.add(node.id, node.address))
        _ = try leader.call(.assign(node.id, .voter))
      } catch  where .now < deadline {}
    }
  }

  /// The maximum time to wait for the cluster: generous, so that no test fails because the machine is busy.
  package static let patience = Duration.seconds(60)

  /// Waits until a condition is true; throws if that takes too long.
  package static func wait(_ condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + patience
    while try !condition() {
      guard .now < deadline else { throw NodeFailure(output: "the test has waited too long") }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  private func connectionToLeader() throws -> NodeConnection {
    let leader = try LeaderSearch(addresses).find(within: Self.patience)
    leader.timeout = Self.patience
    return leader
  }

  deinit {
    for node in nodes { node.kill() }
    Self.turn.release()
  }

  /// The addresses of all nodes.
  package var addresses: [String] { nodes.map(\.address) }

  /// Whether all nodes run.
  package var isComplete: Bool { nodes.allSatisfy(\.isRunning) }

  /// Returns the node that leads.
  package func leader() throws -> TestNode {
    let address = try connectionToLeader().address
    guard let node = nodes.first(where: { $0.address == address }) else { throw NodeFailure(output: "no such node") }
    return node
  }

  /// Returns the node with an address.
  package func node(at address: String) -> TestNode? { nodes.first { $0.address == address } }

  /// Makes another node the leader.
  package func transferLeadership() throws {
    let leader = try connectionToLeader()
    guard let next = nodes.first(where: { $0.address != leader.address && $0.isRunning }) else { return }
    _ = try leader.call(.transfer(next.id))
  }

  /// Returns the files of a database as each node stores them, by the nodes' addresses.
  package func dumps(of database: String) throws -> [String: [String: [UInt8]]] {
    var dumps: [String: [String: [UInt8]]] = [:]
    for node in nodes {
      guard case .files(let files) = try NodeConnection(to: node.address, within: Self.patience).call(.dump(database))
      else { throw NodeFailure(output: "no files") }
      dumps[node.address] = files
    }
    return dumps
  }
}

/// The right to run a cluster, which one task has at a time; a waiting task does not block its thread.
private final class Turn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  func take() async {
    // Clusters run one after another, which takes longest of all tests: with the same priority, each would wait again until
    // all other tests have run.
    if #available(macOS 26, *) { withUnsafeCurrentTask { $0?.escalatePriority(to: .high) } }
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiting.append(continuation)
          return false
        }
        state.isTaken = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.resume()
  }
}
