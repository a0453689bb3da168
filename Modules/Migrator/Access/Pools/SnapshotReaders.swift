internal import Dispatch

/// The readers of a pool, and the gate before them.
final class SnapshotReaders: Sendable {
  private struct State {
    var all: [SnapshotReader] = []
    var idle: [SnapshotReader] = []
    var isClosed = false

    /// The thread that keeps the readers out.
    var excluder: ThreadIdentity?
  }

  private let backend: any DatabaseBackend
  private let configuration: Configuration
  private let closedError: DatabaseError
  private let gate: AccessGate
  private let state = Lock(State())

  init(_ backend: any DatabaseBackend, configuration: Configuration, engine: String) {
    self.backend = backend
    var reading = configuration
    reading.readonly = true
    reading.journalMode = nil
    self.configuration = reading
    closedError = DatabaseError(.misuse, engine: engine, message: "the database is closed", remedy: "Open it again.")
    gate = AccessGate(capacity: configuration.maximumReaderCount)
  }

  var isReading: Bool { state.withLock { $0.all }.contains { $0.isEntered } }
  /// Whether this thread keeps the readers out.
  var isExcluding: Bool { state.withLock { $0.excluder == .current } }

  /// Reads on this thread, after waiting for a free reader.
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try gate.enter(.reader)
    defer { gate.leave(.reader) }
    let reader = try take()
    defer { giveBack(reader) }
    return try reader.read(body)
  }

  /// Reads later, on a queue of the reader.
  ///
  /// - Parameter completion: Is called when the reader is free again, on the same queue; or with `CancellationError` when
  ///   the ticket was cancelled while the access waited for its turn.
  func schedule<Value>(
    _ ticket: AccessGate.Ticket? = nil, _ body: @escaping @Sendable (Database) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    gate.request(.reader, ticket) { [self] isAdmitted in
      guard isAdmitted else { return completion(.failure(CancellationError())) }
      do {
        let reader = try take()
        reader.queue.async { [self] in
          let result = Result { try reader.read(body) }
          giveBack(reader)
          gate.leave(.reader)
          completion(result)
        }
      } catch {
        // Elsewhere, since leaving lets the next one in, whom the same awaits: many of them would exhaust this stack.
        DispatchQueue.global().async { [self] in
          gate.leave(.reader)
          completion(.failure(error))
        }
      }
    }
  }

  func cancel(_ ticket: AccessGate.Ticket) { gate.cancel(ticket) }

  /// Waits for the end of all reads, and runs `body` while no other begins.
  func excluding<Value>(_ ticket: AccessGate.Ticket? = nil, _ body: () throws -> Value) throws -> Value {
    try gate.enter(.barrier, ticket)
    state.withLock { $0.excluder = .current }
    defer {
      let readers = state.withLock { state in
        state.excluder = nil
        return state.all
      }
      for reader in readers { reader.invalidate() }
      gate.leave(.barrier)
    }
    return try body()
  }

  func interrupt() {
    for reader in state.withLock({ $0.all }) { reader.interrupt() }
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

  /// A reader for this access alone: the one used last, or else a new one; the gate admits no more than there may be.
  private func take() throws(DatabaseError) -> SnapshotReader {
    let reader: SnapshotReader? = state.withLock { state in
      guard !state.isClosed else { return nil }
      if let reader = state.idle.popLast() { return reader }
      let reader = SnapshotReader(backend, configuration: configuration)
      state.all.append(reader)
      return reader
    }
    guard let reader else { throw closedError }
    return reader
  }

  private func giveBack(_ reader: SnapshotReader) { state.withLock { $0.idle.append(reader) } }
}
