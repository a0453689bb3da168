#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A folder that is held open, so that the system does not look for all the folders above it again at each file.
final class OpenFolder: Sendable {
  /// The folder that paths are relative to anyway.
  static let working = OpenFolder()

  private let descriptor: Int32
  private let prefixSize: Int

  /// Holds a folder open; where that fails, its files are opened by their whole paths.
  ///
  /// - Parameter prefix: The folder's path with the slash at its end.
  init(prefix: String) {
    let opened = prefix.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    descriptor = opened >= 0 ? opened : AT_FDCWD
    prefixSize = opened >= 0 ? prefix.utf8.count : 0
  }

  private init() {
    descriptor = AT_FDCWD
    prefixSize = 0
  }

  deinit {
    if descriptor != AT_FDCWD { close(descriptor) }
  }

  /// Opens a file for reading; negative when that fails, and `errno` says why.
  ///
  /// - Parameter path: The folder's prefix, and the file's path from there.
  func openFile(_ path: String) -> Int32 {
    // Opening a pipe would wait for its writer, without the last flag.
    path.withCString { openat(descriptor, $0 + prefixSize, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
  }
}
