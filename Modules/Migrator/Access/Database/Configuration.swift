/// How a database is opened and used.
public struct Configuration: Sendable {
  /// What a statement does when another connection holds a lock that it needs.
  public enum BusyMode: Sendable, Hashable {
    /// Fails at once.
    case immediateError
    /// Waits for so long, then fails.
    case timeout(Duration)
  }

  /// Whether foreign keys are enforced; true unless changed.
  public var foreignKeysEnabled = true
  /// Whether every write is refused; false unless changed.
  public var readonly = false
  /// A name for the database's queues, seen in debuggers; nil leaves it to the backend.
  public var label: String?
  /// What happens when a lock is held elsewhere; unless changed, a statement waits for up to 5 seconds.
  public var busyMode = BusyMode.timeout(.seconds(5))
  /// The journal mode to set when the database is opened, nil to keep the one that it has.
  public var journalMode: JournalMode?
  /// How many readers a pool may use at the same time; 5 unless changed.
  public var maximumReaderCount = 5
  /// Whether errors show the values that were bound to a statement; false unless changed, since they may be private.
  public var publicStatementArguments = false
  /// Is called, from the waiting thread, once a statement has waited for another connection's lock for a second.
  package var onLockWait: (@Sendable () -> Void)?
  /// The functions that prepare each connection, in the order in which they were added.
  package private(set) var preparations: [@Sendable (Database) throws -> Void] = []

  /// Creates the default configuration.
  public init() {}

  /// Adds a function that runs on each connection when it is opened, before any other access.
  ///
  /// - Parameter setup: Runs outside a transaction; an error that it throws makes opening fail.
  public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(setup)
  }

  /// What a backend needs to know of this configuration.
  package var connectionOptions: ConnectionOptions {
    let timeout: Duration =
      switch busyMode {
      case .immediateError: .zero
      case .timeout(let timeout): timeout
      }
    var options = ConnectionOptions(
      isReadOnly: readonly, busyTimeout: timeout, journalMode: journalMode,
      enforcesForeignKeys: foreignKeysEnabled)
    options.onLockWait = onLockWait
    return options
  }
}
