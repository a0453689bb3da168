internal import Migrator

/// A folder that is read while something else is done, such as opening the database, which takes as long.
final class MigrationReading {
  private let outcome = Lock<Result<MigrationScripts, MigrationFolderError>?>(nil)
  private let thread: SideThread

  /// Begins to read a folder.
  ///
  /// - Throws: The problem of a path at which there is no folder, before anything else is done, or asked for.
  init(_ path: String) throws(MigrationFolderError) {
    if !FileSystem.isFolder(path) { _ = try MigrationScripts(path) }
    thread = SideThread { [outcome] in
      let read = Result { () throws(MigrationFolderError) in try MigrationScripts(path) }
      outcome.withLock { $0 = read }
    }
  }

  /// The files, once they are read.
  ///
  /// - Throws: The problem of a folder that cannot be listed.
  func finished() throws(MigrationFolderError) -> MigrationScripts? {
    thread.wait()
    return try outcome.withLock { $0 }?.get()
  }
}
