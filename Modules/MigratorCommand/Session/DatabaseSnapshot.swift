internal import Migrator

/// What a database's ledger says, read without writing.
struct DatabaseSnapshot {
  /// The entries, in the order of application; empty for a database that does not exist.
  let ledger: [LedgerEntry]
  /// The migrations that have begun and not ended.
  let begun: Set<String>
  /// What opened the database; nil for one that does not exist.
  let engine: EngineDescription?

  /// Opens the database for reading if it exists, and closes it again.
  ///
  /// - Throws: ``ToolFailure`` when it cannot be opened, or cannot be created for want of a folder.
  init(_ target: DatabaseTarget, _ migrator: DatabaseMigrator) throws(ToolFailure) {
    try target.requireFolder()
    guard !target.file.isNew else {
      ledger = []
      begun = []
      engine = nil
      return
    }
    let queue = try target.openForReading()
    do {
      let entries: [LedgerEntry]
      (entries, engine) = try queue.read { db in (try migrator.history(db, withUnfinished: true), db.engine) }
      try queue.close()
      // Most often there is none.
      let isWhole = entries.allSatisfy { $0.duration != nil }
      ledger = isWhole ? entries : entries.filter { $0.duration != nil }
      begun = isWhole ? [] : Set(entries.lazy.filter { $0.duration == nil }.map(\.identifier))
    } catch {
      throw ErrorReport.database(error, path: target.path)
    }
  }
}
