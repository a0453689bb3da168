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
  /// - Parameter utf8Offset: Where to begin, in UTF-8 bytes, 0 through `script.utf8.count`.
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

/// Transactions, savepoints and the enforcement of foreign keys.
public protocol TransactionControl: AnyObject {
  /// Whether a transaction is open. Read from the engine, since an error may have ended one.
  var isInsideTransaction: Bool { get }

  /// Opens a transaction.
  ///
  /// - Throws: ``DatabaseError`` as busy when the lock could not be had in time; then no transaction is open.
  func begin(_ kind: TransactionKind) throws(DatabaseError)

  /// Commits the open transaction.
  ///
  /// - Throws: ``DatabaseError``. The transaction may still be open then: a caller rolls back or tries again.
  func commit() throws(DatabaseError)

  /// Rolls the open transaction back; does nothing when none is open.
  func rollback() throws(DatabaseError)

  /// A number that differs from the one before when another connection has changed the database in between; changes of
  /// this connection do not count.
  ///
  /// Within a transaction that holds the writer's lock it tells whether what was read in an earlier one still holds.
  ///
  /// - Returns: Nil when the engine cannot tell: the core then reads again.
  func dataVersion() throws(DatabaseError) -> Int64?

  /// Opens a savepoint, which opens a transaction when none is open.
  func beginSavepoint(_ name: String) throws(DatabaseError)

  /// Gives up the newest savepoint of that name and keeps its changes.
  func releaseSavepoint(_ name: String) throws(DatabaseError)

  /// Undoes all changes since the newest savepoint of that name and gives the savepoint up.
  func rollbackSavepoint(_ name: String) throws(DatabaseError)

  /// Whether foreign keys are enforced on this connection, read from the engine.
  func enforcesForeignKeys() throws(DatabaseError) -> Bool

  /// Switches the enforcement of foreign keys and reads the setting back.
  ///
  /// - Throws: ``DatabaseError`` when the engine kept the old setting, as SQLite silently does inside a transaction
  ///   (https://www.sqlite.org/pragma.html#pragma_foreign_keys).
  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError)
}

/// Which lock a transaction takes when it begins.
public enum TransactionKind: String, Sendable, Hashable {
  /// None until the first read or write.
  case deferred
  /// The writer's lock: no other connection can write, all can read.
  case immediate
  /// The writer's lock, and where the engine cannot read beside a writer, the readers' too.
  case exclusive
}

/// What a connection tells of its schema, and how it changes it.
public protocol SchemaIntrospection: AnyObject {
  /// The objects of a schema as plain values, in the order of their creation.
  ///
  /// - Parameter schema: The schema of an attached database, or the temporary one; nil for the main schema.
  /// - Throws: ``DatabaseError``, also when there is no such schema.
  func schema(named schema: String?) throws(DatabaseError) -> SchemaSnapshot

  /// A number that changes whenever the schema does, through whatever connection.
  func schemaVersion() throws(DatabaseError) -> Int64

  /// A form of a definition's SQL that is equal for definitions that say the same: blanks, comments, the case of
  /// keywords and the way of quoting names do not count.
  func canonicalDefinition(_ sql: String) -> String

  /// The columns of a table or view in their order, hidden ones marked; nil when there is no such object in a schema.
  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]?

  /// The foreign keys that a table of a schema declares, ordered by their number; empty when there are none or no such
  /// table.
  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription]

  /// The indexes of a table of a schema, those that come with its keys included; empty when there are none or no such
  /// table.
  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription]

  /// The schemas of attached databases that are kept in files, which statements on this connection can change.
  func attachedFiles() throws(DatabaseError) -> [String]

  /// The table of the main schema in which the engine counts the rowids that it has given, so that none is used again;
  /// nil where the engine has no such table, or not yet.
  func counterTable() throws(DatabaseError) -> String?

  /// The violations of foreign keys in one table, or in all of them.
  ///
  /// - Returns: A function that gives the next violation, nil when there is no more.
  /// - Throws: ``DatabaseError``, also when a foreign key names a parent that has no matching unique key.
  func foreignKeyViolations(in table: String?) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation?

  /// The statements that make a change on this engine's version, in their order.
  ///
  /// Reads the schema and changes nothing.
  ///
  /// - Throws: ``DatabaseError`` as ``DatabaseError/Condition-swift.enum/unsupported`` when the engine cannot make
  ///   the change without a loss.
  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements

  /// Removes every object and every row of the main schema, within the open transaction.
  ///
  /// Settings of the file (key, page size, text encoding, journal mode, user version) stay as they are.
  ///
  /// - Precondition: A transaction is open and foreign keys are not enforced.
  func eraseEverything() throws(DatabaseError)
}

