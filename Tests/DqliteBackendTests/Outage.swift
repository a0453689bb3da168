import DqliteBackend
import DqliteWire
import Foundation
import Migrator
import TestCluster
import Testing

/// An outage of the leader at a chosen request of a run.
final class Outage: Sendable {
  /// The kinds of outages.
  enum Kind: CaseIterable {
    /// The leader is killed before the request is sent.
    case killBefore
    /// The leader is killed within three milliseconds after the request was sent.
    case killAfter
    /// The leader is asked to end before the request is sent.
    case terminate
    /// The leadership is transferred to another node before the request is sent.
    case transfer
    /// The leader stands still before the request is sent.
    case haltBefore
    /// The leader stands still a moment after the request was sent.
    case haltAfter
  }

  private struct State {
    var count = 0
    var node: TestNode?
    var hasFailed = false
  }

  private let cluster: TestCluster
  private let kind: Kind
  private let number: Int
  private let countsCommitsOnly: Bool
  private let delay: UInt32
  private let state = Lock(State())
  private let isDone = DispatchSemaphore(value: 0)

  /// Prepares an outage at the request with a number, from 1, counting all requests or only commits.
  init(
    _ kind: Kind, at number: Int, ofCommits countsCommitsOnly: Bool = false, in cluster: TestCluster, delay: UInt32
  ) {
    (self.cluster, self.kind, self.number) = (cluster, kind, number)
    (self.countsCommitsOnly, self.delay) = (countsCommitsOnly, delay)
  }

  /// The number of counted requests.
  var count: Int { state.withLock { $0.count } }
  /// Whether the outage has happened.
  var hasHappened: Bool { state.withLock { $0.node != nil && !$0.hasFailed } }

  /// Counts a request, and causes the outage if it is the chosen one.
  @Sendable func willSend(_ address: String, _ request: WireRequest) {
    guard !countsCommitsOnly || request.commits else { return }
    let node = state.withLock { state -> TestNode? in
      state.count += 1
      guard state.count == number, let node = cluster.node(at: address) else { return nil }
      state.node = node
      return node
    }
    guard let node else { return }
    switch kind {
    case .killBefore: node.kill()
    case .terminate: node.signal(SIGTERM)
    case .haltBefore: node.halt()
    case .transfer:
      do {
        try cluster.transferLeadership()
      } catch {
        state.withLock { $0.hasFailed = true }
      }
    case .killAfter, .haltAfter:
      Thread.detachNewThread { [self] in
        usleep(delay)
        if kind == .killAfter { node.kill() } else { node.halt() }
        isDone.signal()
      }
      return
    }
    isDone.signal()
  }

  /// Ends the outage: the node runs again.
  func recover() throws {
    guard let node = state.withLock({ $0.node }) else { return }
    try #require(isDone.wait(timeout: .now() + 60) == .success, "the outage did not happen")
    switch kind {
    case .killBefore, .killAfter: try node.start()
    case .terminate:
      node.kill()
      try node.start()
    case .haltBefore, .haltAfter: node.signal(SIGCONT)
    case .transfer: break
    }
  }
}
