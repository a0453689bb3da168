/// What the core asks of a connection when it opens one.
public struct ConnectionOptions: Sendable {
  /// A claim that nothing will be written: every write is refused by the engine.
  public var isReadOnly: Bool

  /// How long a statement waits for another connection's lock before it fails as busy; zero means not at all.
  public var busyTimeout: Duration

  /// The journal mode to set, or nil to keep the one that the database has.
  public var journalMode: JournalMode?

  /// Whether foreign keys are enforced on this connection from its start.
  public var enforcesForeignKeys: Bool

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
