/// Tells which tables and objects the statements of a connection touch, as they are prepared.
///
/// An ability: engines that cannot tell give no recorder, and the core falls back to checking every table. It is used only
/// as long as its connection is there.
public protocol ChangeRecorder: AnyObject {
  /// Begins to record with an empty record.
  ///
  /// - Parameter isContinued: Whether the schema is known to be as it was when recording stopped, so that what was read
  ///   of it then still holds.
  func start(isContinued: Bool)

  /// Ends recording.
  func stop()

  /// What was touched since ``start(isContinued:)``. Complete for a statement once it has been prepared, or,
  /// when that was before, once it has run; a superset is allowed.
  var changes: RecordedChanges { get }

  /// The objects that were added to the main schema since ``start(isContinued:)``, in the order of their creation.
  ///
  /// Asked for within the transaction in which recording started. What the core gains is that it need not read the whole
  /// schema after a migration that only creates.
  ///
  /// - Returns: Nil when the schema may have changed in another way than by new objects, or when a virtual table is
  ///   among them, and by an engine that cannot tell.
  func addedObjects() throws(DatabaseError) -> [SchemaObject]?
}

/// The record of a ``ChangeRecorder``.
public struct RecordedChanges: Sendable, Hashable {
  /// The tables whose rows or definition may have changed, names folded to ASCII lower case.
  public var tables: Set<String>
  /// A claim that the record does not tell all: anything may have changed.
  public var isIncomplete: Bool

  /// Creates a record.
  public init(tables: Set<String> = [], isIncomplete: Bool = false) {
    self.tables = tables
    self.isIncomplete = isIncomplete
  }
}

/// Calls back now and then while a statement runs.
///
/// An ability: engines that cannot do that give no reporter, and a run tells nothing between a migration's begin and end.
public protocol RunningReporter: AnyObject {
  /// Begins to call `report`, from the thread that runs the statements, about a hundred times a second or more often.
  ///
  /// - Parameter report: Must not use the connection.
  func start(_ report: @escaping () -> Void)

  /// Ends the calls.
  func stop()
}

/// Reads a database as it is stored, byte by byte: encrypted where it is encrypted.
///
/// An ability: engines that cannot do that give no reader, and their databases are backed up by other means than the
/// core's. What is read is one state of the database, the one that the open transaction sees or a later one that another
/// connection has committed meanwhile, as one file that a connection with the same settings opens.
public protocol StoredBytesReader: AnyObject {
  /// Where the database is, for naming its copies; nil where it is in no file.
  var path: String? { get }

  /// Calls `body` with all bytes, in order and in pieces of some hundred kilobytes; not at all for a database that holds
  /// nothing yet.
  ///
  /// - Precondition: A transaction is open that has read, and has changed nothing.
  /// - Throws: ``DatabaseError``, as ``DatabaseError/Condition-swift.enum/busy`` when others changed the database in a
  ///   way that spoils the copy, which may be begun again; what `body` throws.
  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// Reads and restores what statements change about a connection, and neither a commit nor a rollback takes back.
///
/// An ability: without a keeper, what a migration leaves on its connection is there for the next one.
public protocol ConnectionStateKeeper: AnyObject {
  /// The state of the connection; the enforcement of foreign keys is not part of it.
  func state() throws(DatabaseError) -> ConnectionState

  /// Restores settings, drops temporary objects that have been added, and detaches databases that have been attached.
  ///
  /// Inside a transaction, what cannot change there stays as it is.
  func restore(_ state: ConnectionState) throws(DatabaseError)
}

/// The state of a connection, as a ``ConnectionStateKeeper`` reads it.
public struct ConnectionState: Sendable, Hashable {
  /// The settings by their names, in the backend's own form.
  public var settings: [String: String]
  /// Numbers of the objects in the temporary schema.
  public var temporaryObjects: Set<Int64>
  /// The names of all schemas.
  public var schemas: Set<String>

  /// Creates a state.
  public init(settings: [String: String] = [:], temporaryObjects: Set<Int64> = [], schemas: Set<String> = []) {
    self.settings = settings
    self.temporaryObjects = temporaryObjects
    self.schemas = schemas
  }
}
