/// A description of a connection's engine.
public struct EngineDescription: Sendable, Equatable {
  /// The engine's name as users know it.
  public var name: String
  /// The engine's version, to show to users.
  public var version: String
  /// The optional features that the engine supports.
  public var abilities: EngineAbilities

  /// Creates a description.
  public init(name: String, version: String, abilities: EngineAbilities) {
    self.name = name
    self.version = version
    self.abilities = abilities
  }
}

/// Features that not every engine supports.
public struct EngineAbilities: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `ALTER TABLE ... RENAME COLUMN`.
  public static let renameColumn = EngineAbilities(rawValue: 1 << 0)
  /// `ALTER TABLE ... DROP COLUMN`.
  public static let dropColumn = EngineAbilities(rawValue: 1 << 1)
  /// `INSERT ... ON CONFLICT DO`.
  public static let upsert = EngineAbilities(rawValue: 1 << 2)
  /// `RETURNING`.
  public static let returning = EngineAbilities(rawValue: 1 << 3)
  /// `STRICT` tables.
  public static let strictTables = EngineAbilities(rawValue: 1 << 4)
  /// Generated columns.
  public static let generatedColumns = EngineAbilities(rawValue: 1 << 5)
  /// Window functions.
  public static let windowFunctions = EngineAbilities(rawValue: 1 << 6)
  /// Errors that contain their position in the statement.
  public static let errorOffsets = EngineAbilities(rawValue: 1 << 7)
  /// Encryption of the file.
  public static let encryption = EngineAbilities(rawValue: 1 << 8)
  /// Full-text search with the FTS4 module.
  public static let fts4 = EngineAbilities(rawValue: 1 << 9)
  /// Full-text search with the FTS5 module.
  public static let fts5 = EngineAbilities(rawValue: 1 << 10)
}

/// An object that interrupts a connection's running statements; safe to call from any thread, at any time, even after
/// the connection was closed.
public protocol ConnectionInterrupter: Sendable {
  /// Interrupts the statements that are running; they fail with ``DatabaseError/Condition-swift.enum/interrupted``.
  func interrupt()
}

/// A recorder of the tables and objects that the statements of a connection touch, as the statements are prepared.
///
/// Optional: an engine that cannot record changes returns no recorder, and the core checks every table instead. The
/// recorder is used only while its connection is open.
public protocol ChangeRecorder: AnyObject {
  /// Clears the record and starts recording.
  ///
  /// - Parameter isContinued: Whether the schema is known to be unchanged since recording stopped, so that a schema
  ///   read at that time is still valid.
  func start(isContinued: Bool)

  /// Stops recording.
  func stop()

  /// The changes since ``start(isContinued:)``.
  ///
  /// The record covers a statement once it has been prepared or, if it was prepared before recording started, once it
  /// has run. The record may name more tables than were touched.
  var changes: RecordedChanges { get }

  /// Returns the objects that were added to the main schema since ``start(isContinued:)``, in creation order; when called
  /// again, those since the previous call.
  ///
  /// The core calls this inside the transaction in which recording started. After a migration that only creates
  /// objects, the core then need not read the whole schema again.
  ///
  /// - Returns: Nil if the schema may have changed in any other way, if a virtual table was added, or if the engine
  ///   cannot determine the added objects.
  func addedObjects() throws(DatabaseError) -> [SchemaObject]?
}

/// The changes that a ``ChangeRecorder`` has recorded.
public struct RecordedChanges: Sendable, Equatable {
  /// The names, in ASCII lowercase, of the tables whose rows or definitions may have changed.
  public var tables: Set<String>
  /// Whether the record is incomplete, in which case any table may have changed.
  public var isIncomplete: Bool

  /// Creates a record.
  public init(tables: Set<String> = [], isIncomplete: Bool = false) {
    self.tables = tables
    self.isIncomplete = isIncomplete
  }
}

/// A reporter that calls a closure periodically while a statement runs.
///
/// Optional: without a reporter, the migrator reports no progress between the start and the end of a migration.
public protocol RunningReporter: AnyObject {
  /// Starts calling `report` on the thread that runs the statements, about a hundred times a second or more often.
  ///
  /// - Parameter report: The closure to call. It must not use the connection.
  func start(_ report: @escaping () -> Void)

  /// Stops calling the closure.
  func stop()
}

/// A reader of the stored bytes of a database; the bytes of an encrypted database remain encrypted.
///
/// Optional: the core does not back up databases of an engine without a reader. The bytes form one consistent state
/// of the database: the state that the open transaction sees, or a later state that another connection has committed in
/// the meantime. A file with these bytes is a database that can be opened with the same settings.
public protocol StoredBytesReader: AnyObject {
  /// The path of the database file, from which the names of backups are derived; nil if the database is not in a file.
  var path: String? { get }

  /// Calls `body` with all bytes in order, in chunks of several hundred kilobytes.
  ///
  /// Does not call `body` if the database is still empty.
  ///
  /// - Precondition: A transaction is open that has read from the database and has changed nothing.
  /// - Throws: ``DatabaseError`` with the condition ``DatabaseError/Condition-swift.enum/busy`` if another connection's
  ///   changes invalidate the bytes read so far, after which the caller may start again; any error that `body` throws.
  func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws

  /// Calls `body` while the file alone contains the database and no other connection can use it, so that `body` may replace
  /// the file with another one.
  ///
  /// Journals and logs are removed before. After `body` has replaced the file, the connection can only be closed. If `body`
  /// throws, the connection and the journal mode are as before.
  ///
  /// - Precondition: No transaction is open.
  /// - Throws: ``DatabaseError`` with the condition ``DatabaseError/Condition-swift.enum/busy`` if another connection uses
  ///   the database; any error that `body` throws.
  func replacing(_ body: () throws -> Void) throws

  /// Returns the first damage that the engine finds in the database; nil if it finds none.
  ///
  /// May read the whole file.
  func damage() throws(DatabaseError) -> String?
}

/// A keeper that saves and restores the parts of a connection's state that statements can change and that a rollback
/// does not restore.
///
/// Optional: without a keeper, the next migration sees the connection state that the previous migration left.
public protocol ConnectionStateKeeper: AnyObject {
  /// Returns the state of the connection, except whether foreign keys are enforced.
  func state() throws(DatabaseError) -> ConnectionState

  /// Restores the settings, drops the temporary objects that were added after `state` was read, and detaches the
  /// databases that were attached since then.
  ///
  /// If a transaction is open, settings that cannot be changed inside a transaction are not restored.
  func restore(_ state: ConnectionState) throws(DatabaseError)
}

/// The state of a connection, as a ``ConnectionStateKeeper`` reads it.
public struct ConnectionState: Sendable, Equatable {
  /// The settings by name, in a format that the backend defines.
  public var settings: [String: String]
  /// Identifiers of the objects in the temporary schema.
  public var temporaryObjects: Set<Int64>
  /// The names of all schemas: the main schema, the temporary one, and those of attached databases.
  public var schemas: Set<String>
  /// Whether statements can edit the stored definitions of objects, and thereby delete that of the ledger.
  package var permitsEditingSchema = false
  /// Whether the connection must read the stored definitions again, because they may have been edited since it read them.
  package var hasOutdatedSchema = false

  /// Creates a state.
  public init(settings: [String: String] = [:], temporaryObjects: Set<Int64> = [], schemas: Set<String> = []) {
    self.settings = settings
    self.temporaryObjects = temporaryObjects
    self.schemas = schemas
  }
}
