/// One open connection to a database.
///
/// One task or thread uses a connection at a time; the core keeps it on a serial queue. Only the value of
/// ``interrupter`` may be used concurrently.
public protocol DatabaseConnection: TransactionControl, SchemaIntrospection {
  /// The engine of this connection: its name, version and abilities.
  var engine: EngineDescription { get }
  /// Whether writes are rejected, because the caller requested a read-only connection or the file is read-only.
  var isReadOnly: Bool { get }

  /// Prepares the first statement found in `script` at or after `utf8Offset`.
  ///
  /// - Parameter utf8Offset: The offset at which to start, in UTF-8 bytes, 0 through `script.utf8.count`.
  /// - Returns: The statement, or nil if only whitespace and comments remain, and the offset at which the remaining
  ///   script starts.
  /// - Throws: ``DatabaseError`` whose ``DatabaseError/utf8Offset`` counts from the start of the statement's text.
  func prepare(_ script: String, utf8Offset: Int) throws(DatabaseError) -> Preparation

  /// The rowid of the row most recently inserted through this connection; zero if there is none.
  var lastInsertedRowID: Int64 { get }
  /// The number of rows changed by the most recent INSERT, UPDATE or DELETE, without those that triggers changed.
  var changesCount: Int { get }
  /// The number of rows changed since the connection was opened, including those that triggers changed.
  var totalChangesCount: Int { get }
  /// The interrupter, with which any thread can interrupt running statements; nil if the engine cannot interrupt them.
  var interrupter: (any ConnectionInterrupter)? { get }
  /// The recorder of the tables that later statements touch; nil if the engine does not support recording.
  var changeRecorder: (any ChangeRecorder)? { get }
  /// The reporter that calls a closure while statements run; nil if the engine does not support such calls.
  var runningReporter: (any RunningReporter)? { get }
  /// The reader of the database's stored bytes; nil if the engine has none or the database is in memory.
  var storedBytesReader: (any StoredBytesReader)? { get }
  /// The keeper that restores the connection's state after a migration; nil if the backend has none.
  var stateKeeper: (any ConnectionStateKeeper)? { get }
  /// The extender, which adds collations and functions of the application; nil if the engine does not support them, or
  /// if the connection is borrowed.
  var extender: (any ConnectionExtender)? { get }

  /// Returns the user version, a number for use by the application; zero in a new database.
  func userVersion() throws(DatabaseError) -> Int32

  /// Sets the number that ``userVersion()`` returns, within the current transaction if one is open.
  func setUserVersion(_ version: Int32) throws(DatabaseError)

  /// Returns the application ID, which identifies the application that the file belongs to; zero in a new database.
  func applicationID() throws(DatabaseError) -> Int32

  /// Sets the number that ``applicationID()`` returns, within the current transaction if one is open.
  func setApplicationID(_ identifier: Int32) throws(DatabaseError)

  /// Closes the connection and rolls back an open transaction.
  ///
  /// A second call does nothing.
  ///
  /// Statements that this connection prepared must not be used afterwards.
  func close() throws(DatabaseError)
}

/// The result of ``DatabaseConnection/prepare(_:utf8Offset:)``.
public struct Preparation {
  /// The statement, or nil if only whitespace and comments were left.
  public let statement: (any DatabaseStatement)?
  /// The offset of the text after the statement, in UTF-8 bytes from the start of the script.
  public let endOffset: Int

  /// Creates a result.
  public init(statement: (any DatabaseStatement)?, endOffset: Int) {
    self.statement = statement
    self.endOffset = endOffset
  }
}

/// Transactions, savepoints and the enforcement of foreign keys.
///
/// A backend for a server may connect again after its connection was lost, but only outside transactions. Inside a
/// transaction, each call fails with the condition `.connectionLost` until the caller rolls back: otherwise the remaining
/// statements would take effect one by one.
public protocol TransactionControl: AnyObject {
  /// Whether a transaction is open, as the engine reports it: an error may have ended the transaction.
  ///
  /// A transaction that was lost with its connection counts as open until it is rolled back.
  var isInsideTransaction: Bool { get }

  /// Opens a transaction.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.busy` if the lock was not available in time, and `.cannotOpen` if
  ///   no server could be reached after the connection was lost; in these cases no transaction is open.
  func begin(_ kind: TransactionKind) throws(DatabaseError)

