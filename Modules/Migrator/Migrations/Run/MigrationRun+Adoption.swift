extension DatabaseMigrator {
  /// Writes adopted histories into the ledger without running a migration; does nothing when the ledger has entries.
  ///
  /// - Throws: ``MigrationError/adoptionRefused(_:)``; ``DatabaseError``.
  package func takeOverHistory(_ writer: any DatabaseWriter) throws {
    guard !adopted.isEmpty else { return }
    try writer.barrierWriteWithoutTransaction { db in try MigrationRun(self, on: db).writeAdoptedHistory() }
  }
}

extension MigrationRun {
  /// Writes the entries of adopted histories that no migration wrote because none was pending.
  ///
  /// A connection that cannot write leaves them: the histories are still there for those that can.
  func writeAdoptedHistory() throws {
    guard !db.connection.isReadOnly, try waitingForLock({ try !migrator.unwrittenHistory(db).isEmpty }) else { return }
    // Read again: only under the lock no other connection can adopt them any longer.
    try inTransaction { try $0.openLedger() }
  }
}
