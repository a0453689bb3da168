internal import DqliteWire
internal import Migrator
internal import SQLiteDialect

/// A database on whichever node leads: connects again when the leader has changed, but never inside a transaction.
final class DqliteSession {
  /// The effect of a statement on transactions.
  enum Effect: Equatable {
    /// Compiles a statement, and reads no data.
    case inspects
    /// May read the database.
    case reads
    /// Reads the database, so that a transaction sees no later change of other connections.
    case readsDatabase
    case writes, begins, commits, rollsBack, opensSavepoint, releases
    /// Writes to `sqlite_schema`, the table of definitions, or to an unknown table.
    case writesSchema
    /// Changes a setting of the connection, which is made again on each new connection.
    case sets(name: String)
  }

  private let database: String
  private var search: LeaderSearch
  private let options: ConnectionOptions
  private var node: NodeSession?
  private var isClosed = false
  /// Whether the last search found no leader: the next one only asks each node once.
  private var hasSearchFailed = false

  private var settings: ConnectionSettings
  private(set) var connectionCount: Int64 = 0
  /// Whether a transaction is open; nil if only the node knows.
  private var isOpen: Bool? = false
  /// Whether a transaction was lost with its connection, and the caller has not ended it yet.
  ///
  /// Until then nothing runs: the remaining statements of the transaction would take effect one by one.
  private(set) var hasLostTransaction = false
  /// Whether the node led when the transaction first read the database.
  private var isSnapshotConfirmed = false
  /// Whether a savepoint opened the transaction, so that releasing it commits.
  private var isOpenedBySavepoint = false
  /// Whether the transaction has changed the schema without SQLite's checks.
  private var hasUncheckedSchema = false
  /// A number that increases whenever the names of columns may have changed.
  private(set) var schemaGeneration = 0
  /// The version of the schema when it was last read, and whether the current transaction has read it.
  private var schemaVersion: Int64?
  private var isSchemaCurrent = false
  private(set) var lastInsertedRowID: Int64 = 0
  private(set) var changesCount = 0
  /// The rows changed on earlier connections, and on this one up to the last time that the node was asked.
  private var (earlierChanges, currentChanges, isCountCurrent) = (0, 0, true)

  init(_ database: String, _ search: LeaderSearch, _ options: ConnectionOptions) {
    self.database = database
    self.search = search
    self.options = options
    settings = ConnectionSettings(options)
  }

  func close() {
    node?.close()
    node = nil
    isClosed = true
    isOpen = false
  }

  // MARK: Running

  /// Runs a statement that returns no rows.
  func execute(
    _ sql: String, _ effect: Effect, _ values: [WireValue] = [], changesSchema: Bool = false
  ) throws(DatabaseError) {
    if effect == .rollsBack, hasLostTransaction {
      hasLostTransaction = false
      return
    }
    if effect == .writes || effect == .writesSchema { isCountCurrent = false }
    if effect == .sets(name: "query_only"), options.isReadOnly {
      throw DqliteError.make(.readOnly, "the connection was opened for reading only", sql: sql)
    }
    if effect == .writesSchema, settings.allowsSchemaEditing {
      guard isInsideTransaction else { return try executeChecked(sql, values, changesSchema: changesSchema) }
      hasUncheckedSchema = true
    }
    try protectSchema(effect, sql)
    let result = try perform(sql, effect) { (node) throws(WireError) in try node.execute(sql, values) }
    lastInsertedRowID = result.lastRowID
    changesCount = Int(result.changes)
    if changesSchema || effect == .rollsBack { schemaGeneration += 1 }
    noteTransaction(effect)
  }

