internal import Synchronization

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
  /// The folder of this process, which keeps what tests hand out.
  ///
  /// It is removed by a later run, not at the end of this one: connections may be closing on other threads until the
  /// very end, and SQLCipher 4 takes its own state down when the process exits.
  private static let run: String = {
    let base = FileManager.default.temporaryDirectory.path
    let prefix = "migrator-run-"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
    for name in names where name.hasPrefix(prefix) {
      // What cannot be removed belongs to somebody else.
      guard let owner = pid_t(name.dropFirst(prefix.count)), kill(owner, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(atPath: "\(base)/\(name)")
    }
    return "\(base)/\(prefix)\(getpid())"
  }()

  private static let count = Atomic(0)

  /// A new folder that stays until the process has ended, for tests that hand out what lies in it.
  package static func forThisRun() throws -> String {
    let path = "\(run)/\(count.add(1, ordering: .relaxed).newValue)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }
}
