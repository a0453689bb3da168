import DqliteWire
import TestCluster
import Testing

@Suite("A conversation with a real node")
struct NodeTests {
  @Test("The leader is found, a database is opened, and rows are returned")
  func conversation() async throws {
    let cluster = try await TestCluster(nodeCount: 1)
    let node = try LeaderSearch(cluster.addresses).find(within: TestCluster.patience)
    _ = try node.call(.open("test"))
    _ = try node.call(.execute("CREATE TABLE t (a)"))
    guard
      case .result(let rowID, let changes) = try node.call(
        .execute("INSERT INTO t VALUES (?), (?)", [.null, .real(2)]))
    else { throw WireError.malformed("no result") }
    #expect(rowID == 2)
    #expect(changes == 2)
    guard case .rows(let rows) = try node.call(.query("SELECT a FROM t ORDER BY rowid")) else {
      throw WireError.malformed("no rows")
    }
    #expect(rows.values == [.null, .real(2)])
    #expect(throws: WireError.failure(code: 1, message: "no such table: u")) {
      try node.call(.query("SELECT * FROM u"))
    }
  }

  @Test("A node that is killed closes the connection, and another one leads soon")
  func killed() async throws {
    let cluster = try await TestCluster()
    let leader = try cluster.leader()
    let node = try NodeConnection(to: leader.address, within: TestCluster.patience)
    leader.kill()
    #expect(throws: WireError.self) { try node.call(.leader) }
    let next = try LeaderSearch(cluster.addresses).find(within: TestCluster.patience)
    #expect(next.address != leader.address)
  }

  @Test("An answer that does not come ends with the timeout")
  func silence() async throws {
    let cluster = try await TestCluster(nodeCount: 1)
    let node = try NodeConnection(to: cluster.nodes[0].address, within: TestCluster.patience)
    cluster.nodes[0].halt()
    node.timeout = .milliseconds(300)
    #expect(throws: WireError.lost("the node did not answer in time")) { try node.call(.leader) }
  }
}
