internal import CSQLite
internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The names of a conversion's files, and what is done with them as files.
struct ConversionFiles {
  /// The database's path, absolute and without symbolic links, so that a link to it goes on leading to it.
  let path: String

  /// The engine's name, for errors.
  let engine: String

  /// Where the copy grows until it takes the database's place.
  var copy: String { Self.copy(of: path) }

  /// Where the original is kept when it is to be.
  var original: String { path + "-original" }

  /// What engines may make beside the copy.
  private var copyJournals: [String] { ["-journal", "-wal", "-shm"].map { copy + $0 } }

  /// Says that the database had a write-ahead log when a conversion began.
  ///
  /// A conversion takes the log into the file, and with it the mode that the file has in its header.
  private var logMark: ConversionMark { ConversionMark(path: copy + "-had-log") }

  private static let logText = "the database had a write-ahead log when its conversion began"

  /// Says which file is the copy, so that no other one is ever taken for what is left of it.
  private var claim: ConversionMark { ConversionMark(path: copy + "-claim") }

  /// Finds the file.
  ///
  /// - Throws: ``DatabaseError`` when there is none, or its folder cannot be written; nothing was opened.
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

  private static func copy(of path: String) -> String { path + "-converting" }

  private var folder: String {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex
    return name == path.utf8.startIndex ? "/" : String(path[..<name])
  }

  // MARK: - Who converts

