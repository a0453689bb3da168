internal import Dispatch
internal import Migrator

/// A watch over the files in a folder, and over individual files, which checks many times a second whether they have
/// changed.
///
/// File system events would arrive sooner, but require a different API on each system, and do not include changes on
/// network file systems.
final class FolderWatch: Sendable {
  /// The time between two checks, and the time without changes after which a save is complete: editors write in several
  /// steps, within milliseconds.
  private static let interval = DispatchTimeInterval.milliseconds(50)
  /// The maximum time to wait until a save is complete.
  private static let patience = Duration.seconds(2)

  private let paths: @Sendable () -> [String]
  private let alarm = DispatchSemaphore(value: 0)

  /// Watches the files of a folder and its subfolders that may be migrations, and the given files.
  init(folder: String, files: [String]) { paths = { FileStates.paths(folder: folder) + files } }

  /// Watches the sources of Swift packages, except those in the folder of a build.
  init(packages: @escaping @Sendable () -> [String], besides scratch: String) {
    paths = { packages().flatMap { FileStates.sources(in: $0, besides: scratch) } }
  }

  /// Returns the state of the watched files.
  ///
  /// Call this before reading the files, so that later saves are recognized as changes.
  func look() -> FileStates { FileStates(paths: paths()) }

  /// Waits until files differ from a known state and the save is complete.
  ///
  /// - Parameter isOver: A closure that returns whether to stop waiting. It is called before each check and after
  ///   ``wake()``.
  /// - Returns: The changed files; nil if `isOver` returns true.
  func change(from known: FileStates, isOver: () -> Bool) -> [String]? {
    while !isOver() {
      let changed = settled(since: known, isOver: isOver).paths(changedFrom: known)
      if !changed.isEmpty { return changed }
      wait(Self.interval)
    }
    return nil
  }

  /// Does work now and after each save, until the work returns an exit code, or Ctrl-C arrives.
  ///
  /// - Parameter folder: The folder whose path is left out where changed files are named.
  func repeatAtSaves(
    _ context: CommandContext, places: String, in folder: String = "", onSave: ([String]) -> Void = { _ in },
    _ work: () throws(ToolFailure) -> ExitCode?
  ) throws(ToolFailure) -> ExitCode {
    let output = context.output
    // The handler is installed first, so that Ctrl-C ends the command in the same way at any time.
    return try context.interrupt.whileWatching(onArrival: { [self] in wake() }) { () throws(ToolFailure) in
      // The state is read before the work reads the files, so that a save meanwhile causes more work.
      var known = look()
      var end = try work()
      while end == nil, !context.interrupt.hasArrived {
        output.line()
        output.line(output.style("Watching \(places); Ctrl-C ends it.", .faint))
        guard let changed = change(from: known, isOver: { context.interrupt.hasArrived }) else { break }
        known = look()
        output.line()
        for (word, files) in [("Saved", changed.filter(known.has)), ("Removed", changed.filter { !known.has($0) })] {
          let names = files.map { $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : $0 }
          if !files.isEmpty { output.line(output.style("\(word): \(listed(names))", .strong)) }
        }
        onSave(changed)
        end = try work()
      }
      if end != .interrupted { output.line("Ended.") }
      return end ?? .done
    }
  }

  /// Ends the wait.
  ///
  /// May be called on any thread.
  func wake() { alarm.signal() }

  private func settled(since known: FileStates, isOver: () -> Bool) -> FileStates {
    let start = ContinuousClock.now
    var before = known
    var now = look()
    // Most programs save by truncating the file and writing it then: an empty one is probably not finished.
    while now != before || now.hasEmptied(since: known), .now - start < Self.patience, !isOver() {
      wait(Self.interval)
      (before, now) = (now, look())
    }
    return now
  }

  private func wait(_ time: DispatchTimeInterval) {
    // Signals again, so that later waits also end immediately.
    if alarm.wait(timeout: .now() + time) == .success { alarm.signal() }
  }
}

/// The states of files at one moment.
///
/// If two values differ, a file was saved in between.
struct FileStates: Equatable, Sendable {
  private var states: [String: FileSystem.Status] = [:]

  init(paths: [String]) {
    // A file that has just been removed has no state.
    for path in paths { states[path] = try? FileSystem.status(of: path) }
  }

  /// Returns the files in a folder and its subfolders that may be migrations.
  fileprivate static func paths(folder: String) -> [String] {
    let folders = FileSystem.names(in: folder).filter { !$0.hasPrefix(".") }.map { FileSystem.join(folder, $0) }
    return ([folder] + folders.filter(FileSystem.isFolder)).flatMap { folder in
      FileSystem.names(in: folder).filter(isReadable).map { FileSystem.join(folder, $0) }
    }
  }

  /// Returns the manifest and the sources of a Swift package, in all folders but hidden ones, such as `.build`.
  fileprivate static func sources(in folder: String, besides scratch: String) -> [String] {
    FileSystem.names(in: folder).filter { !$0.hasPrefix(".") }.flatMap { name in
      let path = FileSystem.join(folder, name)
      if name.hasSuffix(".swift") || isReadable(name) { return [path] }
      let isWatched = path != scratch && FileSystem.isFolder(path) && !FileSystem.isLink(path)
      return isWatched ? sources(in: path, besides: scratch) : []
    }
  }

  fileprivate func has(_ path: String) -> Bool { states[path] != nil }

  /// Whether any file has changed and is now empty.
  func hasEmptied(since known: FileStates) -> Bool {
    states.contains { path, state in state.size == 0 && state.kind == .regular && state != known.states[path] }
  }

  func paths(changedFrom known: FileStates) -> [String] {
    Set(states.keys).union(known.states.keys).filter { states[$0] != known.states[$0] }.sorted()
  }

  /// Returns whether a file name may belong to a migration folder, unlike the names of temporary files that editors
  /// create.
  private static func isReadable(_ name: String) -> Bool {
    let folded = name.lowercased()
    return !name.hasPrefix(".") && [".sql", ".conf", ".toml"].contains(where: folded.hasSuffix)
  }
}
