internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A small file that a conversion leaves for the next one, in case that it is killed, and that is told by what is in it.
///
/// Nothing else is ever taken for one. Between its creation and its end it has permissions that no other file is given,
/// so that it is told even when nothing is in it yet; a file system without permissions has such a mark refused.
struct ConversionMark {
  /// What is at the mark's path.
  enum State: Equatable {
    /// Nothing.
    case none
    /// A mark that was never finished.
    case unfinished
    /// A mark, with its text.
    case whole(String)
    /// Something that no conversion made.
    case other
  }

  /// The permissions of what is not finished: to be written, and read by nobody.
  static let unfinishedMode: mode_t = 0o200

  /// What each text begins with.
  private static let start = "migrator: "
  private static let limit = 200

  let path: String

  /// Looks at the path.
  ///
  /// - Returns: Nil when the system does not tell; it has set `errno` then.
  func state() -> State? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? State.none : nil }
    guard Self.isFile(status), status.st_size <= Self.limit else { return .other }
    if Self.isUnfinished(status) { return .unfinished }
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT ? State.none : nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.limit)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    return text.hasPrefix(Self.start) && text.hasSuffix("\n")
      ? .whole(String(text.dropFirst(Self.start.count).dropLast())) : .other
  }

  /// Makes the mark; the folder is not written to the disk.
  ///
  /// - Returns: False when something is there already, or the mark cannot be made, in which case `errno` tells why.
  func make(_ text: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, Self.unfinishedMode)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array((Self.start + text + "\n").utf8)
    let count = write(descriptor, bytes, bytes.count)
    guard count == bytes.count else {
      // A disk that took a part of it is full.
      if count >= 0 { errno = ENOSPC }
      return false
    }
    errno = DiskSync.file(descriptor)
    // Nothing in it is a secret, and another user may go on with the conversion.
    return errno == 0 && fchmod(descriptor, 0o644) == 0
  }

  /// Whether a file is one that a conversion has created and not begun to fill, a mark or a copy.
  static func isUnfinished(_ status: stat) -> Bool { isFile(status) && status.st_mode & 0o7777 == unfinishedMode }

  private static func isFile(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}
