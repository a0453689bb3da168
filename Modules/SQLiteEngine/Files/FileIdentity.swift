#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Which file a path leads to, whatever the path is called: its device and its number there.
package struct FileIdentity: Sendable, Hashable {
  /// The device's number.
  package let device: UInt64

  /// The file's number on its device.
  package let inode: UInt64

  /// Asks for the file at a path, symbolic links followed; nil when there is none or it cannot be asked.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
