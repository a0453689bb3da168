/// A request to a node.
///
/// Requests that make dqlite 1.11 close or block a connection do not exist here: HEARTBEAT and unknown numbers.
package struct WireRequest: Sendable {
  /// The maximum number of parameters of a request.
  package static let mostParameters = 255

  /// All bytes of the message.
  package let bytes: [UInt8]

  /// Creates a request of a type, whose fields the closure writes.
  package init(_ type: UInt8, _ write: (inout WireWriter) -> Void) {
    var body = WireWriter()
    write(&body)
    var message = WireWriter()
    message.write(UInt32(clamping: body.bytes.count / 8))
    message.write(UInt32(type))
    bytes = message.bytes + body.bytes
  }

  /// A request for the node that leads the cluster.
  package static let leader = WireRequest(0) { $0.write(0 as UInt64) }
  /// A request for all nodes of the cluster.
  package static let cluster = WireRequest(16) { $0.write(1 as UInt64) }

  /// A request to open a database, which must be the first on its connection and the only one of this kind.
  package static func open(_ name: String) -> WireRequest {
    WireRequest(3) {
      $0.write(name)
      // The node ignores the flags and the name of the file system.
      $0.write(0 as UInt64)
      $0.write("")
    }
  }

  /// A request to run statements that return no rows; the values belong to the first statement.
  package static func execute(_ sql: String, _ values: [WireValue] = []) -> WireRequest {
    statement(8, sql, values)
  }

  /// A request to run one statement that returns rows.
  package static func query(_ sql: String, _ values: [WireValue] = []) -> WireRequest { statement(9, sql, values) }

  private static func statement(_ type: UInt8, _ sql: String, _ values: [WireValue]) -> WireRequest {
    WireRequest(type) {
      // The number of the connection's only database.
      $0.write(0 as UInt64)
      $0.write(sql)
      $0.write(values)
    }
  }
}

/// A node of a cluster.
package struct WireNode: Hashable, Sendable {
  /// The part of a node in the cluster.
  package enum Role: UInt64, Sendable {
    /// The node stores the data, votes, and can become the leader.
    case voter
    /// The node stores the data.
    case standby
    /// The node does neither.
    case spare
  }

  /// The number of the node in its cluster.
  package let id: UInt64
  /// The address, as `host:port`.
  package let address: String
  /// The role; nil if it is unknown.
  package let role: Role?
}
