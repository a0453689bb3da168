internal import Dispatch

/// The readers of a pool, and the gate before them.
final class SnapshotReaders: Sendable {
  private struct State {
    var all: [SnapshotReader] = []
    var idle: [SnapshotReader] = []
    var isClosed = false

    /// The threads that read.
    var owners: Set<ThreadIdentity> = []
    /// The thread that keeps the readers out.
    var excluder: ThreadIdentity?
  }

  private let backend: any DatabaseBackend
  private let configuration: Configuration
  private let closedError: DatabaseError
  private let gate: AccessGate
  private let queueLabel: String
  private let state = Lock(State())

  init(_ backend: any DatabaseBackend, configuration: Configuration, engine: String) {
    self.backend = backend
    var reading = configuration
    reading.readonly = true
    reading.journalMode = nil
    self.configuration = reading
    closedError = DatabaseError(.misuse, engine: engine, message: "the database is closed", remedy: "Open it again.")
    gate = AccessGate(capacity: configuration.maximumReaderCount)
    queueLabel = "\(configuration.label ?? "database \(backend.label)") reader"
  }

  /// Whether this thread reads.
  var isReading: Bool { state.withLock { $0.owners.contains(.current) } }
  /// Whether this thread keeps the readers out.
  var isExcluding: Bool { state.withLock { $0.excluder == .current } }

  /// Reads on this thread, after waiting for its turn.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try gate.enter(.reader)
    defer { gate.leave(.reader) }
    return try readAdmitted(body)
  }

  /// Reads later, on a separate queue.
  ///
  /// - Parameter completion: Is called when the reader is free again, on the same queue; or with `CancellationError` when
  ///   the ticket was cancelled while the access waited for its turn.
  func schedule<Value>(
    _ ticket: AccessGate.Ticket? = nil, _ body: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    gate.request(.reader, ticket) { [self] isAdmitted in
      guard isAdmitted else { return completion(.failure(CancellationError())) }
      // Not on this thread, which may be that of another access that ends. And on a serial queue, which always gets a
      // thread: a concurrent one shares those of Swift's tasks, which long reads would keep from running.
      DispatchQueue(label: queueLabel).async { [self] in
        let result = Result { try readAdmitted(body) }
        gate.leave(.reader)
        completion(result)
      }
    }
  }

  func cancel(_ ticket: AccessGate.Ticket) { gate.cancel(ticket) }

  /// Waits for the end of all reads, and runs `body` while no other begins.
  func excluding<Value>(_ ticket: AccessGate.Ticket? = nil, _ body: () throws -> Value) throws -> Value {
    try gate.enter(.barrier, ticket)
    state.withLock { $0.excluder = .current }
    defer {
      state.withLock { state in
        state.excluder = nil
        // No access has one of them now.
        for reader in state.all { reader.forgetSchema() }
      }
      gate.leave(.barrier)
    }
    return try body()
  }

  func interrupt() {
    // Outside of the lock: what interrupting does is the backend's affair.
    for reader in state.withLock({ $0.all }) { reader.interrupter.interrupt() }
  }

  /// Waits for the end of the reads, and closes all readers; reads that come later fail.
  func close() throws {
    try gate.enter(.barrier)
    defer { gate.leave(.barrier) }
    let readers = state.withLock { state in
      state.isClosed = true
      state.idle = []
      defer { state.all = [] }
      return state.all
    }
    // All are closed, whatever one of them throws.
    let closings = readers.map { reader in Result { try reader.close() } }
    for closing in closings { try closing.get() }
  }

  private func readAdmitted<Value>(_ body: (Database) throws -> Value) throws -> Value {
    state.withLock { _ = $0.owners.insert(.current) }
    defer { state.withLock { _ = $0.owners.remove(.current) } }
    let reader = try take()
    defer { giveBack(reader) }
    return try reader.read(body)
  }

  /// A reader for this access alone: the one used last, or else a new one; the gate admits no more than there may be.
  private func take() throws -> SnapshotReader {
    let idle: SnapshotReader? = try state.withLock { state throws(DatabaseError) in
      guard !state.isClosed else { throw closedError }
      return state.idle.popLast()
    }
    if let idle { return idle }
    let reader = try SnapshotReader(backend, configuration: configuration)
    state.withLock { $0.all.append(reader) }
    return reader
  }

  private func giveBack(_ reader: SnapshotReader) {
    state.withLock { state in
      if reader.isUsable {
        state.idle.append(reader)
      } else {
        state.all.removeAll { $0 === reader }
      }
    }
  }
}

/// One reader of a pool: a connection that only reads.
///
/// `@unchecked Sendable` is right because all but the interrupter is touched only by the access that has taken it out
/// of ``SnapshotReaders``, which gives it to one access at a time, and hands it over under a lock.
private final class SnapshotReader: @unchecked Sendable {
  /// Stops what the reader runs, from any thread.
  let interrupter: DatabaseInterrupter
  private let database: Database
  /// The version of the schema that the connection and its cached statements know; nil when that is to be found out.
  private var schemaVersion: Int64?

  init(_ backend: any DatabaseBackend, configuration: Configuration) throws {
    database = try Database(backend, configuration: configuration)
    interrupter = database.interrupter
  }

  deinit {
    // No one is left to report to; the operating system takes back what the engine could not.
    try? database.close()
  }

  /// Whether the last transaction could be ended.
  var isUsable: Bool { !database.isInsideTransaction }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.reading { db in
      try meetSchema(of: db)
      return try body(db)
    }
  }

  func forgetSchema() { schemaVersion = nil }

  func close() throws { try database.close() }

  /// Makes sure that statements are prepared for the schema of the snapshot.
  ///
  /// It may have changed since the last access, also through a write that is no barrier, or in another process. An
  /// engine prepares statements for the schema that it read last, and notices that it is outdated only when one runs
  /// (https://www.sqlite.org/c3ref/prepare.html): until then, a statement reports the old columns.
  private func meetSchema(of db: Database) throws {
    let version = try db.connection.schemaVersion()
    guard version != schemaVersion else { return }
    db.statementCache.removeAll()
    schemaVersion = nil
    // Whatever reads the schema makes the engine read it again.
    _ = try db.connection.schema(named: nil)
    schemaVersion = version
  }
}
