/// A folder that is read while something else is done, such as opening the database, which takes as long.
final class MigrationReading {
  private let outcome = Outcome()
  private let thread: SideThread

  /// Begins to read a folder.
  ///
  /// - Throws: The problem of a path at which there is no folder, before anything else is done, or asked for.
  init(_ path: String) throws(MigrationFolderError) {
    if !FileSystem.isFolder(path) { _ = try MigrationScripts(path) }
    thread = SideThread { [outcome] in
      do throws(MigrationFolderError) {
        outcome.scripts = try MigrationScripts(path)
      } catch {
        outcome.failure = error
      }
    }
  }

  /// The files, once they are read.
  ///
  /// - Throws: The problem of a folder that cannot be listed.
  func finished() throws(MigrationFolderError) -> MigrationScripts? {
    thread.wait()
    if let failure = outcome.failure { throw failure }
    return outcome.scripts
  }

  /// What became of the reading.
  ///
  /// Unchecked, for only the thread touches it until it was waited for, and only whoever waited does so afterwards.
  private final class Outcome: @unchecked Sendable {
    var scripts: MigrationScripts?
    var failure: MigrationFolderError?
  }
}