extension SchemaIntrospection {
  /// The objects of the main schema.
  package func schema() throws(DatabaseError) -> SchemaSnapshot { try schema(named: nil) }

  /// The columns of a table or view of the main schema.
  package func columns(in table: String) throws(DatabaseError) -> [ColumnDescription]? {
    try columns(in: table, inSchema: nil)
  }

  /// The foreign keys of a table of the main schema.
  package func foreignKeys(on table: String) throws(DatabaseError) -> [ForeignKeyDescription] {
    try foreignKeys(on: table, inSchema: nil)
  }

  /// The indexes of a table of the main schema.
  package func indexes(on table: String) throws(DatabaseError) -> [IndexDescription] {
    try indexes(on: table, inSchema: nil)
  }
}

/// A prepared statement, which belongs to its connection and shares the rule of one user at a time.
public protocol DatabaseStatement: AnyObject {
  /// The statement's own text, without what stood before or behind it in its script.
  var sql: String { get }
  /// A claim that running the statement changes nothing in the database.
  var isReadOnly: Bool { get }
  /// The names of the result's columns, in order, as the engine gives them; empty when it yields no rows.
  var columnNames: [String] { get }
  /// The number of the result's columns.
  var columnCount: Int { get }
  /// The number of parameters.
  var parameterCount: Int { get }

  /// The name of a parameter without its prefix (`:`, `@`, `$`), nil when it has none.
  ///
  /// - Parameter index: 0 ..< ``parameterCount``.
  func parameterName(at index: Int) -> String?

  /// Sets a parameter. Values stay bound until they are set again or cleared.
  ///
  /// - Parameter index: 0 ..< ``parameterCount``.
  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError)

  /// Sets all parameters to NULL.
  func clearBindings()

  /// Runs the statement up to its next row, and tells the row's values.
  ///
  /// All in one call, since a call over the border for each value would cost more than the value.
  ///
  /// - Parameter row: Room for as many of the row's values as are wanted, the first column first; none when it is empty,
  ///   and what is behind the last column becomes NULL. The values are those that were stored, without a conversion, and
  ///   what they refer to stays until the statement runs on or is reset.
  /// - Returns: True when there is a row, false when the statement is done; then `row` is left as it was.
  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool

  /// Reads the values of the current row once more, as ``step(into:)`` does.
  func readRow(into row: UnsafeMutableBufferPointer<ColumnValue>)

  /// Makes the statement ready to run again, and gives up what it holds of the database. Bound values stay.
  func reset()

  /// The kind of the value in a column of the current row.
  func valueKind(at column: Int) -> DatabaseValue.Kind

  /// The current row's value as an integer, converted by the engine when it is of another kind.
  func integer(at column: Int) -> Int64

  /// The current row's value as a floating-point number, converted by the engine when it is of another kind.
  func real(at column: Int) -> Double

  /// The current row's value as text. NUL characters are kept; bytes that are not UTF-8 become U+FFFD.
  func text(at column: Int) -> String

  /// Calls `body` with the bytes of the current row's value, which are valid during the call only.
  func withBytes<Result>(at column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension DatabaseStatement {
  /// Runs the statement up to its next row, whose values can be asked for one by one.
  ///
  /// - Returns: True when a row can be read, false when the statement is done.
  @inlinable
  public func step() throws(DatabaseError) -> Bool { try step(into: UnsafeMutableBufferPointer(start: nil, count: 0)) }
}

extension DatabaseValue {
  /// Reads the value in a column of a statement's current row.
  package init(_ statement: any DatabaseStatement, column: Int) {
    switch statement.valueKind(at: column) {
    case .null: self = .null
    case .integer: self = .integer(statement.integer(at: column))
    case .real: self = .real(statement.real(at: column))
    case .text: self = .text(statement.text(at: column))
    case .blob: self = statement.withBytes(at: column) { DatabaseValue(.blob($0)) }
    }
  }
}