  /// Commits the open transaction.
  ///
  /// - Throws: ``DatabaseError``. The transaction may still be open afterwards: the caller must roll back or try again.
  ///   The condition is `.connectionLost` if the connection was lost and the transaction was certainly undone, and
  ///   `.outcomeUnknown` if it may have been committed.
  func commit() throws(DatabaseError)

  /// Rolls back the open transaction; does nothing if none is open.
  ///
  /// Succeeds, without a server, if the transaction was lost with its connection.
  func rollback() throws(DatabaseError)

  /// Returns a number that changes when another connection changes the database, but not when this connection does.
  ///
  /// If the number is unchanged inside a transaction that holds the write lock, data read in an earlier transaction is
  /// still valid.
  ///
  /// - Returns: Nil if the engine has no such number; the core then reads the data again.
  func dataVersion() throws(DatabaseError) -> Int64?

  /// Opens a savepoint, which opens a transaction if none is open.
  func beginSavepoint(_ name: String) throws(DatabaseError)

  /// Releases the newest savepoint of that name and keeps its changes.
  func releaseSavepoint(_ name: String) throws(DatabaseError)

  /// Undoes all changes since the newest savepoint of that name and releases the savepoint.
  func rollbackSavepoint(_ name: String) throws(DatabaseError)

  /// Returns whether the engine enforces foreign keys on this connection.
  func enforcesForeignKeys() throws(DatabaseError) -> Bool

  /// Turns the enforcement of foreign keys on or off and verifies the setting.
  ///
  /// A backend that connects again turns it on or off on the next connection, too, even if the setting could not be
  /// verified because the connection was lost.
  ///
  /// - Throws: ``DatabaseError`` if the engine kept the old setting, as SQLite silently does inside a transaction
  ///   (https://www.sqlite.org/pragma.html#pragma_foreign_keys).
  func setEnforcesForeignKeys(_ enforced: Bool) throws(DatabaseError)
}

/// The lock that a transaction takes when it begins.
public enum TransactionKind: String, Sendable, Hashable {
  /// No lock until the first read or write.
  case deferred
  /// The write lock: other connections can read, but not write.
  case immediate
  /// The write lock; other connections cannot read either, unless the engine allows reads during a write, as in WAL
  /// mode.
  case exclusive
}

/// The part of a connection that reads the schema of its database and translates schema changes into statements.
public protocol SchemaIntrospection: AnyObject {
  /// Returns the objects of a schema as plain values, in creation order.
  ///
  /// - Parameter schema: The schema of an attached database, or the temporary one; nil for the main schema.
  /// - Throws: ``DatabaseError``, also if there is no such schema.
  func schema(named schema: String?) throws(DatabaseError) -> SchemaSnapshot

  /// Returns a number that changes whenever any connection changes the schema.
  func schemaVersion() throws(DatabaseError) -> Int64

  /// Returns the columns of a table or view in order, including hidden ones; nil if there is no such table or view.
  func columns(in table: String, inSchema schema: String?) throws(DatabaseError) -> [ColumnDescription]?

  /// Returns a table's foreign keys, ordered by ``ForeignKeyDescription/id``; empty if there are none, or if there is
  /// no such table.
  func foreignKeys(on table: String, inSchema schema: String?) throws(DatabaseError) -> [ForeignKeyDescription]

  /// Returns a table's indexes, including those that implement its keys; empty if there are none, or if there is no
  /// such table.
  func indexes(on table: String, inSchema schema: String?) throws(DatabaseError) -> [IndexDescription]

  /// Returns the schema names of the attached databases that are stored in files.
  ///
  /// Statements on this connection can change those files.
  func attachedFiles() throws(DatabaseError) -> [String]

  /// Returns the name of the table that stores the last rowid of each AUTOINCREMENT table, such as `sqlite_sequence`;
  /// nil if the engine has no such table, or has not created it yet.
  func counterTable() throws(DatabaseError) -> String?

  /// Returns the foreign key violations in one table, or in all of them.
  ///
  /// - Returns: A function that returns the next violation, or nil after the last.
  /// - Throws: ``DatabaseError``, also if a foreign key names a parent that has no matching unique key.
  func foreignKeyViolations(in table: String?) throws(DatabaseError) -> () throws(DatabaseError) -> ForeignKeyViolation?

