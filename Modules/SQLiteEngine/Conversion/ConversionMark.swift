internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A small file that a conversion leaves for the next one, in case that it is killed, recognized by its content.
///
/// Nothing else is ever taken for one. Between its creation and its end it has permissions that no other file is given,
/// so that it is recognized even when nothing is in it yet; a file system without permissions has such a mark refused.
struct ConversionMark {
  enum State: Equatable {
    case none
    /// A mark that was never finished.
    case unfinished
    /// A mark, with its text.
    case whole(String)
    /// Something that no conversion made.
    case other
  }

  /// The permissions of what is not finished: to be written, and read by no one.
  static let unfinishedMode: mode_t = 0o200
  private static let start = "migrator: "
  private static let limit = 200

  let path: String

  /// Looks at the path.
  ///
  /// - Returns: Nil when the system does not say; it has set `errno` then.
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
  /// - Returns: False when something is there already, or the mark cannot be made; `errno` says which.
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

// MARK: - The mark of a write-ahead log

extension ConversionFiles {
  /// Records that the database had a write-ahead log when a conversion began.
  ///
  /// A conversion takes the log into the file, and with it the mode that the file has in its header.
  private var logMark: ConversionMark { ConversionMark(path: copy + "-had-log") }

  private static let logText = "the database had a write-ahead log when its conversion began"

  /// Whether a conversion that was killed had taken a write-ahead log from the database.
  ///
  /// - Throws: ``DatabaseError`` when another file has the mark's name.
  func hasLogMark() throws(DatabaseError) -> Bool {
    switch try state(of: logMark) {
    case .none: false
    case .unfinished, .whole(Self.logText): true
    case .whole, .other: throw unknownFile(logMark.path)
    }
  }

  /// Records that the database has a write-ahead log, for the case that this process is killed.
  func markLog() throws(DatabaseError) {
    while !logMark.make(Self.logText) {
      let number = errno
      guard number == EEXIST else { throw error(number, "\(logMark.path) cannot be created") }
      // Another conversion of the file may have made it, and may remove it at this moment.
      if try hasLogMark() { break }
    }
    try syncFolder()
  }

  /// Removes the mark, when the database has its mode again.
  func removeLogMark() throws(DatabaseError) {
    switch try state(of: logMark) {
    case .unfinished, .whole(Self.logText): try remove(logMark.path)
    case .none, .whole, .other: break
    }
  }
}

// MARK: - The claim of the copy

extension ConversionFiles {
  /// Records which file is the copy, so that no other one is ever taken for the remainder of it.
  var claim: ConversionMark { ConversionMark(path: copy + "-claim") }

  /// Records which file is the copy.
  ///
  /// - Parameter file: The copy, which is still empty and has the permissions of what is not finished.
  func makeClaim(of file: FileIdentity) throws(DatabaseError) {
    guard let original = FileIdentity(path: path) else { throw error(errno, "\(path) cannot be looked at") }
    guard claim.make(Self.claimText(file.inode, original.inode)) else {
      throw error(errno, "\(claim.path) cannot be created")
    }
  }

  /// The number of the file that an earlier conversion has claimed as its copy of this database; nil for none.
  ///
  /// The database's own number is a part of it: the claim of a copy that has become the database speaks of no other.
  func claimedCopy() throws(DatabaseError) -> UInt64? {
    switch try state(of: claim) {
    case .none, .unfinished: return nil
    case .other: throw unknownFile(claim.path)
    case .whole(let text):
      // Devices may get other numbers when the system restarts; all the files are in one folder.
      guard let claimed = Self.numbers(inClaim: text) else { throw unknownFile(claim.path) }
      return claimed.original == FileIdentity(path: path)?.inode ? claimed.copy : nil
    }
  }

  /// Removes the claim when the copy has become the database.
  ///
  /// For a caller that does not have the database to itself: the claim of a conversion that goes on stays. Should one begin
  /// between both steps, its claim may go; if that one is killed then, its copy is refused as another program's, and not
  /// lost.
  func removeFulfilledClaim() throws(DatabaseError) {
    guard case .whole(let text) = try state(of: claim), let claimed = Self.numbers(inClaim: text),
      claimed.copy == FileIdentity(path: path)?.inode
    else { return }
    try remove(claim.path)
  }

  private static func claimText(_ copy: UInt64, _ original: UInt64) -> String {
    "file \(copy) is the copy that takes the place of file \(original)"
  }

  private static func numbers(inClaim text: String) -> (copy: UInt64, original: UInt64)? {
    let numbers = text.split(separator: " ").compactMap { UInt64($0) }
    guard numbers.count == 2, text == claimText(numbers[0], numbers[1]) else { return nil }
    return (numbers[0], numbers[1])
  }

  private func state(of mark: ConversionMark) throws(DatabaseError) -> ConversionMark.State {
    guard let state = mark.state() else { throw error(errno, "\(mark.path) cannot be read") }
    return state
  }
}
