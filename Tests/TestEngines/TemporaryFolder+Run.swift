internal import Migrator

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension TemporaryFolder {
  /// The folder of this process, for files that tests keep until its end.
  ///
  /// A later run removes it, not the end of this one: connections may be closing on other threads until the very end,
  /// and SQLCipher 4 shuts down when the process exits.
  private static let run: String = {
    let base = FileManager.default.temporaryDirectory.path
    let prefix = "migrator-run-"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
    for name in names where name.hasPrefix(prefix) {
      // A folder that cannot be removed belongs to another user.
      guard let owner = pid_t(name.dropFirst(prefix.count)), kill(owner, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(atPath: "\(base)/\(name)")
    }
    return "\(base)/\(prefix)\(getpid())"
  }()

  private static let count = Lock(0)

  /// Creates a new folder that exists until the process ends, for tests whose files outlive them.
  package static func forThisRun() throws -> String {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let path = "\(run)/\(number)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
