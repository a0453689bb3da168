/// The settings of a connection during a run: the enforcement of foreign keys, which the run turns on and off, and the state
/// that migrations may change (settings, temporary objects, attached databases).
///
/// Each is read before the run changes it, and restored after the run. The state is also restored after each migration that may
/// have changed it, so that no migration depends on those that ran before it on the same connection.
final class ConnectionSettings {
  private let db: Database
  private let migrator: DatabaseMigrator
  /// Whether foreign keys were enforced before the run; nil until the setting is read.
  private var enforcedForeignKeysBefore: Bool?
  /// Whether foreign keys are enforced now; nil if that is unknown.
  private var enforcesForeignKeys: Bool?
  /// The state before the first migration; nil until it is read, or if the backend cannot restore it.
  private var stateBefore: ConnectionState?
  /// Whether the state may have changed since it was read or restored.
  private var mayDiffer = false
  /// Whether the stored definitions may have been edited: the connection notices that only when it reads them again.
  private var mayHaveEditedSchema = false

  /// Whether foreign keys are checked, which is only the case if they were enforced before the run.
  var checksForeignKeys: Bool { enforcedForeignKeysBefore ?? false }

  /// Whether a statement of the last migration can have deleted the definition of a table.
  var mayHaveDeletedDefinitions: Bool { mayDiffer || stateBefore?.permitsEditingSchema == true }

  init(_ db: Database, _ migrator: DatabaseMigrator) { (self.db, self.migrator) = (db, migrator) }

  func read() throws {
    try readForeignKeys()
    if stateBefore == nil {
      stateBefore = try db.waitingForLock(until: migrator.newLockDeadline) { try db.connection.stateKeeper?.state() }
    }
  }

  /// Reads whether foreign keys are enforced.
  ///
  /// It is read once: a later attempt could find the setting of an attempt that lost its connection.
  private func readForeignKeys() throws {
    guard enforcedForeignKeysBefore == nil else { return }
    enforcedForeignKeysBefore = try db.connection.enforcesForeignKeys()
    enforcesForeignKeys = enforcedForeignKeysBefore
  }

  /// Turns foreign key enforcement on or off, before a transaction begins: inside one, this has no effect
  /// (https://www.sqlite.org/pragma.html#pragma_foreign_keys).
  func enforceForeignKeys(_ enforced: Bool) throws {
    try readForeignKeys()
    guard enforced != enforcesForeignKeys else { return }
    // A call that fails, for example because it is interrupted, may have changed the setting.
    enforcesForeignKeys = nil
    try db.connection.setEnforcesForeignKeys(enforced)
    enforcesForeignKeys = enforced
  }

  /// Notes that the state may have changed, by a statement that may also have edited the stored definitions.
  func mayHaveChanged(editsSchema: Bool = false) {
    mayDiffer = true
    if editsSchema { mayHaveEditedSchema = true }
  }

  /// Notes that the connection to a server was lost: the next connection may have another setting.
  func didLoseConnection() { enforcesForeignKeys = nil }

  /// Restores the state before the run, which is compared only after statements that can change it.
  func restoreState() throws {
    guard mayDiffer, let stateBefore else { return }
    var state = stateBefore
    state.hasOutdatedSchema = mayHaveEditedSchema
    try db.waitingForLock(until: migrator.newLockDeadline) { try db.connection.stateKeeper?.restore(state) }
    if !db.isInsideTransaction, let enforcesForeignKeys,
      try db.connection.enforcesForeignKeys() != enforcesForeignKeys
    {
      try db.connection.setEnforcesForeignKeys(enforcesForeignKeys)
    }
    (mayDiffer, mayHaveEditedSchema) = (false, false)
  }

  func restore() throws {
    // Also if the state could not be restored: rows without a parent would go unnoticed.
    try ending(
      with: { if let enforcedForeignKeysBefore { try enforceForeignKeys(enforcedForeignKeysBefore) } }, restoreState)
  }
}
