internal import Dispatch

/// One reader of a pool: a connection that only reads, opened when it is first needed.
///
/// `@unchecked Sendable` is right because `database` and `schemaVersion` are touched only by the access that has taken it
/// out of ``SnapshotReaders``, which gives it to one access at a time, and hands it over under a lock.
final class SnapshotReader: @unchecked Sendable {
  /// Where the asynchronous accesses run.
  let queue: DispatchQueue

  private let backend: any DatabaseBackend
  private let configuration: Configuration
  private var database: Database?
  /// The version of the schema that the connection and its cached statements know; nil when that is to be found out.
  private var schemaVersion: Int64?
  private let state = Lock(State())

  private struct State {
    var owner: ThreadIdentity?
    var interrupter: DatabaseInterrupter?
    var isOutdated = false
  }

  init(_ backend: any DatabaseBackend, configuration: Configuration) {
    self.backend = backend
    self.configuration = configuration
    queue = DispatchQueue(label: "\(configuration.label ?? "database \(backend.label)") reader")
  }

  deinit {
    // Nobody is left to tell; the operating system gives back what the engine could not.
    try? database?.close()
  }

  var isEntered: Bool { state.withLock { $0.owner == .current } }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let isOutdated = state.withLock { state in
      defer { state.isOutdated = false }
      state.owner = .current
      return state.isOutdated
    }
    defer { state.withLock { $0.owner = nil } }
    let db = try database ?? open()
    if isOutdated { schemaVersion = nil }
    defer { closeIfUnusable(db) }
    return try db.reading { db in
      try meetSchema(of: db)
      return try body(db)
    }
  }

  /// Makes the next access forget the schema and the statements that were prepared before; from any thread.
  func invalidate() { state.withLock { $0.isOutdated = true } }

  func interrupt() {
    // Outside of the lock: what interrupting does is the backend's affair.
    state.withLock { $0.interrupter }?.interrupt()
  }

  /// Closes the connection, if there is one; another access opens it again.
  func close() throws {
    guard let database else { return }
    self.database = nil
    state.withLock { $0.interrupter = nil }
    try database.close()
  }

  private func open() throws -> Database {
    let opened = try Database(backend, configuration: configuration)
    database = opened
    schemaVersion = nil
    state.withLock { $0.interrupter = opened.interrupter }
    return opened
  }

  /// Makes sure that statements are prepared for the schema of the snapshot.
  ///
  /// It may have changed since the last access, also through a write that is no barrier, or in another process. An engine
  /// prepares statements for the schema that it read last, and finds out that it is outdated only when one runs
  /// (https://www.sqlite.org/c3ref/prepare.html): until then, a statement tells the columns that there were.
  private func meetSchema(of db: Database) throws {
    let version = try db.connection.schemaVersion()
    guard version != schemaVersion else { return }
    db.statementCache.removeAll()
    schemaVersion = nil
    // Whatever reads the schema makes the engine read it again.
    _ = try db.connection.schema(named: nil)
    schemaVersion = version
  }

  /// Closes a connection whose transaction could not be ended, so that the next access gets another one.
  private func closeIfUnusable(_ db: Database) {
    guard db.isInsideTransaction else { return }
    // It is of no use any more, whether it can be closed or not.
    try? close()
  }
}