  /// Returns the statements that make a schema change with this version of the engine, in order.
  ///
  /// Reads the schema and does not modify the database.
  ///
  /// - Throws: ``DatabaseError`` with the condition ``DatabaseError/Condition-swift.enum/unsupported`` if the engine
  ///   cannot make the change without losing data.
  func statements(for change: SchemaChange) throws(DatabaseError) -> SchemaChangeStatements

  /// Removes every object and every row of the main schema, within the open transaction.
  ///
  /// Settings of the file (key, page size, text encoding, journal mode, user version) remain unchanged.
  ///
  /// - Precondition: A transaction is open and foreign keys are not enforced.
  func eraseEverything() throws(DatabaseError)
}

extension SchemaIntrospection {
  /// Returns the objects of the main schema.
  package func schema() throws(DatabaseError) -> SchemaSnapshot { try schema(named: nil) }

  /// Returns the columns of a table or view of the main schema.
  package func columns(in table: String) throws(DatabaseError) -> [ColumnDescription]? {
    try columns(in: table, inSchema: nil)
  }

  /// Returns the foreign keys of a table of the main schema.
  package func foreignKeys(on table: String) throws(DatabaseError) -> [ForeignKeyDescription] {
    try foreignKeys(on: table, inSchema: nil)
  }

  /// Returns the indexes of a table of the main schema.
  package func indexes(on table: String) throws(DatabaseError) -> [IndexDescription] {
    try indexes(on: table, inSchema: nil)
  }
}

/// A prepared statement, which belongs to its connection and, like the connection, is used by only one task or thread
/// at a time.
public protocol DatabaseStatement: AnyObject {
  /// The text of the statement, without any text before or after it in its script.
  var sql: String { get }
  /// Whether running the statement leaves the database unchanged.
  var isReadOnly: Bool { get }
  /// The names of the result's columns, in order, as the engine reports them; empty if the statement returns no rows.
  var columnNames: [String] { get }
  /// The number of the result's columns.
  var columnCount: Int { get }
  /// The number of parameters.
  var parameterCount: Int { get }

  /// Returns the name of a parameter without its prefix (`:`, `@`, `$`); nil if it has none.
  ///
  /// - Parameter index: 0 ..< ``parameterCount``.
  func parameterName(at index: Int) -> String?

  /// Sets a parameter.
  ///
  /// Values stay bound until they are set again.
  ///
  /// - Parameter index: 0 ..< ``parameterCount``.
  func bind(_ value: DatabaseValue, at index: Int) throws(DatabaseError)

  /// Runs the statement up to its next row and reads the row's values.
  ///
  /// One call reads all values: one call across the module boundary for each value would cost more than reading the
  /// value.
  ///
  /// - Parameter row: A buffer for the row's values, first column first. An empty buffer receives no values; in a
  ///   longer one, the elements after the last column become NULL. Values are not converted, and the memory that they
  ///   refer to is valid until the statement's next step or reset.
  /// - Returns: True if there is a row; false if the statement is done, in which case `row` is unchanged.
  func step(into row: UnsafeMutableBufferPointer<ColumnValue>) throws(DatabaseError) -> Bool

  /// Makes the statement ready to run again and releases its locks.
  ///
  /// Bound values remain.
  func reset()

  /// Returns the value in a column of the current row, as it is stored; NULL if there is no row.
  ///
  /// The memory that it refers to is valid until the statement's next step or reset.
  func value(at column: Int) -> ColumnValue
}

extension DatabaseStatement {
  /// Runs the statement up to its next row, whose values can then be read one by one.
  ///
  /// - Returns: True if there is a row, false if the statement is done.
  @inlinable
  public func step() throws(DatabaseError) -> Bool { try step(into: UnsafeMutableBufferPointer(start: nil, count: 0)) }

  /// Returns the value in a column of the current row as text; empty for NULL.
  package func text(at column: Int) -> String {
    switch value(at: column) {
    case .null: ""
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Returns the value in a column of the current row as an integer; zero if it is none.
  package func integer(at column: Int) -> Int64 {
    if case .integer(let number) = value(at: column) { return number }
    return Int64(text(at: column)) ?? 0
  }

  /// Returns whether the value in a column of the current row is NULL.
  package func isNull(at column: Int) -> Bool { if case .null = value(at: column) { true } else { false } }
}
