#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Waits for saves of the files of a folder, and of single files elsewhere.
final class FolderWatch: Sendable {
  /// How long nothing must happen before a save counts as finished: editors write in several steps, within milliseconds.
  static let quietMilliseconds = 30

  /// After so long a save counts as finished even if it goes on.
  private static let patience = Duration.seconds(2)

  private let folder: String
  private let files: [String]
  private let events: any FileEvents

  /// Watches a folder of migrations and other files.
  ///
  /// - Parameter events: What tells of changes; nil for the best that the system has.
  init(folder: String, files: [String], events: (any FileEvents)? = nil) {
    self.folder = folder
    self.files = files
    self.events = events ?? Self.bestEvents
  }

  private static var bestEvents: any FileEvents {
    #if os(Linux)
      return InotifyEvents() ?? PollingEvents()
    #elseif canImport(Darwin)
      return DispatchEvents()
    #else
      return PollingEvents()
    #endif
  }

  /// What the watched files are like at this moment.
  ///
  /// To be taken before the files are read: whatever is saved later then counts as a change.
  func look() -> FileStates {
    // Watched first, looked at afterwards: nothing can happen between unnoticed.
    arm()
    return FileStates(folder: folder, files: files)
  }

  /// Waits until files have changed and are quiet again.
  ///
  /// - Parameters:
  ///   - known: What they were like.
  ///   - isOver: Whether nothing is waited for any more; asked whenever something happens, or after ``wake()``.
  /// - Returns: The files that changed; nil when nothing is waited for any more.
  func change(from known: FileStates, isOver: () -> Bool) -> [String]? {
    while true {
      guard !isOver() else { return nil }
      var now = look()
      if now == known {
        events.wait(milliseconds: nil)
        continue
      }
      let start = ContinuousClock.now
      var before = known
      while now != before, .now - start < Self.patience {
        guard !isOver() else { return nil }
        before = now
        waitForQuiet(since: start)
        now = look()
      }
      let changed = now.names(changedFrom: known)
      if !changed.isEmpty { return changed }
    }
  }

  /// Ends a wait, from any thread.
  func wake() { events.wake() }

  /// Waits as long as things happen, and a little longer.
  private func waitForQuiet(since start: ContinuousClock.Instant) {
    let quiet = Duration.milliseconds(Self.quietMilliseconds)
    var last = ContinuousClock.now
    while .now - last < quiet, .now - start < Self.patience {
      let rest = quiet - (.now - last)
      let begin = ContinuousClock.now
      events.wait(milliseconds: max(1, Int(rest / .milliseconds(1))))
      // Something has happened if the wait ended early.
      if .now - begin + .milliseconds(2) < rest { last = .now }
    }
  }

  private func arm() {
    let names = FileStates.folders(in: folder)
    let parents = [FileSystem.folder(of: folder)] + files.map(FileSystem.folder)
    events.watch(
      folders: [folder] + names + parents, files: FileStates(folder: folder, files: files).paths)
  }
}

/// What files were like at a moment, as far as tells whether they were saved.
struct FileStates: Equatable, Sendable {
  private struct State: Equatable, Sendable {
    var inode: UInt64
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
  }

  private var states: [String: State] = [:]

  /// Looks at the files of a folder that could be migrations, those in its folders included, and at others.
  init(folder: String, files: [String]) {
    for path in Self.candidates(in: folder) + files { states[path] = Self.state(of: path) }
  }

  /// The paths of the files that were there.
  var paths: [String] { states.keys.sorted() }

  /// Whether there was a file.
  func has(_ path: String) -> Bool { states[path] != nil }

  /// The files that came, went or were saved since.
  func names(changedFrom known: FileStates) -> [String] {
    Set(states.keys).union(known.states.keys).filter { states[$0] != known.states[$0] }.sorted()
  }

  /// The folders in a folder, which may be migrations of diesel.
  static func folders(in folder: String) -> [String] {
    FileSystem.names(in: folder).filter { !$0.hasPrefix(".") }.map { join(folder, $0) }.filter(FileSystem.isFolder)
  }

  private static func candidates(in folder: String) -> [String] {
    ([folder] + folders(in: folder)).flatMap { folder in
      FileSystem.names(in: folder).filter(isReadable).map { join(folder, $0) }
    }
  }

  /// What ``FolderListing`` would read; not what editors put beside a file while they save it.
  private static func isReadable(_ name: String) -> Bool {
    let folded = name.lowercased()
    return !name.hasPrefix(".") && [".sql", ".conf", ".toml"].contains(where: folded.hasSuffix)
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  private static func state(of path: String) -> State? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return State(
      inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }
}
