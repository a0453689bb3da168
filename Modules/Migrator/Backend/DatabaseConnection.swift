/// One open connection to a database.
///
/// A connection is used by one task or thread at a time; the core keeps it on a serial queue. Only the value of
/// ``interrupter`` may be used from elsewhere at any moment.
public protocol DatabaseConnection: TransactionControl, SchemaIntrospection {
  /// The engine behind this connection: name, version, abilities.
  var engine: EngineDescription { get }
  /// Whether writes are refused, because the caller asked for that or because the file allows no other way.
  var isReadOnly: Bool { get }

  /// Prepares the first statement found in `script` at or after `utf8Offset`.
  ///
  /// - Parameters:
  ///   - script: One or more statements.
  ///   - utf8Offset: Where to begin, in UTF-8 bytes, 0 through `script.utf8.count`.
  /// - Returns: The statement, nil when only blanks and comments were left, and the offset behind it.
  /// - Throws: ``DatabaseError`` whose ``DatabaseError/utf8Offset`` counts from the start of the statement's text.
  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation

  /// The rowid of the newest row inserted through this connection; zero when there was none.
  var lastInsertedRowID: Int64 { get }
  /// The rows changed by the most recent INSERT, UPDATE or DELETE, without those that triggers changed.
  var changesCount: Int { get }
  /// The rows changed since the connection was opened, those that triggers changed included.
  var totalChangesCount: Int { get }
  /// Stops what this connection is running, from any thread; nil when the engine cannot.
  var interrupter: (any ConnectionInterrupter)? { get }
  /// Tells which tables the statements from now on touch; nil when the engine cannot tell.
  var changeRecorder: (any ChangeRecorder)? { get }
  /// Calls back while statements run; nil when the engine cannot.
  var runningReporter: (any RunningReporter)? { get }
  /// Reads the database as it is stored; nil when the engine cannot, and for databases in memory.
  var storedBytesReader: (any StoredBytesReader)? { get }
  /// Restores the connection after a migration; nil when the backend cannot.
  var stateKeeper: (any ConnectionStateKeeper)? { get }

  /// A number kept in the database for the application, zero in a new one.
  func userVersion() throws(DatabaseError) -> Int32

  /// Sets the number that ``userVersion()`` reads, within the current transaction if there is one.
  func setUserVersion(_ version: Int32) throws(DatabaseError)

  /// A number that tells which application the file belongs to, zero in a new one.
  func applicationID() throws(DatabaseError) -> Int32

  /// Sets the number that ``applicationID()`` reads, within the current transaction if there is one.
  func setApplicationID(_ identifier: Int32) throws(DatabaseError)

  /// Closes the connection. An open transaction is rolled back. A second call does nothing.
  ///
  /// Statements that were prepared by this connection must not be used afterwards.
  func close() throws(DatabaseError)
}

/// What ``DatabaseConnection/prepare(_:utf8Offset:)`` found.
public struct Preparation {
  /// The statement, or nil when only blanks and comments were left.
  public let statement: (any DatabaseStatement)?
  /// Where the text behind the statement begins, in UTF-8 bytes from the start of the script.
  public let endOffset: Int

  /// Creates a result.
  public init(statement: (any DatabaseStatement)?, endOffset: Int) {
    self.statement = statement
    self.endOffset = endOffset
  }
}

/// Stops a running statement; safe to call from any thread, at any time, even after the connection was closed.
public protocol ConnectionInterrupter: Sendable {
  /// Makes the statements that run at this moment fail with ``DatabaseError/Condition-swift.enum/interrupted``.
  func interrupt()
}

/// The engine behind a connection.
public struct EngineDescription: Sendable, Hashable {
  /// The engine's name as its users know it.
  public var name: String
  /// The engine's version, for people.
  public var version: String
  /// The abilities of the engine.
  public var abilities: EngineAbilities

  /// Creates a description.
  public init(name: String, version: String, abilities: EngineAbilities) {
    self.name = name
    self.version = version
    self.abilities = abilities
  }
}

/// What an engine can do beyond what all of them can.
public struct EngineAbilities: OptionSet, Sendable, Hashable {
  /// The bits.
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
  /// The place of an error in its statement.
  public static let errorOffsets = EngineAbilities(rawValue: 1 << 7)
  /// Encryption of the file.
  public static let encryption = EngineAbilities(rawValue: 1 << 8)
  /// Full-text search by the module FTS4.
  public static let fts4 = EngineAbilities(rawValue: 1 << 9)
  /// Full-text search by the module FTS5.
  public static let fts5 = EngineAbilities(rawValue: 1 << 10)
}
