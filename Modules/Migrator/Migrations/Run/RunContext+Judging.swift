extension RunContext {
  /// Runs a migration's work within the open transaction, and judges its foreign keys.
  ///
  /// - Returns: The objects that it made and removed.
  func judging(_ migration: Migration, checksForeignKeys: Bool, _ work: () throws -> Void) throws -> ObjectChanges {
    let watch = checksForeignKeys && migrator.foreignKeyScope == .touched ? try beginWatch() : nil
    // Without a watch nobody follows what refers to what.
    graph = nil
    defer { watch?.stop() }
    try schema.begin(db, isUndisturbed: isUndisturbed)
    try db.inspecting(MigrationInspector(db, watch: watch, unwritten: unwritten)) {
      try reportingProgress(of: migration, work)
      guard db.isInsideTransaction else { throw MigrationError.transactionEnded }
    }
    if checksForeignKeys { try checkForeignKeys(watch, migration) }
    let changes = try schema.end(db, added: watch?.addedObjects)
    // All that is known now was read in this transaction.
    isUndisturbed = true
    return changes
  }

  private func beginWatch() throws -> ForeignKeyWatch {
    let older = graph
    // The watch changes it in place when it is the only one to have it.
    graph = nil
    return try ForeignKeyWatch(db, following: older, isCurrent: isUndisturbed)
  }

  private func checkForeignKeys(_ watch: ForeignKeyWatch?, _ migration: Migration) throws {
    let start = ContinuousClock.now
    guard let watch else {
      try db.checkForeignKeys()
      return events(.checkedForeignKeys(identifier: migration.identifier, duration: .now - start))
    }
    let verdict = try watch.finish()
    guard verdict.new.isEmpty else {
      throw try ForeignKeyViolationError(verdict.new, count: verdict.newCount, db: db)
    }
    graph = watch.graph
    events(.checkedForeignKeys(identifier: migration.identifier, duration: .now - start))
    if verdict.oldCount > 0 {
      events(.warning(.oldForeignKeyViolations(identifier: migration.identifier, count: verdict.oldCount)))
    }
  }
}
