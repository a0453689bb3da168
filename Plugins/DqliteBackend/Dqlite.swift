package import DqliteWire
public import Migrator

/// A database of a dqlite cluster: SQLite replicated across machines.
///
///     let dbQueue = try DatabaseQueue(Dqlite(addresses: ["10.0.0.1:9001", "10.0.0.2:9001"], database: "app"))
///
/// Connections always use the leader of the cluster, and find the new one after an election. They are neither encrypted
/// nor authenticated: use them in trusted networks only.
public struct Dqlite: QueueOnlyBackend {
  /// The addresses of nodes, as `host:port`; one that runs is enough to find the others.
  public let addresses: [String]
  /// The name of the database, which is created when it is first opened.
  public let database: String
  /// Receives the leader's address and each request before it is sent, from the opening of the database on.
  package var willSend: (@Sendable (_ address: String, WireRequest) -> Void)?

  /// The time for receiving the rows of a query that are not read; then the connection is closed.
  package var patienceWithRows = Duration.seconds(5)

  /// Describes a database of a cluster.
  public init(addresses: [String], database: String) {
    self.addresses = addresses
    self.database = database
  }

  /// The addresses and the name, as the tool accepts them: `dqlite:10.0.0.1:9001,10.0.0.2:9001/app`.
  public var label: String { "dqlite:\(addresses.joined(separator: ","))/\(database)" }

  /// Whether all connections open the same database, which is always true.
  public var isShared: Bool { true }

  /// The reason why a pool cannot open the database: its readers would wait for each other on the leader.
  public var reasonAgainstPools: String {
    "a pool would not read faster: the leader of a cluster runs one statement at a time, and followers answer no queries"
  }

  /// Opens a connection to the leader.
  ///
  /// - Throws: ``DatabaseError`` as `.cannotOpen` if no leader is found, `.unsupported` for a journal mode other than WAL,
  ///   and `.misuse` for a name or a list of addresses that cannot be used.
  public func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    try connect(options, erasesOnClose: false)
  }

  /// Returns a database with a random name in the same cluster; it is emptied when it is closed.
  ///
  /// A cluster cannot delete a database: an empty one remains.
  public func scratch() throws(DatabaseError) -> any DatabaseBackend { DqliteScratch(cluster: addresses) }

  func connect(_ options: ConnectionOptions, erasesOnClose: Bool) throws(DatabaseError) -> any DatabaseConnection {
    // dqlite 1.11 ends when it opens one of these.
    guard !database.isEmpty, database != ":memory:", !database.utf8.starts(with: "file:".utf8),
      !database.utf8.contains(0)
    else {
      throw DqliteError.make(
        .misuse, "\"\(database)\" cannot be the name of a database of a cluster", remedy: "Use a name such as \"app\".")
    }
    guard !addresses.isEmpty else {
      throw DqliteError.make(.misuse, "no addresses were given", remedy: "Pass the address of at least one node.")
    }
    if let address = addresses.first(where: { !$0.contains(":") }) {
      throw DqliteError.make(
        .misuse, "\"\(address)\" is not the address of a node", remedy: "Write it as host:port, such as 10.0.0.1:9001.")
    }
    if let mode = options.journalMode, mode != .wal {
      throw DqliteError.make(
        .unsupported, "the databases of a cluster have the journal mode wal, and not \(mode.rawValue)",
        remedy: "Do not set the journal mode.")
    }
    var search = LeaderSearch(addresses)
    search.willSend = willSend
    search.patienceWithRows = patienceWithRows
    return try DqliteConnection(database, search, options, erasesOnClose: erasesOnClose)
  }
}

/// A database of a cluster for each connection, emptied when the connection closes.
private struct DqliteScratch: DatabaseBackend {
  let cluster: [String]

  var label: String { "a temporary database of \(cluster.joined(separator: ", "))" }
  var isShared: Bool { false }

  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
    let name = "migrator-scratch-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    return try Dqlite(addresses: cluster, database: name).connect(options, erasesOnClose: true)
  }

  func scratch() throws(DatabaseError) -> any DatabaseBackend { self }
}
