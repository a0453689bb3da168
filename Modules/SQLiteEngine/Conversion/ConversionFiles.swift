internal import CSQLite
internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The files of a conversion: the database, its copy, the marks for the next conversion, and the original that is kept.
struct ConversionFiles {
  /// The database's path, absolute and without symbolic links, so that a link to it goes on leading to it.
  let path: String
  let engine: String
  /// Where the copy grows until it takes the database's place.
  var copy: String { FileProbe.copyPath(of: path) }
  var original: String { path + "-original" }
  /// What engines may make beside the copy.
  private var copyJournals: [String] { ["-journal", "-wal", "-shm"].map { copy + $0 } }

  /// Finds the file and opens nothing; an error when there is none, or its folder cannot be written.
  init(path: String, engine: String) throws(DatabaseError) {
    _ = try FileProbe(path: path, engine: engine, mayCreate: false)
    self.engine = engine
    guard let resolved = realpath(path, nil) else { throw Self.error(errno, "\(path) cannot be found", engine) }
    defer { free(resolved) }
    self.path = String(cString: resolved)
    // The answer is advice only, to fail before anything is done.
    guard faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 else {
      throw error(errno, "the folder \(folder) cannot be written, and a conversion makes a new file in it")
    }
  }

  private var folder: String { FileProbe.folder(of: path) }

  // MARK: - Remainders of an earlier conversion

  /// Refuses to convert where a file that no conversion has made has a name that this one needs; only for a caller that
  /// has the database to itself: another conversion makes and removes these files.
  func refuseUnknownFiles() throws(DatabaseError) {
    let claimed = try claimedCopy()
    var status = stat()
    let hasCopy = lstat(copy, &status) == 0
    if hasCopy, !Self.isCopy(status, claimed) { throw unknownFile(copy) }
    // They are removed before the copy, so that without it they are another program's.
    guard !hasCopy else { return }
    for name in copyJournals where lstat(name, &status) == 0 { throw unknownFile(name) }
  }

  private static func isCopy(_ status: stat, _ claimed: UInt64?) -> Bool {
    ConversionMark.isUnfinished(status) && status.st_size == 0 || UInt64(truncatingIfNeeded: status.st_ino) == claimed
  }

  /// The error of a file that has the name of one of these, and that no conversion has made.
  func unknownFile(_ name: String) -> DatabaseError {
    DatabaseError(
      .denied, engine: engine,
      message: "the conversion of \(path) makes a file \(name), and there is one that no conversion seems to have made",
      remedy: "Move that file away, or remove it; nothing was changed.")
  }

  /// Removes the remainder of a copy, and what an engine may have left beside it; last the claim that says whose they
  /// are.
  ///
  /// Only for a caller that has the database to itself, and has refused unknown files of these names.
  func removeCopy() throws(DatabaseError) {
    for name in copyJournals + [copy, claim.path] { try remove(name) }
  }

  /// Makes sure that no journal lies beside the database, which would be replayed over the copy that takes its place.
  ///
  /// Only for a caller that has the database to itself and has seen it without a write-ahead log. A journal that is
  /// there then was left by a mode that keeps them, without a meaning but with pages of the database in it
  /// (https://www.sqlite.org/pragma.html#pragma_journal_mode).
  func removeJournals() throws(DatabaseError) {
    // An empty one counts as none, for the engine too: it is what a connection left that was killed while it removed it.
    guard !FileProbe.hasContent(path + "-wal") else {
      throw DatabaseError(
        .busy, engine: engine, message: "a write-ahead log is left beside \(path), which another connection must use",
        remedy: "Close the other connections to the database.")
    }
    for name in ["-journal", "-wal", "-shm"] { try remove(path + name) }
  }

  // MARK: - The folder

  /// The bytes that are free on the disk of the folder; nil when the system does not say.
  func availableBytes() -> Int64? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }

  func remove(_ name: String) throws(DatabaseError) {
    guard unlink(name) != 0, errno != ENOENT else { return }
    throw error(errno, "\(name) cannot be removed")
  }

  /// Makes the names in the folder last, whatever happens to the power.
  func syncFolder() throws(DatabaseError) {
    let number = DiskSync.path(folder)
    guard number != 0 else { return }
    throw error(number, "the folder \(folder) could not be written to the disk")
  }

  // MARK: - The original

  /// Gives the original a second name, under which it stays when the copy takes its first one; returns false when an
  /// earlier conversion gave it the name, and was killed.
  func keepOriginal() throws(DatabaseError) -> Bool {
    if try isOriginalKept() { return false }
    guard link(path, original) == 0 else {
      throw error(
        errno, "the original cannot be kept as \(original), since the file system does not support hard links")
    }
    return true
  }

  /// Whether the original has its second name already; an error when another file has that name.
  @discardableResult
  func isOriginalKept() throws(DatabaseError) -> Bool {
    guard let kept = FileIdentity(path: original) else { return false }
    guard kept == FileIdentity(path: path) else {
      throw DatabaseError(
        .denied, engine: engine, message: "the original cannot be kept as \(original): another file has that name",
        remedy: "Move that file away, or remove it, or do not keep the original.")
    }
    return true
  }

  // MARK: - Errors

  func error(_ number: Int32, _ message: String) -> DatabaseError { Self.error(number, message, engine) }

  private static func error(_ number: Int32, _ message: String, _ engine: String) -> DatabaseError {
    let condition = SystemError.condition(number) ?? (number == ENOTSUP ? .unsupported : .inputOutput)
    return DatabaseError(
      condition, engine: engine, message: "\(message): \(SystemError.text(number))",
      remedy: Remedy.text(for: condition))
  }
}

/// A small file that a conversion leaves for the next one, in case that it is killed, recognized by its content.
///
/// Nothing else is ever taken for one. Between its creation and its end it has permissions that no other file is given,
/// so that it is recognized even when nothing is in it yet; a file system without permissions has such a mark refused.
struct ConversionMark {
  enum State: Equatable {
    case none
    /// A mark that was never finished.
    case unfinished
    case whole(String)
    /// Something that no conversion made.
    case other
  }

  /// The permissions of what is not finished: to be written, and read by no one.
  static let unfinishedMode: mode_t = 0o200
  private static let start = "migrator: "
  private static let limit = 200

  let path: String

  /// Looks at the path; returns nil when the system does not say, and has set `errno`.
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

  /// Makes the mark, without writing the folder to the disk; returns false when something is there already, or the mark
  /// cannot be made, and `errno` says which.
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
  /// Records that the database had a write-ahead log when a conversion began; a conversion takes the log into the file,
  /// and with it the mode that the file has in its header.
  private var logMark: ConversionMark { ConversionMark(path: copy + "-had-log") }

  private static let logText = "the database had a write-ahead log when its conversion began"

  /// Whether a conversion that was killed had taken a write-ahead log from the database; an error when another file has
  /// the mark's name.
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

  /// Records which file is the copy, which is still empty and has the permissions of what is not finished.
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
  /// For a caller that does not have the database to itself: the claim of a conversion that goes on stays. Should one
  /// begin between both steps, its claim may go; if that one is killed then, its copy is refused as another program's,
  /// and not lost.
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
