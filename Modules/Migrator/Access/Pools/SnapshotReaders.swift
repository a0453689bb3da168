internal import Dispatch

/// The readers of a pool, and the gate that admits them.
final class SnapshotReaders: Sendable {
  private struct State {
    var all: [SnapshotReader] = []
    var idle: [SnapshotReader] = []
    var isClosed = false

    /// The threads that are reading.
    var owners: Set<ThreadIdentity> = []
    /// The thread that excludes readers; nil if there is none.
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

  var isReading: Bool { state.withLock { $0.owners.contains(.current) } }
  var isExcluding: Bool { state.withLock { $0.excluder == .current } }

  /// Reads on this thread, after waiting for a free reader.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try gate.enter(.reader)
    defer { gate.leave(.reader) }
    return try readAdmitted(body)
  }

  /// Schedules a read on a separate queue.
  ///
  /// - Parameter completion: Called on the same queue once the reader is free again, or with `CancellationError` if
  ///   the ticket was canceled while the access waited.
  func schedule<Value>(
    _ ticket: AccessGate.Ticket? = nil, _ body: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    gate.request(.reader, ticket) { [self] isAdmitted in
      guard isAdmitted else { return completion(.failure(CancellationError())) }
      // Not on this thread, which may belong to another access that is ending. A serial queue always gets a thread; a
      // concurrent queue shares the threads of Swift tasks, which long reads would block.
      DispatchQueue(label: queueLabel).async { [self] in
        let result = Result { try readAdmitted(body) }
        gate.leave(.reader)
        completion(result)
      }
    }
  }

  func cancel(_ ticket: AccessGate.Ticket) { gate.cancel(ticket) }

  /// Waits until all reads end, then runs `body` while later reads wait.
  func excluding<Value>(_ ticket: AccessGate.Ticket? = nil, _ body: () throws -> Value) throws -> Value {
    try gate.enter(.barrier, ticket)
    state.withLock { $0.excluder = .current }
    defer {
      state.withLock { state in
        state.excluder = nil
        // No access is using any of the readers now.
        for reader in state.all { reader.forgetSchema() }
      }
      gate.leave(.barrier)
    }
    return try body()
  }

  func interrupt() {
    // Outside the lock: interrupting calls the backend's code.
    for reader in state.withLock({ $0.all }) { reader.interrupter.interrupt() }
  }

  /// Waits until the reads end, and closes all readers; later reads fail.
  func close() throws {
    try gate.enter(.barrier)
    defer { gate.leave(.barrier) }
    let readers = state.withLock { state in
      state.isClosed = true
      state.idle = []
      defer { state.all = [] }
      return state.all
    }
    // Closes all readers even if one of them throws.
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

  /// Returns a reader that no other access uses: the most recently used idle reader, or a new one.
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

/// One reader of a pool: a read-only connection.
///
/// `@unchecked Sendable` is correct because only the access that has taken the reader out of ``SnapshotReaders``
/// uses any property other than the interrupter. `SnapshotReaders` passes a reader to one access at a time, under a
/// lock.
private final class SnapshotReader: @unchecked Sendable {
  /// The interrupter of the reader's statements; any thread may use it.
  let interrupter: DatabaseInterrupter
  private let database: Database
  /// The version of the schema that the connection and its cached statements use; nil if it must be read again.
  private var schemaVersion: Int64?

  init(_ backend: any DatabaseBackend, configuration: Configuration) throws {
    database = try Database(backend, configuration: configuration)
    interrupter = database.interrupter
  }

  deinit {
    // There is no caller to report the error to; the operating system releases the remaining resources.
    try? database.close()
  }

  /// Whether the last transaction has ended, so that the connection can be used again.
  var isUsable: Bool { !database.isInsideTransaction }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try database.reading { db in
      try meetSchema(of: db)
      return try body(db)
    }
  }

  func forgetSchema() { schemaVersion = nil }

  func close() throws { try database.close() }

  /// Ensures that statements are prepared with the schema of the snapshot.
  ///
  /// An engine prepares statements with the schema that it read last, and notices a schema change only when a statement
  /// runs (https://www.sqlite.org/c3ref/prepare.html): until then, the statement reports the old columns.
  private func meetSchema(of db: Database) throws {
    let version = try db.connection.schemaVersion()
    guard version != schemaVersion else { return }
    db.statementCache.removeAll()
    schemaVersion = nil
    // Any statement that reads the schema makes the engine reload it.
    _ = try db.connection.schema(named: nil)
    schemaVersion = version
  }
}
