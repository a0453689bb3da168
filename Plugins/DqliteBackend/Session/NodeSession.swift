internal import DqliteWire
internal import SQLiteDialect

/// A database that is open on one connection to the leader.
final class NodeSession {
  private let node: NodeConnection
  private let leadership: Leadership
  /// The rows that the node is still sending.
  private weak var rows: RowStream?
  private let patienceWithRows: Duration

  /// Searches the leader and opens a database, which is created if it does not exist.
  init(_ database: String, _ search: LeaderSearch, within limit: Duration) throws(WireError) {
    node = try search.find(within: limit)
    leadership = Leadership(of: node.address, voters: try node.voters())
    node.timeout = NodeConnection.patience
    node.isAbandoned = { [leadership] in leadership.isReplaced() }
    node.willSend = search.willSend
    patienceWithRows = search.patienceWithRows
    _ = try node.call(.open(database))
  }

  var voters: [String] { leadership.voters }

  /// Whether the node has closed the connection.
  var hasEnded: Bool { rows == nil && node.hasEnded }

  /// Throws if the node no longer leads, and its last answer may be outdated.
  func requireLeadership() throws(WireError) {
    guard leadership.isConfirmed() else {
      throw WireError.unreachable("most of the nodes do not confirm that \(node.address) leads")
    }
  }

  func execute(
    _ sql: String, _ values: [WireValue] = []
  ) throws(WireError) -> (lastRowID: Int64, changes: Int64) {
    rows?.receiveAll()
    guard case .result(let lastRowID, let changes) = try node.call(.execute(sql, values)) else {
      throw WireError.malformed("an unexpected answer to a statement")
    }
    return (lastRowID, changes)
  }

  /// Runs a query up to its first rows.
  func query(_ sql: String, _ values: [WireValue] = []) throws(WireError) -> RowStream {
    rows?.receiveAll()
    let stream = try RowStream(node, .query(sql, values), patience: patienceWithRows)
    rows = stream
    return stream
  }

  func sends(_ rows: RowStream) -> Bool { rows.node === node }

  func close() { node.close() }
}

/// The rows of one query.
///
/// The node sends nothing else before it has sent all rows. If another request comes first, the remaining rows are read
/// into memory.
final class RowStream {
  /// The message that contains the current row.
  private(set) var message: WireRows
  /// The number of the current row in its message.
  private var row = -1
  /// The messages that were received early.
  private var later: [WireRows] = []
  /// The error that ended the query early.
  private var failure: WireError?
  private var isComplete: Bool
  fileprivate let node: NodeConnection
  /// The time for receiving rows that are not read.
  private let patience: Duration

  init(_ node: NodeConnection, _ request: WireRequest, patience: Duration) throws(WireError) {
    self.node = node
    self.patience = patience
    guard case .rows(let rows) = try node.call(request) else {
      throw WireError.malformed("an unexpected answer to a query")
    }
    message = rows
    isComplete = rows.isLast
    try Self.check(rows, node)
  }

  // The node sends the remaining rows before it reads another request. Only closing the connection stops a query with
  // very many rows; an open transaction is lost then.
  deinit {
    let deadline = ContinuousClock.now + patience
    while !isComplete {
      guard ContinuousClock.now < deadline, case .rows(let rows)? = try? node.receive() else { return node.close() }
      isComplete = rows.isLast
    }
  }

  var columns: [String] { message.columns }

  /// Moves to the next row; returns false after the last.
  func next() throws(WireError) -> Bool {
    row += 1
    while row >= message.count {
      if later.isEmpty {
        if let failure { throw failure }
        guard !isComplete else { return false }
        receive()
      } else {
        message = later.removeFirst()
        row = 0
      }
    }
    return true
  }

  func value(_ column: Int) -> WireRows.Value {
    guard row >= 0, row < message.count, message.columns.indices.contains(column) else { return .null }
    return message.values[row * message.columns.count + column]
  }

  /// The instruction that the current row of EXPLAIN describes (https://www.sqlite.org/lang_explain.html); nil for any
  /// other row.
  var instruction: StatementProgram.Instruction? {
    guard case .text(let name) = value(1), case .integer(let p1) = value(2), case .integer(let p2) = value(3),
      case .integer(let p3) = value(4)
    else { return nil }
    let p4 = if case .text(let range) = value(5) { message.body.text(range) } else { "" }
    let p5: Int64 = if case .integer(let number) = value(6) { number } else { 0 }
    return StatementProgram.Instruction(message.body.text(name), p1, p2, p3, p4, p5)
  }

  /// Reads all remaining messages into memory.
  func receiveAll() {
    while !isComplete { receive() }
  }

  private func receive() {
    do throws(WireError) {
      guard case .rows(let rows) = try node.receive() else {
        throw WireError.malformed("an unexpected answer to a query")
      }
      isComplete = rows.isLast
      try Self.check(rows, node)
      later.append(rows)
    } catch {
      failure = error
      isComplete = true
    }
  }

  /// Throws for a message without rows that is not the last: the names fill it, and such messages never end.
  private static func check(_ rows: WireRows, _ node: NodeConnection) throws(WireError) {
    guard rows.count == 0, !rows.isLast else { return }
    node.close()
    throw WireError.namesTooLong
  }
}
