internal import Migrator

/// What a database's ledger says, read without writing.
struct DatabaseSnapshot {
  /// The entries, in the order of application; empty for a database that does not exist.
  let ledger: [LedgerEntry]
  /// What opened the database; nil for one that does not exist.
  let engine: EngineDescription?

  /// Opens the database for reading if it exists, and closes it again.
  init(_ target: DatabaseTarget, _ migrator: DatabaseMigrator) throws(ToolFailure) {
    guard !target.file.isNew else {
      ledger = []
      engine = nil
      return
    }
    let queue = try target.openForReading()
    do {
      (ledger, engine) = try queue.read { db in (try migrator.history(db), db.engine) }
      try queue.close()
    } catch {
      throw ErrorReport.database(error, path: target.path)
    }
  }
}