  /// Whether a process is converting a file at this moment; false when one was killed doing so.
  ///
  /// The copy alone tells nothing, since a crash leaves it behind. Its maker holds a lock on it, which ends with the
  /// process.
  static func isBeingConverted(_ path: String) -> Bool {
    guard let resolved = realpath(path, nil) else { return false }
    defer { free(resolved) }
    let descriptor = open(copy(of: String(cString: resolved)), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return csqlite_try_lock(descriptor, 0) != 0 && errno == EWOULDBLOCK
  }

  // MARK: - The journal mode

  /// Whether a conversion that was killed had taken a write-ahead log from the database.
  ///
  /// - Throws: ``DatabaseError`` when another file has the mark's name.
  func hasLogMark() throws(DatabaseError) -> Bool {
    switch try state(of: logMark) {
    case .none: false
    case .unfinished, .whole(Self.logText): true
    case .whole, .other: throw foreign(logMark.path)
    }
  }

  /// Remembers that the database has a write-ahead log, for the case that this process is killed.
  func markLog() throws(DatabaseError) {
    while !logMark.make(Self.logText) {
      let number = errno
      guard number == EEXIST else { throw error(number, "\(logMark.path) cannot be created") }
      // Another one that wants to convert the file may have made it, and may remove it at this moment.
      if try hasLogMark() { break }
    }
    try syncFolder()
  }

  /// Forgets it, when the database has its mode again.
  func removeLogMark() throws(DatabaseError) {
    switch try state(of: logMark) {
    case .unfinished, .whole(Self.logText): try remove(logMark.path)
    case .none, .whole, .other: break
    }
  }

  // MARK: - Whose files these are

  /// Says which file is the copy.
  ///
  /// - Parameter file: The copy, which is still empty and has the permissions of what is not finished.
  func makeClaim(of file: FileIdentity) throws(DatabaseError) {
    guard let original = FileIdentity(path: path) else { throw error(errno, "\(path) cannot be looked at") }
    guard claim.make(Self.claimText(file.inode, original.inode)) else {
      throw error(errno, "\(claim.path) cannot be created")
    }
  }

  /// Refuses to convert where a file that no conversion has made has a name that this one needs.
  ///
  /// Only for who has the database to itself: another conversion makes and removes these files.
  func refuseForeign() throws(DatabaseError) {
    let claimed = try claimedCopy()
    var status = stat()
    let hasCopy = lstat(copy, &status) == 0
    if hasCopy, !Self.isCopy(status, claimed) { throw foreign(copy) }
    // They are removed before the copy, so that without it they are another one's.
    guard !hasCopy else { return }
    for name in copyJournals where lstat(name, &status) == 0 { throw foreign(name) }
  }

  /// Forgets which file was the copy, when it has become the database.
  ///
  /// For who does not have the database to itself: the claim of a conversion that goes on stays. Should one begin between
  /// both steps, its claim may go; if that one is killed then, its copy is refused as another one's, and not lost.
  func removeFulfilledClaim() throws(DatabaseError) {
    guard case .whole(let text) = try state(of: claim), let claimed = Self.numbers(inClaim: text),
      claimed.copy == FileIdentity(path: path)?.inode
    else { return }
    try remove(claim.path)
  }

  /// The number of the file that an earlier conversion has claimed as its copy of this database; nil for none.
  ///
  /// The database's own number is a part of it: the claim of a copy that has become the database speaks of no other.
  private func claimedCopy() throws(DatabaseError) -> UInt64? {
    switch try state(of: claim) {
    case .none, .unfinished: return nil
    case .other: throw foreign(claim.path)
    case .whole(let text):
      // Devices may get other numbers when the system starts anew; all the files are in one folder.
      guard let claimed = Self.numbers(inClaim: text) else { throw foreign(claim.path) }
      return claimed.original == FileIdentity(path: path)?.inode ? claimed.copy : nil
    }
  }

  private static func isCopy(_ status: stat, _ claimed: UInt64?) -> Bool {
    ConversionMark.isUnfinished(status) && status.st_size == 0 || UInt64(truncatingIfNeeded: status.st_ino) == claimed
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

  private func foreign(_ name: String) -> DatabaseError {
    DatabaseError(
      .denied, engine: engine,
      message: "the conversion of \(path) makes a file \(name), and there is one that no conversion seems to have made",
      remedy: "Move that file away, or remove it; nothing was changed.")
  }

  // MARK: - Steps

  /// The bytes that are free on the disk of the folder; nil when the system does not tell.
  func availableBytes() -> Int64? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }

  /// The size of the copy so far, in bytes.
  func copiedBytes() -> Int64 {
    var status = stat()
    return stat(copy, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Removes what is left of a copy, and what an engine may have left beside it; last what tells whose these are.
  ///
  /// Only for who has the database to itself, and has refused other files of these names.
  func removeCopy() throws(DatabaseError) {
    for name in copyJournals + [copy, claim.path] { try remove(name) }
  }

  /// Makes sure that no journal lies beside the database, which would be replayed over the copy that takes its place.
  ///
  /// Only for who has the database to itself and has seen it without a write-ahead log. A journal that is left then is
  /// one that a mode of keeping them left, without a meaning but with pages of the database in it
  /// (https://www.sqlite.org/pragma.html#pragma_journal_mode).
  func removeJournals() throws(DatabaseError) {
    var log = stat()
    // An empty one counts as none, for the engine too: it is what a connection left that was killed while it removed it.
    guard stat(path + "-wal", &log) != 0 || log.st_size == 0 else {
      throw DatabaseError(
        .busy, engine: engine, message: "a write-ahead log is left beside \(path), which another connection must use",
        remedy: "Close the other connections to the database.")
    }
    for name in ["-journal", "-wal", "-shm"] { try remove(path + name) }
  }

  /// Gives the original a second name, under which it stays when the copy takes its first one.
  ///
  /// - Returns: Whether it has got the name now; false when an earlier conversion that did not come to its end gave it.
  func keepOriginal() throws(DatabaseError) -> Bool {
    if try isOriginalKept() { return false }
    guard link(path, original) == 0 else {
      throw error(errno, "the original cannot be kept as \(original), since the file system gives no second name to it")
    }
    return true
  }

  /// Whether the original has its second name already.
  ///
  /// - Throws: ``DatabaseError`` when another file has that name.
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

  /// Puts the copy in the place of the database, as one step.
  func swap() throws(DatabaseError) {
    guard rename(copy, path) == 0 else { throw error(errno, "the copy cannot take the place of \(path)") }
  }

  /// Removes a file; none is fine.
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

  // MARK: - Errors

  /// An error of the operating system.
  func error(_ number: Int32, _ message: String) -> DatabaseError { Self.error(number, message, engine) }

  private static func error(_ number: Int32, _ message: String, _ engine: String) -> DatabaseError {
    let condition: DatabaseError.Condition =
      switch number {
      case ENOSPC, EDQUOT, EFBIG: .full
      case EACCES, EPERM: .permissionDenied
      case EROFS: .readOnly
      case ENOTSUP: .unsupported
      default: .inputOutput
      }
    return DatabaseError(
      condition, engine: engine, message: "\(message): \(SystemError.text(number))",
      remedy: Remedy.text(for: condition))
  }
}
