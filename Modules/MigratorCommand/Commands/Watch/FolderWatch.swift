internal import Dispatch

/// Waits for saves of the files of a folder, and of single files elsewhere, by looking four times a second.
///
/// Events of the file system would come sooner, and need another interface on each system, which misses what happens on
/// network file systems.
final class FolderWatch: Sendable {
  private static let interval = DispatchTimeInterval.milliseconds(250)
  /// A save counts as finished when nothing happened for so long: editors write in several steps, within milliseconds.
  private static let quiet = DispatchTimeInterval.milliseconds(30)
  /// After so long a save counts as finished even if it goes on.
  private static let patience = Duration.seconds(2)

  private let folder: String
  private let files: [String]
  private let alarm = DispatchSemaphore(value: 0)

  init(folder: String, files: [String]) {
    self.folder = folder
    self.files = files
  }

  /// The state of the watched files, to be taken before the files are read: a later save counts as a change then.
  func look() -> FileStates { FileStates(folder: folder, files: files) }

  /// Waits until files have changed since a known state and are quiet again.
  /// - Returns: The files that changed; nil once `isOver`, which is asked at each look and after ``wake()``.
  func change(from known: FileStates, isOver: () -> Bool) -> [String]? {
    while !isOver() {
      let changed = settled(since: known, isOver: isOver).paths(changedFrom: known)
      if !changed.isEmpty { return changed }
      wait(Self.interval)
    }
    return nil
  }

  /// Ends a wait, from any thread.
  func wake() { alarm.signal() }

  private func settled(since known: FileStates, isOver: () -> Bool) -> FileStates {
    let start = ContinuousClock.now
    var before = known
    var now = look()
    while now != before, .now - start < Self.patience, !isOver() {
      wait(Self.quiet)
      (before, now) = (now, look())
    }
    return now
  }

  private func wait(_ time: DispatchTimeInterval) {
    // A wait that was ended once stays ended, for the next wait.
    if alarm.wait(timeout: .now() + time) == .success { alarm.signal() }
  }
}

/// The states of files at a moment, as far as they show whether a file was saved.
struct FileStates: Equatable, Sendable {
  private var states: [String: FileSystem.Status] = [:]

  /// Looks at the files of a folder that could be migrations, those in its folders included, and at others.
  init(folder: String, files: [String]) {
    let folders = FileSystem.names(in: folder).filter { !$0.hasPrefix(".") }.map { FileSystem.join(folder, $0) }
    let candidates = ([folder] + folders.filter(FileSystem.isFolder)).flatMap { folder in
      FileSystem.names(in: folder).filter(Self.isReadable).map { FileSystem.join(folder, $0) }
    }
    // A file that is gone by now has no state.
    for path in candidates + files { states[path] = try? FileSystem.status(of: path) }
  }

  func has(_ path: String) -> Bool { states[path] != nil }

  func paths(changedFrom known: FileStates) -> [String] {
    Set(states.keys).union(known.states.keys).filter { states[$0] != known.states[$0] }.sorted()
  }

  /// Whether a folder of migrations may hold the file; editors put others beside it while they save it.
  private static func isReadable(_ name: String) -> Bool {
    let folded = name.lowercased()
    return !name.hasPrefix(".") && [".sql", ".conf", ".toml"].contains(where: folded.hasSuffix)
  }
}
