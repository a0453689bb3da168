import DqliteWire
import TestCluster
import Testing

@Suite("The check that a node leads")
struct LeadershipTests {
  private let nodes: [ScriptedNode]
  private var addresses: [String] { nodes.map(\.address) }

  init() throws {
    nodes = try (1...3).map { _ in try ScriptedNode() }
  }

  /// Makes each node name a leader, by their positions; nil is a leader that does not know any.
  private func name(_ leaders: Int?...) {
    for (node, leader) in zip(nodes, leaders) {
      node.name(leader: leader.map { addresses[$0] } ?? "", voters: addresses)
    }
  }

  @Test("A node is replaced only if more than half of the voters name the same other node")
  func replaced() {
    let leadership = Leadership(of: addresses[0], voters: addresses)
    // A single node that was removed, or has led before, names another leader.
    name(0, 1, 0)
    #expect(!leadership.isReplaced())
    name(0, 1, 2)
    #expect(!leadership.isReplaced())
    name(0, nil, nil)
    #expect(!leadership.isReplaced())
    name(0, 1, 1)
    #expect(leadership.isReplaced())
    // A node that stood still names itself, and does not answer in time.
    #expect(!leadership.isConfirmed())
  }

  @Test("A node needs the confirmation of the voters that have joined since")
  func grown() {
    nodes[0].name(leader: addresses[0], voters: [addresses[0]])
    let leadership = Leadership(of: addresses[0], voters: [addresses[0]])
    #expect(leadership.isConfirmed())
    name(0, 1, 1)
    #expect(!leadership.isConfirmed())
    name(0, 0, 1)
    #expect(leadership.isConfirmed())
    #expect(Set(leadership.voters) == Set(addresses))
  }

  @Test("A search asks the nodes that an earlier connection has learned")
  func members() throws {
    var search = LeaderSearch([addresses[0]])
    nodes[0].stop()
    #expect(throws: WireError.self) { try search.find(within: .zero) }
    search.members = addresses
    name(1, 1, 1)
    #expect(try search.find(within: .zero).address == addresses[1])
  }
}
