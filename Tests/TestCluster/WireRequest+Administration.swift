package import DqliteWire

/// The requests that only tests send.
extension WireRequest {
  /// Whether the request commits a transaction.
  package var commits: Bool { bytes == WireRequest.execute("COMMIT").bytes }

  /// A request to add a node to the cluster, with the role of a spare.
  package static func add(_ id: UInt64, _ address: String) -> WireRequest {
    WireRequest(12) {
      $0.write(id)
      $0.write(address)
    }
  }

  /// A request to change the role of a node.
  package static func assign(_ id: UInt64, _ role: WireNode.Role) -> WireRequest {
    WireRequest(13) {
      $0.write(id)
      $0.write(role.rawValue)
    }
  }

  /// A request for the files of a database as a node stores them: the database and its write-ahead log.
  package static func dump(_ name: String) -> WireRequest { WireRequest(15) { $0.write(name) } }

  /// A request to transfer the leadership to a node.
  package static func transfer(_ id: UInt64) -> WireRequest { WireRequest(17) { $0.write(id) } }
}
