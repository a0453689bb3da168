internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension TemporaryFolder {
  private static let kept = Mutex<[TemporaryFolder]>([])
  private static let removal: Void = { _ = atexit { TemporaryFolder.kept.withLock { $0.removeAll() } } }()

  /// A new folder that is removed when the process ends, for tests that hand out what lies in it.
  package static func forThisRun() throws -> TemporaryFolder {
    _ = removal
    let folder = try TemporaryFolder()
    kept.withLock { $0.append(folder) }
    return folder
  }
}
