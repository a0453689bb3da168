#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Keeps the database's state before a run changes anything.
struct BackupRun {
  private let run: RunContext
  private let count: Int
  private let folder: String?
  private var db: Database { run.db }

  /// Nil where the policy wants no backup.
  init?(_ run: RunContext) {
    guard case .beforeMigrating(let count, let folder) = run.migrator.backup else { return nil }
    self.run = run
    self.count = count
    self.folder = folder
  }

  /// Copies the database, and removes the oldest copies, within a transaction that holds the writer's lock and has changed
  /// nothing: nobody else can change anything between the copy and the first migration.
  func perform() throws {
    let start = ContinuousClock.now
    // What was never used is not worth a file.
    if try db.connection.schema().objects.isEmpty && db.userVersion == 0 { return }
    guard let path = db.connection.storedBytesReader?.path else {
      throw db.context.error(
        .unsupported, "a database in memory, or behind this engine, cannot be backed up before it is migrated",
        remedy: "Set the migrator's backup policy to none.")
    }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = BackupName(database: file, ledgerTable: run.ledger.table)
    let folder = folder ?? BackupFile.folder(of: path)
    // The lock that is held lets nobody else make a backup here at this moment.
    remove(name.unfinished(among: names(in: folder)), from: folder)
    let backup = "\(folder)/\(name.name(at: Ledger.now))"
    let size = try db.copyStored(to: backup)
    remove(name.outdated(among: names(in: folder), keeping: count), from: folder)
    run.events(.backedUp(path: backup, sizeInBytes: size, duration: .now - start))
  }

  /// The names in a folder; none when it cannot be read, which the copy has told already.
  private func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Removes files; one that stays takes room, and is tried again the next time.
  private func remove(_ names: [String], from folder: String) {
    for name in names { try? FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
  }
}
