/// The settings with which a database is opened and used.
public struct Configuration: Sendable {
  /// The behavior of a statement when another connection holds a lock that the statement needs.
  public enum BusyMode: Sendable, Equatable {
    /// Fails at once.
    case immediateError
    /// Waits for up to this duration, then fails.
    case timeout(Duration)
  }

  /// Whether foreign keys are enforced; true by default.
  public var foreignKeysEnabled = true
  /// Whether every write is rejected; false by default.
  public var readonly = false
  /// A name for the database's queues, shown in debuggers; nil lets the backend choose.
  public var label: String?
  /// The behavior when another connection holds a lock; by default, a statement waits for up to 5 seconds.
  public var busyMode = BusyMode.timeout(.seconds(5))
  /// The journal mode to set when the database is opened; nil keeps the mode of the file.
  public var journalMode: JournalMode?
  /// The maximum number of readers that a pool uses at the same time; 5 by default.
  public var maximumReaderCount = 5
  /// Whether errors show the values bound to a statement; false by default, since values may be private.
  public var publicStatementArguments = false
  /// The function that says whether to wait longer for another connection's lock; called on the waiting thread, after the
  /// first second of a wait and then before each attempt.
  package var onLockWait: (@Sendable () -> Bool)?
  /// Whether the schema in the file is trusted; false to examine a file of unknown origin.
  ///
  /// Definitions in an untrusted schema cannot use functions and virtual tables that may have side effects
  /// (https://www.sqlite.org/pragma.html#pragma_trusted_schema).
  package var trustsSchema = true
  /// Whether the caller guarantees that the file does not change while it is open.
  ///
  /// If so, the engine reads the file without locks, and ignores a journal or write-ahead log next to it
  /// (`immutable` in https://www.sqlite.org/uri.html).
  package var isUnchanging = false
  /// The functions that prepare each connection, in the order in which they were added.
  package private(set) var preparations: [@Sendable (Database) throws -> Void] = []

  /// Creates the default configuration.
  public init() {}

  /// Adds a function that runs on each connection when it is opened, before any other access.
  ///
  /// - Parameter setup: The function, called outside a transaction; if it throws, opening fails.
  public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(setup)
  }

  var connectionOptions: ConnectionOptions {
    let timeout: Duration =
      switch busyMode {
      case .immediateError: .zero
      case .timeout(let timeout): timeout
      }
    var options = ConnectionOptions(
      isReadOnly: readonly, busyTimeout: timeout, journalMode: journalMode,
      enforcesForeignKeys: foreignKeysEnabled)
    options.onLockWait = onLockWait
    options.trustsSchema = trustsSchema
    options.isUnchanging = isUnchanging
    return options
  }
}