  /// Runs a statement that may write to `sqlite_schema` in a transaction of its own, whose schema is checked.
  private func executeChecked(_ sql: String, _ values: [WireValue], changesSchema: Bool) throws(DatabaseError) {
    try execute("BEGIN IMMEDIATE", .begins)
    do throws(DatabaseError) {
      try execute(sql, .writesSchema, values, changesSchema: changesSchema)
      try execute("COMMIT", .commits)
    } catch {
      // An error must not hide the first one; a transaction that cannot be rolled back ends with its connection.
      do throws(DatabaseError) { try rollback() } catch { drop() }
      hasLostTransaction = false
      throw error
    }
  }

  /// Throws if the statement would commit a schema that SQLite cannot parse.
  ///
  /// With `PRAGMA writable_schema = ON`, SQLite does not check changes of the schema. After each commit, each node parses
  /// it; nodes of dqlite 1.11 end if they cannot, and again when they are restarted.
  private func protectSchema(_ effect: Effect, _ sql: String) throws(DatabaseError) {
    guard hasUncheckedSchema, effect == .commits || effect == .releases && isOpenedBySavepoint else { return }
    // Discards the parsed schema, and turns the setting off.
    try execute("PRAGMA writable_schema = RESET", .reads)
    let reading = Result { () throws(DatabaseError) in
      _ = try query("SELECT 1 FROM sqlite_master LIMIT 0", [], .reads)
    }
    if let setting = settings["writable_schema"] { try execute(setting, .reads) }
    do throws(DatabaseError) {
      try reading.get()
    } catch {
      guard error.condition == .corrupt || error.condition == .statement else { throw error }
      throw DqliteError.make(
        .corrupt, "the transaction leaves a schema that would end the nodes of the cluster: \(error.message)",
        remedy: "Roll back, and correct the definitions.", sql: sql)
    }
  }

  private func noteTransaction(_ effect: Effect) {
    switch effect {
    case .begins: (isOpen, isOpenedBySavepoint, hasUncheckedSchema) = (true, false, false)
    case .commits, .rollsBack: (isOpen, hasUncheckedSchema) = (false, false)
    case .opensSavepoint:
      if isOpen == false { (isOpenedBySavepoint, hasUncheckedSchema) = (true, false) }
      isOpen = true
    case .releases: if isOpenedBySavepoint { isOpen = nil }
    case .inspects, .reads, .readsDatabase, .writes, .writesSchema, .sets: break
    }
  }

  /// Runs a query up to its first rows.
  func query(
    _ sql: String, _ values: [WireValue] = [], _ effect: Effect = .inspects
  ) throws(DatabaseError) -> RowStream {
    try perform(sql, effect) { (node) throws(WireError) in try node.query(sql, values) }
  }

  func remember(_ sql: String, _ name: String) {
    // The first one has no effect inside a transaction, and the second one only until its end.
    if name == "foreign_keys" && isOpen != false || name == "defer_foreign_keys" { return }
    settings[name] = sql
  }

  /// Notices whether another connection has changed the schema; asks the node once in each transaction.
  ///
  /// A node sends the names of a query's columns before SQLite notices the change, and compiles the query again.
  func updateSchema() throws(DatabaseError) {
    guard !isSchemaCurrent || !isInsideTransaction else { return }
    let sql = "PRAGMA main.schema_version"
    let rows = try query(sql, [], .readsDatabase)
    guard try next(rows, sql), case .integer(let version) = rows.value(0) else { return }
    isSchemaCurrent = true
    guard version != schemaVersion else { return }
    schemaVersion = version
    schemaGeneration += 1
    // Makes the node read the schema again.
    _ = try query("SELECT 1 FROM sqlite_master LIMIT 0")
  }

  /// Moves to the next row of a query; returns false after the last.
  func next(_ rows: RowStream, _ sql: String) throws(DatabaseError) -> Bool {
    do throws(WireError) {
      return try rows.next()
    } catch {
      // The rows of an earlier connection, which is lost, say nothing about the current one.
      guard let node, node.sends(rows) else { throw DqliteError.running(error, sql) }
      throw failed(error, sql, .reads)
    }
  }

