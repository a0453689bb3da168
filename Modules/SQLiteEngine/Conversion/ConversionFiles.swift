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
  /// Where the original is kept when it is to be.
  var original: String { path + "-original" }
  /// What engines may make beside the copy.
  private var copyJournals: [String] { ["-journal", "-wal", "-shm"].map { copy + $0 } }

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

  private var folder: String { FileProbe.folder(of: path) }

  // MARK: - Remainders of an earlier conversion

  /// Refuses to convert where a file that no conversion has made has a name that this one needs.
  ///
  /// Only for a caller that has the database to itself: another conversion makes and removes these files.
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

  /// Removes the remainder of a copy, and what an engine may have left beside it; last the claim that says whose they are.
  ///
  /// Only for a caller that has the database to itself, and has refused unknown files of these names.
  func removeCopy() throws(DatabaseError) {
    for name in copyJournals + [copy, claim.path] { try remove(name) }
  }

  /// Makes sure that no journal lies beside the database, which would be replayed over the copy that takes its place.
  ///
  /// Only for a caller that has the database to itself and has seen it without a write-ahead log. A journal
  /// that is there then was left by a mode that keeps them, without a meaning but with pages of the database in it
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

  /// Gives the original a second name, under which it stays when the copy takes its first one.
  ///
  /// - Returns: Whether it has got the name now; false when an earlier conversion gave it, and was killed.
  func keepOriginal() throws(DatabaseError) -> Bool {
    if try isOriginalKept() { return false }
    guard link(path, original) == 0 else {
      throw error(
        errno, "the original cannot be kept as \(original), since the file system does not support hard links")
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

  // MARK: - Errors

  func error(_ number: Int32, _ message: String) -> DatabaseError { Self.error(number, message, engine) }

  private static func error(_ number: Int32, _ message: String, _ engine: String) -> DatabaseError {
    let condition = SystemError.condition(number) ?? (number == ENOTSUP ? .unsupported : .inputOutput)
    return DatabaseError(
      condition, engine: engine, message: "\(message): \(SystemError.text(number))",
      remedy: Remedy.text(for: condition))
  }
}
