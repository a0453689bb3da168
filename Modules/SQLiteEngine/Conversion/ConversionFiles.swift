internal import CSQLiteLoader
internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The files of a conversion: the database, its copy, the marks for the next conversion, and the retained original.
struct ConversionFiles {
  /// The absolute path of the database, with symbolic links resolved, so that the conversion does not replace a link.
  let path: String
  let engine: String
  let folder: OpenFolder
  /// The path of the copy, until the copy replaces the database.
  var copy: String { FileProbe.copyPath(of: path) }
  var original: String { path + "-original" }
  /// The paths of the journals that engines may create beside the copy.
  private var copyJournals: [String] { ["-journal", "-wal", "-shm"].map { copy + $0 } }
  var database: FileIdentity? { folder.status(of: path).map(FileIdentity.init) }

  /// Finds the database without opening it; throws if there is no file, or if its folder is not writable.
  init(path: String, engine: String) throws(DatabaseError) {
    _ = try FileProbe(path: path, engine: engine, mayCreate: false)
    self.engine = engine
    guard let resolved = realpath(path, nil) else { throw Self.error(errno, "\(path) cannot be found", engine) }
    defer { free(resolved) }
    self.path = String(cString: resolved)
    let folderPath = self.path.containingFolder
    // This check is only advisory, so that a conversion that cannot succeed fails early.
    guard faccessat(AT_FDCWD, folderPath, W_OK | X_OK, AT_EACCESS) == 0 else {
      throw Self.error(
        errno, "the folder \(folderPath) is not writable, and a conversion creates a new file in it", engine)
    }
    guard let folder = OpenFolder(folderPath) else {
      throw Self.error(errno, "the folder \(folderPath) cannot be opened", engine)
    }
    self.folder = folder
  }

  // MARK: - Leftover files of an earlier conversion

  /// Throws if a file that no conversion created has a name that this conversion needs.
  ///
  /// The caller must have exclusive access to the database: another conversion may create or remove these files.
  func refuseUnknownFiles() throws(DatabaseError) {
    let claimed = try claimedCopy()
    if let status = folder.status(of: copy) {
      guard Self.isCopy(status, claimed) else { throw unknownFile(copy) }
    } else {
      // The journals are removed before the copy, so without a copy they belong to another program.
      for name in copyJournals where folder.status(of: name) != nil { throw unknownFile(name) }
    }
  }

  private static func isCopy(_ status: stat, _ claimed: UInt64?) -> Bool {
    ConversionMark.isUnfinished(status) && status.st_size == 0 || UInt64(truncatingIfNeeded: status.st_ino) == claimed
  }

  func unknownFile(_ name: String) -> DatabaseError {
    DatabaseError(
      .denied, engine: engine,
      message: "the conversion of \(path) creates the file \(name), but another file with that name exists",
      remedy: "Move or remove that file. Nothing was changed.")
  }

  /// Removes a leftover copy and any journals that an engine left beside the copy, then the claim that identifies the
  /// copy.
  ///
  /// The caller must have exclusive access to the database, and must have called `refuseUnknownFiles()` first.
  func removeCopy() throws(DatabaseError) {
    for name in copyJournals + [copy, claim.path] { try remove(name) }
  }

  /// Removes the database's journals, which the engine would otherwise apply to the copy that replaces the database.
  ///
  /// The caller must have exclusive access to the database, which must have no write-ahead log. A journal that still
  /// exists was left by the journal mode PERSIST; the engine ignores it, but it contains pages of the database
  /// (https://www.sqlite.org/pragma.html#pragma_journal_mode).
  func removeJournals() throws(DatabaseError) {
    // The engine treats an empty log as absent: a connection that is killed while removing its log leaves an empty one.
    guard folder.status(of: path + "-wal")?.st_size ?? 0 == 0 else {
      throw DatabaseError(
        .busy, engine: engine,
        message: "there is still a write-ahead log beside \(path), so another connection must be using it",
        remedy: "Close the other connections to the database.")
    }
    for name in ["-journal", "-wal", "-shm"] { try remove(path + name) }
  }

