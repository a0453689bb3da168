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
