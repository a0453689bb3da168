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
    let scratch = try db.openScratch(label: "scratch database")
    let value = try body(replay, scratch)
    try scratch.close()
    return value
  }
}

extension Database {
  /// Opens an empty scratch database, of the same engine and settings as this one.
  func openScratch(label: String) throws -> DatabaseQueue {
    var configuration = configuration
    configuration.readonly = false
    configuration.journalMode = nil
    configuration.label = label
    let scratch = try DatabaseQueue(backend.scratch(), configuration: configuration)
    interrupter.add(scratch)
    return scratch
  }
}