  // MARK: - The folder

  /// Returns the number of free bytes on the folder's disk; nil when the system does not report it.
  func availableBytes() -> Int64? {
    var status = statvfs()
    guard statvfs(path.containingFolder, &status) == 0 else { return nil }
    return Int64(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }

  func remove(_ name: String) throws(DatabaseError) {
    guard !folder.remove(name), errno != ENOENT else { return }
    throw error(errno, "\(name) cannot be removed")
  }

  /// Writes the folder's entries to disk, so that they survive a power failure.
  func syncFolder() throws(DatabaseError) {
    let number = folder.sync()
    guard number != 0 else { return }
    throw error(number, "the folder \(path.containingFolder) could not be written to the disk")
  }

  // MARK: - The original

  /// Creates a second name for the original (a hard link), so that the file remains when the copy replaces it under the
  /// first name.
  ///
  /// Returns false if an earlier conversion, which was killed, has already created the second name.
  func keepOriginal() throws(DatabaseError) -> Bool {
    if try isOriginalKept() { return false }
    guard folder.link(path, as: original) else {
      let number = errno
      let isUnsupported = number == ENOTSUP || number == EOPNOTSUPP
      throw error(
        number,
        "the original cannot be kept as \(original)"
          + (isUnsupported ? ", since the file system does not support hard links" : ""))
    }
    return true
  }

  /// Whether the original has another name than the database's: that of a backup made of hard links, or of the original
  /// that an earlier conversion kept before it was killed.
  var hasOtherName: Bool { folder.status(of: path).map { $0.st_nlink > 1 } ?? false }

  /// Returns whether the original already has its second name; throws if a different file has that name.
  @discardableResult
  func isOriginalKept() throws(DatabaseError) -> Bool {
    guard let kept = folder.status(of: original) else { return false }
    guard FileIdentity(kept) == database else {
      throw DatabaseError(
        .denied, engine: engine, message: "the original cannot be kept as \(original): another file has that name",
        remedy: "Move or remove that file, or do not keep the original.")
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

/// A small file with a note for the next conversion, in case this one is killed; recognized by its content.
///
/// No other file is ever mistaken for a mark. An unfinished mark, which may still be empty, is recognized by
/// permissions that no other file has; on a file system without permissions, an empty mark is rejected.
struct ConversionMark {
  enum State: Equatable {
    case none
    /// A mark whose content has not been completely written.
    case unfinished
    case whole(String)
    /// A file that no conversion created.
    case other
  }

  /// The permissions of an unfinished file: the owner can write it, no one can read it.
  static let unfinishedMode: mode_t = 0o200
  private static let start = "migrator: "
  private static let limit = 200

  let path: String
  let folder: OpenFolder

  /// Returns the state of the mark; nil, with `errno` set, when the system does not report it.
  func state() -> State? {
    guard let status = folder.status(of: path) else { return errno == ENOENT ? State.none : nil }
    guard Self.isFile(status), status.st_size <= Self.limit else { return .other }
    if Self.isUnfinished(status) { return .unfinished }
    let descriptor = folder.openFile(path, O_RDONLY | O_NONBLOCK)
    guard descriptor >= 0 else { return errno == ENOENT ? State.none : nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.limit)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    return text.hasPrefix(Self.start) && text.hasSuffix("\n")
      ? .whole(String(text.dropFirst(Self.start.count).dropLast())) : .other
  }

  /// Creates the mark without syncing the folder; returns false, with `errno` set, when the file exists or cannot be
  /// created.
  func make(_ text: String) -> Bool {
    let descriptor = folder.openFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: Self.unfinishedMode)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array((Self.start + text + "\n").utf8)
    let count = write(descriptor, bytes, bytes.count)
    guard count == bytes.count else {
      // A partial write means that the disk is full.
      if count >= 0 { errno = ENOSPC }
      return false
    }
    errno = DiskSync.file(descriptor)
    // The content is not secret, and another user may have to read it to continue the conversion.
    guard errno == 0, fchmod(descriptor, mode_t(0o644)) == 0 else { return false }
    // Otherwise, a power failure may leave an unfinished mark of a copy that is no longer one.
    errno = DiskSync.file(descriptor)
    return errno == 0
  }

  /// Returns whether a file is a mark or a copy that a conversion has created but not yet begun to fill.
  static func isUnfinished(_ status: stat) -> Bool { isFile(status) && status.st_mode & 0o7777 == unfinishedMode }

  private static func isFile(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }
}

// MARK: - The mark of a write-ahead log

extension ConversionFiles {
  /// The mark that records that the database had a write-ahead log: a conversion checkpoints the log into the file, and
  /// the file's header then no longer contains the WAL mode.
  private var logMark: ConversionMark { ConversionMark(path: copy + "-had-log", folder: folder) }

  private static let logText = "the database had a write-ahead log when its conversion began"

  /// Returns whether a killed conversion had removed a write-ahead log from the database; throws if another file has
  /// the mark's name.
  func hasLogMark() throws(DatabaseError) -> Bool {
    switch try state(of: logMark) {
    case .none: false
    case .unfinished, .whole(Self.logText): true
    case .whole, .other: throw unknownFile(logMark.path)
    }
  }

  /// Records that the database has a write-ahead log, in case this process is killed.
  func markLog() throws(DatabaseError) {
    while !logMark.make(Self.logText) {
      let number = errno
      guard number == EEXIST else { throw error(number, "\(logMark.path) cannot be created") }
      // Another process that converts the file may have created the mark, and may be removing it right now.
      if try hasLogMark() { break }
    }
    try syncFolder()
  }

  /// Removes the mark, after the database is in WAL mode again.
  func removeLogMark() throws(DatabaseError) {
    switch try state(of: logMark) {
    case .unfinished, .whole(Self.logText): try remove(logMark.path)
    case .none, .whole, .other: break
    }
  }
}

// MARK: - The claim of the copy

extension ConversionFiles {
  /// The mark that identifies the copy, so that no other file is ever treated as a leftover copy.
  var claim: ConversionMark { ConversionMark(path: copy + "-claim", folder: folder) }

  /// Records which file is the copy; the file must still be empty, with the permissions of an unfinished file.
  func makeClaim(of file: FileIdentity) throws(DatabaseError) {
    guard let original = database else { throw error(errno, "\(path) cannot be accessed") }
    guard claim.make(Self.claimText(file.inode, original.inode)) else {
      throw error(errno, "\(claim.path) cannot be created")
    }
  }

  /// Returns the inode number of the file that an earlier conversion claimed as its copy of this database; nil when
  /// there is no such claim.
  ///
  /// The claim also contains the inode number of the database, so it no longer applies once the copy has replaced the
  /// database.
  func claimedCopy() throws(DatabaseError) -> UInt64? {
    switch try state(of: claim) {
    case .none, .unfinished: return nil
    case .other: throw unknownFile(claim.path)
    case .whole(let text):
      // Compares only inode numbers: device numbers may change after a restart, and all files are in one folder.
      guard let claimed = Self.numbers(inClaim: text) else { throw unknownFile(claim.path) }
      return claimed.original == database?.inode ? claimed.copy : nil
    }
  }

  /// Removes the claim, and any journals of the copy, if the copy no longer exists: it has become the database, or a
  /// conversion removed it and was then killed.
  ///
  /// The caller need not have exclusive access to the database: the claim of a running conversion is not removed. If a
  /// conversion begins between the check and the removal, its claim may be removed; if that conversion is then killed,
  /// its copy is not lost, but rejected as another program's file.
  func removeClaimWithoutCopy() throws(DatabaseError) {
    guard folder.status(of: copy) == nil else { return }
    switch try state(of: claim) {
    case .unfinished: break
    case .whole(let text) where Self.numbers(inClaim: text) != nil: break
    // Without a claim, the files of these names belong to another program.
    case .none, .whole, .other: return
    }
    for name in copyJournals + [claim.path] { try remove(name) }
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
