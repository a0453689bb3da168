internal import Migrator

/// Keeps the previous version of a database beside it, before it is erased.
///
/// The file is copied byte by byte, so that an encrypted database stays encrypted, and rowids, settings and page layout
/// stay as they are; SQLCipher has neither the backup interface nor, in old versions, `VACUUM INTO`. What makes the bytes
/// a database is that they are copied inside a transaction that keeps writers out, together with the write-ahead log
/// (https://www.sqlite.org/wal.html): a checkpoint by somebody else moves pages from the log to the file meanwhile, but
/// cannot drop them from the log, which only a writer may restart. The copy is then opened with the same key, which
/// takes the log into the file, and compared before it gets its name.
struct DatabaseBackup: Sendable {
  let target: DatabaseTarget
  /// The migrator's own table, whose rows do not count.
  let ledgerTable: String
  let time: UTCTime
  /// The name of a version that is not removed, however old: its rows are still to be put back.
  var sparing: String?

  /// A finished backup.
  struct Result: Sendable {
    var path: String
    /// The database's own file, to be let go when the connection is closed.
    var source: FileCopy
  }

  /// What the names of files end with that are no backups yet, and of what an engine makes beside them.
  static let partialSuffixes = ["", "-wal", "-shm", "-journal"].map { partialSuffix + $0 }

  private static let partialSuffix = ".partial"

  /// Copies the database, from inside a transaction of the writer's lock.
  ///
  /// - Parameter contents: What the database holds, as it was read in the transaction.
  /// - Throws: ``ToolFailure`` as a refusal: without a backup nothing may be erased. Nothing is left behind then.
  func make(_ contents: DatabaseContents) throws(ToolFailure) -> Result {
    let file = FileSystem.resolve(target.path)
    let name = BackupName(database: file.name)
    removeUnfinished(in: file.folder, name: name)
    let path = file.folder + "/" + name.next(at: time, among: FileSystem.names(in: file.folder))
    let partial = path + Self.partialSuffix
    do {
      let source = try copy(file.path, to: partial)
      try verify(partial, contents: contents)
      try FileSystem.synchronize(partial)
      try FileSystem.rename(partial, to: path)
      try FileSystem.synchronize(file.folder)
      removeOutdated(in: file.folder, name: name, newest: contents)
      return Result(path: Self.display(path, of: file.path, given: target.path), source: source)
    } catch {
      for suffix in Self.partialSuffixes { FileSystem.remove(path + suffix) }
      throw Self.failure(error, path: target.path)
    }
  }

  private func copy(_ path: String, to partial: String) throws(SystemFailure) -> FileCopy {
    let source = try FileCopy(path)
    try source.write(to: partial)
    // SQLite locks the file and the -shm, never the log, so that this descriptor may be closed at once.
    if FileSystem.exists(path + "-wal") { try FileCopy(path + "-wal").write(to: partial + "-wal") }
    return source
  }

  /// Opens the copy as the database is opened, counts what is in it, and closes it, which empties the log.
  private func verify(_ partial: String, contents: DatabaseContents) throws {
    var location = target.location
    location.path = partial
    let copy = try target.open(location)
    let copied = try copy.read { try DatabaseContents($0, ledgerTable: ledgerTable) }
    try copy.close()
    guard copied == contents else {
      throw ToolFailure.refused("the copy does not hold what the database holds", remedy: "Try again.")
    }
    guard !FileSystem.exists(partial + "-wal") else {
      throw ToolFailure.refused("the copy's log could not be taken into its file", remedy: "Try again.")
    }
  }

  /// Removes what a killed backup left behind: the lock that is held lets nobody else make one at this moment.
  private func removeUnfinished(in folder: String, name: BackupName) {
    for entry in name.unfinished(among: FileSystem.names(in: folder)) { FileSystem.remove(folder + "/" + entry) }
  }

  /// Removes what is too old, unless it holds more rows than any version that is kept: a few rebuilds in a row, of a
  /// database that was empty by then, must not push out the last version with somebody's rows in it.
  private func removeOutdated(in folder: String, name: BackupName, newest: DatabaseContents) {
    let versions = name.versions(among: FileSystem.names(in: folder))
    var best = newest.rowCount
    var others = versions.kept.dropLast()
    for outdated in versions.outdated.filter({ $0 != sparing }).map({ folder + "/" + $0 }) {
      // One that cannot be read, since it has another key perhaps, cannot be judged.
      guard let rows = rowCount(in: outdated) else { continue }
      while rows > best, let other = others.popLast() { best = max(best, rowCount(in: folder + "/" + other) ?? 0) }
      if rows <= best { FileSystem.remove(outdated) }
    }
  }

  /// The rows of a version; nil when it does not open.
  private func rowCount(in path: String) -> Int? {
    var location = target.location
    location.path = path
    do {
      let version = try target.open(location, readonly: true)
      let count = try version.read { try DatabaseContents($0, ledgerTable: ledgerTable).rowCount }
      try version.close()
      return count
    } catch {
      return nil
    }
  }

  /// The backup's path, written as the database's was unless that is a link to another place.
  private static func display(_ path: String, of file: String, given original: String) -> String {
    FileSystem.isLink(original) ? path : original + path.dropFirst(file.count)
  }

  private static func failure(_ error: any Error, path: String) -> ToolFailure {
    let reason: String
    switch error {
    case let error as ToolFailure: reason = ([error.what] + error.why).joined(separator: ": ")
    case let error as SystemFailure: reason = "\(error.what): \(error.reason)"
    default: reason = String(describing: error)
    }
    return .refused(
      "the previous \(path) cannot be kept, so nothing was erased", why: [reason],
      remedy: "Make room beside the database, check the rights of its folder, or move the file away yourself.")
  }
}
