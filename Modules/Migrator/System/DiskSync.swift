#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Makes what was written last, whatever happens to the power.
package enum DiskSync {
  /// Waits until a file's content is on the disk itself.
  ///
  /// - Returns: The system's error number; zero when it is there.
  package static func file(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      // There, fsync(2) leaves the content in the memory of the disk; what cannot do more answers with an error.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor) == 0 ? 0 : errno
  }

  /// Waits until what has a path, the content of a file or the names in a folder, is on the disk itself.
  ///
  /// - Returns: The system's error number; zero when it is there.
  package static func path(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    let number = file(descriptor)
    // Some file systems cannot sync a folder and say so by EINVAL; they need no such call.
    return number == EINVAL ? 0 : number
  }
}
