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

  /// Where the copy grows until it takes the database's place; no other file of this name is ever kept.
  var copy: String { Self.copy(of: path) }

  /// Where the original is kept when it is to be.
  var original: String { path + "-original" }

  /// An empty file that says that the database had a write-ahead log when a conversion began.
  ///
  /// A conversion takes the log into the file, and with it the mode that the file has in its header.
  private var logMark: String { path + "-converting-had-log" }

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
  var hasLogMark: Bool { FileIdentity(path: logMark) != nil }

  /// Remembers that the database has a write-ahead log, for the case that this process is killed.
  func markLog() throws(DatabaseError) {
    let descriptor = open(logMark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw error(errno, "\(logMark) cannot be created") }
    close(descriptor)
    try syncFolder()
  }

  /// Forgets it, when the database has its mode again.
  func removeLogMark() throws(DatabaseError) { try remove(logMark) }

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

  /// Removes what is left of a copy, and what an engine may have left beside it.
  ///
  /// Only for who has the database to itself: the copy may be another one's otherwise.
  func removeCopy() throws(DatabaseError) {
    for name in [copy, copy + "-journal", copy + "-wal", copy + "-shm"] { try remove(name) }
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
