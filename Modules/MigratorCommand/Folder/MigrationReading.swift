internal import Migrator

/// A folder that is read while something else is done, such as opening the database, which takes less time.
///
/// Whoever is done with that reads along: to open a file takes the system most of the time, and it opens two at once.
final class MigrationReading {
  private let shared: Shared
  private let thread: SideThread

  /// Begins to read a folder.
  ///
  /// - Throws: The problem of a path at which there is no folder, before anything else is done, or asked for.
  init(_ path: String) throws(MigrationFolderError) {
    if !FileSystem.isFolder(path) { _ = try MigrationScripts(path) }
    let shared = Shared(path)
    self.shared = shared
    thread = SideThread {
      shared.list()
      shared.read()
    }
  }

  /// The files, once they are read.
  ///
  /// - Throws: The problem of a folder that cannot be listed.
  func finished() throws(MigrationFolderError) -> MigrationScripts? {
    shared.read()
    wait()
    return try shared.scripts()
  }

  /// Waits until the folder is read, which whoever began it must do.
  func wait() { thread.wait() }
}

extension MigrationReading {
  /// What both threads know of the folder.
  private final class Shared: Sendable {
    private struct State {
      var listing: FolderListing?
      var failure: MigrationFolderError?
      var folder = OpenFolder.working
      var scripts: [MigrationScripts.Script?] = []
      /// The first file that nobody has taken yet.
      var next = 0
    }

    private let path: String
    private let state = Lock(State())

    init(_ path: String) { self.path = path }

    /// Finds out which files there are.
    func list() {
      do {
        let listing = try MigrationScripts.listing(path)
        let folder = OpenFolder(prefix: listing.prefix)
        state.withLock { state in
          state.listing = listing
          state.folder = folder
          state.scripts = Array(repeating: nil, count: listing.candidates.count)
        }
      } catch {
        state.withLock { $0.failure = error }
      }
    }

    /// Reads files until each is taken by somebody.
    func read() {
      while let (files, first, folder) = take() {
        let scripts = files.map { MigrationScripts.Script($0, in: folder) }
        state.withLock { state in
          for (index, script) in scripts.enumerated() { state.scripts[first + index] = script }
        }
      }
    }

    /// The next few files, with the place of the first one; nil when there are no more, or nobody knows of any yet.
    private func take() -> (files: ArraySlice<MigrationCandidate>, first: Int, folder: OpenFolder)? {
      state.withLock { state in
        guard let all = state.listing?.candidates, state.next < all.count else { return nil }
        let first = state.next
        state.next = min(first + 8, all.count)
        return (all[first..<state.next], first, state.folder)
      }
    }

    /// The files, when both are done.
    func scripts() throws(MigrationFolderError) -> MigrationScripts? {
      let (listing, failure, scripts) = state.withLock { ($0.listing, $0.failure, $0.scripts) }
      if let failure { throw failure }
      return listing.map { MigrationScripts(path, $0, scripts.compactMap(\.self)) }
    }
  }
}
