/// A value that says where a database is and how to open it.
///
/// A backend is passed as a value; there is no registry of backends. It holds no open resource of its own: each
/// call of ``connect(_:)`` opens a connection that its caller owns.
public protocol DatabaseBackend: Sendable {
  /// The database's name for people, such as a path; it never holds a key.
  var label: String { get }

  /// Whether all connections open one and the same database.
  ///
  /// False where each connection has a database of its own, as in memory: a pool of connections makes no sense there.
  var isShared: Bool { get }

  /// Opens a connection.
  ///
  /// On return the database has been read at least once, so that a file that is damaged, encrypted with another key
  /// or not a database at all is reported here and not by the first statement.
  ///
  /// - Throws: ``DatabaseError`` with a condition that tells the causes apart. A file that could not be opened is
  ///   left as it was: it is neither created anew nor truncated.
  /// - Note: May block for as long as `options.busyTimeout`.
  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection

  /// An empty throw-away database of the same engine and settings, gone when its connection is closed.
  ///
  /// The scratch database of an encrypted database never reaches the disk as plaintext.
  func scratch() throws(DatabaseError) -> any DatabaseBackend
}

/// A backend that keeps each database in a file.
///
/// An ability: a backend that has it gets the copies of its databases verified by opening them.
public protocol FileBackend: DatabaseBackend {
  /// The same backend for a copy of the database in another file: with its library, its key and its settings.
  func forCopy(at path: String) -> any DatabaseBackend
}

/// The options with which the core opens a connection.
public struct ConnectionOptions: Sendable {
  /// A claim that nothing will be written: every write is refused by the engine.
  public var isReadOnly: Bool
  /// How long a statement waits for another connection's lock before it fails as busy; zero means not at all.
  public var busyTimeout: Duration
  /// The journal mode to set, or nil to keep the one that the database has.
  public var journalMode: JournalMode?
  /// Whether foreign keys are enforced on this connection from its start.
  public var enforcesForeignKeys: Bool
  /// Is called once a statement has waited for another connection's lock for a second, by backends that can.
  package var onLockWait: (@Sendable () -> Void)?

  /// Creates options; the defaults are those of ``Configuration``.
  public init(
    isReadOnly: Bool = false, busyTimeout: Duration = .seconds(5), journalMode: JournalMode? = nil,
    enforcesForeignKeys: Bool = true
  ) {
    self.isReadOnly = isReadOnly
    self.busyTimeout = busyTimeout
    self.journalMode = journalMode
    self.enforcesForeignKeys = enforcesForeignKeys
  }
}

/// How an engine protects a transaction against a crash.
public enum JournalMode: String, Sendable, Hashable, CaseIterable {
  /// A rollback journal, deleted at each commit.
  case delete
  /// A rollback journal, truncated at each commit.
  case truncate
  /// A rollback journal, kept and overwritten.
  case persist
  /// A write-ahead log: readers do not block the writer, nor the writer them.
  case wal
}