  /// Whether a transaction is open, also if it was lost with its connection; asks the node after errors, which may have
  /// ended it.
  var isInsideTransaction: Bool {
    if hasLostTransaction { return true }
    if let isOpen { return isOpen }
    do throws(WireError) {
      guard let node else { return false }
      // Fails exactly if a transaction is open.
      _ = try node.execute("BEGIN; ROLLBACK")
      isOpen = false
    } catch {
      if case .failure(code: 1, _) = error {
        isOpen = true
      } else {
        drop()
      }
    }
    return hasLostTransaction || isOpen == true
  }

  /// Ends the open transaction; does nothing if none is open, or if it was lost.
  func rollback() throws(DatabaseError) {
    if isInsideTransaction { try execute("ROLLBACK", .rollsBack) }
  }

  /// The number of rows changed since the session began; the last known number if the node does not answer.
  var totalChangesCount: Int {
    if !isCountCurrent, let node, let rows = try? node.query("SELECT total_changes()"), (try? rows.next()) == true,
      case .integer(let count) = rows.value(0)
    {
      // Within a range in which sums and differences cannot overflow, whatever the node answers.
      (currentChanges, isCountCurrent) = (Int(min(max(count, 0), 1 << 48)), true)
    }
    return earlierChanges + currentChanges
  }

  // MARK: Connecting

  /// Runs a statement, and remembers it if it changes a setting.
  ///
  /// It is remembered first: if the node is lost and no other one leads, the next connection makes the setting.
  private func perform<Value>(
    _ sql: String, _ effect: Effect, _ body: (NodeSession) throws(WireError) -> Value
  ) throws(DatabaseError) -> Value {
    if effect == .begins { hasLostTransaction = false }
    guard case .sets(let name) = effect else { return try repeatedly(sql, effect, body) }
    let (earlier, isInside) = (settings[name], isInsideTransaction)
    remember(sql, name)
    do throws(DatabaseError) {
      return try repeatedly(sql, effect, body)
    } catch {
      if isInside || ![.connectionLost, .cannotOpen].contains(error.condition) { settings[name] = earlier }
      throw error
    }
  }

  private func repeatedly<Value>(
    _ sql: String, _ effect: Effect, _ body: (NodeSession) throws(WireError) -> Value
  ) throws(DatabaseError) -> Value {
    var busy = BusyRetry(options)
    var redials = 0
    while true {
      let node = try openNode()
      // Asks the node if only the node knows: the outcome of a lost request depends on it.
      let wasOutside = !isInsideTransaction
      do throws(WireError) {
        let value = try body(node)
        try confirm(effect, on: node, wasOutside: wasOutside)
        return value
      } catch {
        if error.isBusy, busy.wait() { continue }
        let result = failed(error, sql, effect)
        guard wasOutside, isRepeatable(effect, after: error, redials) else { throw result }
        redials += 1
      }
    }
  }

  /// Throws if the node no longer leads, and what it has answered may be outdated.
  ///
  /// A commit proves that the node leads. Other statements outside a transaction are confirmed, and a transaction when it
  /// begins, and again when it has read the database for the first time.
  private func confirm(_ effect: Effect, on node: NodeSession, wasOutside: Bool) throws(WireError) {
    if wasOutside {
      (isSnapshotConfirmed, isSchemaCurrent) = (false, false)
      let isUnproven = [.inspects, .reads, .readsDatabase, .begins, .opensSavepoint].contains(effect)
      if isUnproven { try node.requireLeadership() }
    } else if !isSnapshotConfirmed, effect == .reads || effect == .readsDatabase {
      try node.requireLeadership()
      isSnapshotConfirmed = effect == .readsDatabase
    }
  }

