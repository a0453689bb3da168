/// The location of a database and the way to open it.
///
/// A backend is passed as a value; there is no registry of backends. It holds no open resource: each
/// call to ``connect(_:)`` opens a connection that the caller owns.
public protocol DatabaseBackend: Sendable {
  /// A name for the database to show to users, such as its path; it never contains a key.
  var label: String { get }

  /// Whether all connections open the same database.
  ///
  /// False if each connection opens a separate database, as for a database in memory; such a backend cannot
  /// serve a pool.
  var isShared: Bool { get }

  /// Opens a connection.
  ///
  /// On return the database has been read at least once, so a file that is damaged, encrypted with another key or not a
  /// database at all is reported here, rather than by the first statement.
  ///
  /// - Throws: ``DatabaseError`` with a condition that names the cause. A file that could not be opened is
  ///   unchanged: it is neither recreated nor truncated.
  /// - Note: May block for up to `options.busyTimeout`.
  func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection

  /// Returns a backend for a new temporary database with the same engine and settings, deleted when it is closed.
  ///
  /// The scratch database of an encrypted database never reaches the disk as plaintext.
  func scratch() throws(DatabaseError) -> any DatabaseBackend
}

/// A backend that keeps each database in a file.
///
/// Optional: the core verifies a copy of a database by opening it with a backend of this kind.
public protocol FileBackend: DatabaseBackend {
  /// Returns a backend that opens a copy of the database, in another file, with the same library, key and settings.
  func forCopy(at path: String) -> any DatabaseBackend
}

/// A backend whose databases cannot be opened by a pool.
public protocol QueueOnlyBackend: DatabaseBackend {
  /// The reason why a pool cannot open the database: one sentence without a period.
  var reasonAgainstPools: String { get }
}

/// The options with which the core opens a connection.
public struct ConnectionOptions: Sendable {
  /// Whether the connection only reads: the engine rejects every write.
  public var isReadOnly: Bool
  /// The time that a statement waits for another connection's lock before it fails as busy; zero means that it does not
  /// wait.
  public var busyTimeout: Duration
  /// The journal mode to set; nil keeps the mode of the database.
  public var journalMode: JournalMode?
  /// Whether foreign keys are enforced on this connection from its start.
  public var enforcesForeignKeys: Bool
  /// The function that says whether to wait longer for another connection's lock; a backend that waits calls it after
  /// the first second of a wait, and then before each attempt.
  package var onLockWait: (@Sendable () -> Bool)?
  /// Whether the schema in the file is trusted, for backends that can restrict it; false for a file of unknown origin
  /// that is only examined.
  ///
  /// See ``Configuration/trustsSchema``.
  package var trustsSchema = true
  /// Whether the caller guarantees that the file does not change while it is open.
  ///
  /// If so, the engine may read the file without locks, and ignore a journal or write-ahead log next to it.
  package var isUnchanging = false
  /// Whether a file that does not exist is created, unless the connection only reads.
  package var createsFile = true

  /// Creates options; the defaults are the same as in ``Configuration``.
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

/// The way in which an engine protects a transaction against a crash.
public enum JournalMode: String, Sendable, Hashable, CaseIterable {
  /// A rollback journal, deleted at each commit.
  case delete
  /// A rollback journal, truncated at each commit.
  case truncate
  /// A rollback journal, which is kept after each commit and overwritten by the next transaction.
  case persist
  /// A write-ahead log: readers do not block the writer, and the writer does not block readers.
  case wal
}
