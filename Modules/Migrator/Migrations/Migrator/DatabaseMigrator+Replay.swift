extension DatabaseMigrator {
  /// Makes an empty scratch database, of the same engine and settings as another one, to try migrations on.
  ///
  /// - Parameters:
  ///   - migrations: The migrations to try.
  ///   - body: Is given a migrator of them and the scratch database, which is gone afterwards.
  func replaying<Value>(
    _ migrations: [Migration], like db: Database, _ body: (DatabaseMigrator, DatabaseQueue) throws -> Value
  ) throws -> Value {
    var replay = DatabaseMigrator(ledgerTable: ledgerTable)
    for migration in migrations { replay.register(migration) }
    var configuration = db.configuration
    configuration.readonly = false
    configuration.journalMode = nil
    configuration.label = "scratch database"
    let scratch = try DatabaseQueue(db.backend.scratch(), configuration: configuration)
    let value = try body(replay, scratch)
    try scratch.close()
    return value
  }
}
