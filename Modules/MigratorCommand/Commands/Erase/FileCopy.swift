#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Copies a file's bytes, and holds the file open until told otherwise.
///
/// Closing any descriptor of a database's file drops every lock that this process holds on it
/// (https://www.sqlite.org/howtocorrupt.html, 2.2). So the copied file stays open until the connection is closed
/// whose lock made the copy safe.
final class FileCopy: Sendable {
  private let descriptor: Int32

  /// Opens the file that is to be copied.
  ///
  /// - Throws: ``SystemFailure``.
  init(_ path: String) throws(SystemFailure) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("\(path) cannot be read", errno) }
  }

  deinit { close(descriptor) }

  /// Writes all bytes to a new file, with the rights of the copied one.
  ///
  /// - Throws: ``SystemFailure``, also when there is a file of that name; what was written is removed.
  func write(to path: String) throws(SystemFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemFailure("the file cannot be examined", errno) }
    // Nobody but the owner, until the content is complete.
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw SystemFailure("\(path) cannot be created", errno) }
    defer { close(target) }
    do throws(SystemFailure) {
      try copyBytes(to: target, path: path)
      guard fchmod(target, status.st_mode & 0o777) == 0 else {
        throw SystemFailure("\(path) cannot be finished", errno)
      }
    } catch {
      unlink(path)
      throw error
    }
  }

  private func copyBytes(to target: Int32, path: String) throws(SystemFailure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = SystemCalls.readFully(buffer, from: descriptor)
      guard count >= 0 else { throw SystemFailure("the file cannot be read", Int32(-count)) }
      let failure = SystemCalls.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: target)
      guard failure == 0 else { throw SystemFailure("\(path) cannot be written", failure) }
      if count < buffer.count { return }
    }
  }
}