  private func isRepeatable(_ effect: Effect, after error: WireError, _ redials: Int) -> Bool {
    guard redials < Self.mostRedials, error != .namesTooLong else { return false }
    // Nothing was done, or only a transaction was begun or a setting made on a connection that no longer exists.
    if error.wasNotRun { return true }
    switch effect {
    case .begins, .sets: return error.endsSession
    // A read whose node was lost is repeated once only: it may itself have ended the node.
    case .inspects, .reads, .readsDatabase: return error.isLeadershipLost || error.endsSession && redials == 0
    case .writes, .writesSchema, .commits, .rollsBack, .opensSavepoint, .releases: return false
    }
  }

  private static let mostRedials = 10

  /// The minimum time to search the leader: an election takes up to six seconds with the default timeouts of dqlite.
  private static let searchTime = Duration.seconds(10)

  private func openNode() throws(DatabaseError) -> NodeSession {
    guard !isClosed else { throw DqliteError.make(.misuse, "the connection is closed") }
    guard !hasLostTransaction else {
      throw DqliteError.make(
        .connectionLost, "the transaction was lost with its connection",
        remedy: "Roll back, and run the transaction again.")
    }
    if let node {
      guard isOpen == false, node.hasEnded else { return node }
      drop()
    }
    let deadline = ContinuousClock.now + (hasSearchFailed ? .zero : max(options.busyTimeout, Self.searchTime))
    while true {
      do throws(WireError) {
        let opened = try NodeSession(database, search, within: max(deadline - .now, .zero))
        try settings.make(on: opened)
        connectionCount += 1
        node = opened
        hasSearchFailed = false
        return opened
      } catch {
        // The leader may be lost at this moment, too.
        if error.endsSession, .now < deadline {
          NodeConnection.pause(.milliseconds(20))
          continue
        }
        // A failure is the answer of a leader.
        if case .failure = error, !error.endsSession { throw DqliteError.running(error, nil) }
        hasSearchFailed = true
        throw DqliteError.opening(error, search.addresses)
      }
    }
  }

  /// Notes an error, and returns it as the core knows it.
  private func failed(_ error: WireError, _ sql: String, _ effect: Effect) -> DatabaseError {
    let mayHaveCommitted: Bool
    switch effect {
    case .commits: mayHaveCommitted = true
    case .writes, .writesSchema: mayHaveCommitted = isOpen == false
    case .releases: mayHaveCommitted = isOpenedBySavepoint
    case .inspects, .reads, .readsDatabase, .sets, .begins, .rollsBack, .opensSavepoint: mayHaveCommitted = false
    }
    // The memory of a node that could not replicate a commit may differ from what the cluster stores.
    if error.endsSession || mayHaveCommitted && error.isOutcomeUnknown {
      drop()
    } else if isOpen == true, !error.isBusy, !error.isRow {
      isOpen = nil
    }
    return DqliteError.running(error, sql, mayHaveCommitted: mayHaveCommitted, endsTransaction: hasLostTransaction)
  }

  private func drop() {
    if let node { search.members = node.voters }
    node?.close()
    node = nil
    if isOpen != false { hasLostTransaction = true }
    isOpen = false
    earlierChanges += currentChanges
    (currentChanges, isCountCurrent) = (0, true)
    schemaGeneration += 1
  }
}

/// Waits until another connection has released its lock: a node never waits itself, but answers immediately.
private struct BusyRetry {
  private let timeout: Duration
  private let onLockWait: (@Sendable () -> Bool)?
  private let start = ContinuousClock.now
  private var attempts = 0

  init(_ options: ConnectionOptions) {
    timeout = options.busyTimeout
    onLockWait = options.onLockWait
  }

  /// Waits briefly; returns false when the busy timeout has passed.
  mutating func wait() -> Bool {
    let waited = ContinuousClock.now - start
    guard waited < timeout else { return false }
    if let onLockWait, waited >= .seconds(1), !onLockWait() { return false }
    attempts += 1
    // Random, so that many connections do not ask at the same moments.
    let longest = min(attempts, 25) * 1000
    NodeConnection.pause(.microseconds(Int.random(in: longest / 2...longest)))
    return true
  }
}
