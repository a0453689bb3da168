/// A database inside an access: run statements, read rows, change the schema.
///
/// You are given one by `read`, `write` and the like; it is for use within that access only and must not be kept.
public final class Database {
  /// How the database was opened.
  public let configuration: Configuration

  /// Where the database is and how it is opened.
  package let backend: any DatabaseBackend

  /// The connection beneath.
  ///
  /// The core alone uses it.
  package let connection: any DatabaseConnection

  /// What stops the statement that runs on the connection, or on a scratch database that was opened for it.
  let interrupter: DatabaseInterrupter

  let context: StatementContext
  var statementCache = StatementCache()

  /// Whether this access may only read.
  var isReading = false

  /// Looks at each statement before it runs for the first time in a migration; nil outside migrations.
  package var inspector: (any StatementInspector)?

  /// Opens a connection of its own and prepares it as the configuration says.
  init(_ backend: any DatabaseBackend, configuration: Configuration) throws {
    self.backend = backend
    self.configuration = configuration
    connection = try backend.connect(configuration.connectionOptions)
    interrupter = DatabaseInterrupter(connection.interrupter)
    context = StatementContext(connection, showsArguments: configuration.publicStatementArguments)
    do {
      for prepare in configuration.preparations { try prepare(self) }
    } catch {
      // The caller wants the reason of the failure, not that closing failed too.
      try? connection.close()
      throw error
    }
  }

  /// What runs behind this database: name, version, abilities.
  public var engine: EngineDescription { connection.engine }

  /// The rowid of the newest row inserted through this connection; zero when there was none.
  public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }

  /// The rows changed by the most recent INSERT, UPDATE or DELETE, without those that triggers changed.
  public var changesCount: Int { connection.changesCount }

  /// The rows changed since the connection was opened, those that triggers changed included.
  public var totalChangesCount: Int { connection.totalChangesCount }

  /// Rolls back what an access left open, and closes the connection.
  func close() throws {
    context.endRuns()
    statementCache.removeAll()
    try connection.close()
  }
}

/// Looks at the statements of a migration before they run.
package protocol StatementInspector: AnyObject {
  /// Called when a statement has been prepared and before it runs for the first time.
  ///
  /// - Parameters:
  ///   - sql: The statement's text.
  ///   - isTrusted: Whether the text comes from a backend, which may do what a migration's own statements may not.
  /// - Throws: Refuses the statement.
  func willRun(_ sql: String, isTrusted: Bool) throws

  /// What a statement fails with when the transaction that it was to run in has ended.
  var errorOutsideTransaction: any Error { get }

  /// Called before a statement is prepared.
  func willPrepare()

  /// Called when a statement could not be prepared; what it would have touched may be recorded all the same.
  func didFailToPrepare(_ sql: String) throws

  /// Called when a savepoint begins, for what ``didRollBack(to:)`` will be told.
  func mark() -> Int

  /// Called when all changes since a mark were undone.
  func didRollBack(to mark: Int)
}
