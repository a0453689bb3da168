internal import CSQLiteLoader
package import Migrator
internal import SQLiteDialect

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The state of a database path, determined without opening the file: closing the file would drop the locks that an
/// engine in this process holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
package struct FileProbe {
  /// The path of the database.
  package let path: String
  private let engine: String
  /// The size of the file in bytes; nil when there is no file.
  package private(set) var size: Int64?

  /// Examines a path; throws if a database at the path can neither be opened nor created.
  ///
  /// - Throws: ``DatabaseError`` as `.fileMissing`, `.folderMissing`, `.isDirectory`, `.permissionDenied` or
  ///   `.cannotOpen`.
  package init(path: String, engine: String, mayCreate: Bool) throws(DatabaseError) {
    self.path = path
    self.engine = engine
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw error(.cannotOpen, path.isEmpty ? "the path of the database is empty" : "the path contains a NUL character")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      try checkMissing(errno, mayCreate: mayCreate)
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: size = Int64(status.st_size)
    case S_IFDIR: throw error(.isDirectory, "\(path) is a folder", "Name a file in it.")
    default: throw error(.cannotOpen, "\(path) is a pipe or a device, not a file", "Name a file.")
    }
    // This check is only advisory: the file may change before it is opened, and then the engine reports the error.
    if faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 { throw denied(errno) }
  }

  /// Whether the file does not exist or is empty.
  package var isEmpty: Bool { size ?? 0 == 0 }

  /// Whether a journal or a write-ahead log beside the file may contain changes that are not in the file.
  package var hasJournal: Bool {
    ["-journal", "-wal"].contains { Self.hasContent(path + $0) }
  }

  /// The first of the log, its index and the journal beside the file that belongs to another user and that this process
  /// cannot write, with the ID of the user; nil if there is none.
  var fileOfAnotherUser: (path: String, owner: UInt32)? {
    for file in ["-wal", "-shm", "-journal"].map({ path + $0 }) {
      var status = stat()
      guard stat(file, &status) == 0, status.st_uid != geteuid() else { continue }
      if faccessat(AT_FDCWD, file, R_OK | W_OK, AT_EACCESS) != 0 { return (file, status.st_uid) }
    }
    return nil
  }

  /// Whether there is a file with content at a path.
  package static func hasContent(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size > 0
  }

  /// The absolute path, which an engine cannot mistake for `:memory:` or a URI (https://www.sqlite.org/uri.html).
  var absolutePath: String {
    guard !path.hasPrefix("/") else { return path }
    guard let folder = getcwd(nil, 0) else { return "./" + path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  // MARK: - Conversions

  /// Returns the path of the copy into which a conversion writes before it renames the copy.
  static func copyPath(of path: String) -> String { path + "-converting" }

  /// Whether a process is converting the file right now; false if that process was killed.
  ///
  /// A conversion writes into a copy of the file. The existence of the copy proves nothing, since it remains after a
  /// crash. The converting process holds a lock on the copy; the system releases the lock when the process ends.
  var isBeingConverted: Bool {
    guard let resolved = realpath(path, nil) else { return false }
    defer { free(resolved) }
    let descriptor = open(Self.copyPath(of: String(cString: resolved)), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return csqlite_try_lock(descriptor, 0) != 0 && errno == EWOULDBLOCK
  }

  // MARK: - Errors

  /// The error for a file that the engine could not create; nil when the file exists, or when its folder does not
  /// exist, because then the engine's own error is more specific.
  var creationError: DatabaseError? {
    guard size == nil, FileIdentity(path: path) == nil, FileIdentity(path: folder) != nil else { return nil }
    guard isTooLong else { return denied(EACCES) }
    return error(
      .cannotOpen, "the path is too long for the engine, which accepts about 500 bytes", "Choose a shorter one.")
  }

  /// Whether the path may be too long for the engine: MAX_PATHNAME in os_unix.c is 512 bytes, a limit for the absolute
  /// paths of the database and of the journals beside it.
  private var isTooLong: Bool {
    guard let absolute = realpath(folder, nil) else { return false }
    defer { free(absolute) }
    return strlen(absolute) + path.utf8.count - folder.utf8.count > 500
  }

  private var folder: String { path.containingFolder }

  private func checkMissing(_ number: Int32, mayCreate: Bool) throws(DatabaseError) {
    switch number {
    case ENOENT, ENOTDIR:
      var status = stat()
      guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw FileIdentity(path: folder) == nil
          ? error(.folderMissing, "the folder \"\(folder)\" does not exist", "Create it, or correct the path.")
          : error(.folderMissing, "\(folder) is not a folder", "Correct the path.")
      }
      guard mayCreate else {
        throw error(
          .fileMissing, "the file \(path) does not exist",
          "Correct the path. Nothing was created.")
      }
      if faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0 {
        throw errno == EROFS
          ? error(.readOnly, "the folder \(folder) is on a read-only disk") : denied(errno)
      }
    case EACCES: throw denied(number)
    default: throw error(.cannotOpen, "\(path) cannot be opened: \(SystemError.text(number))")
    }
  }

  private func denied(_ number: Int32) -> DatabaseError {
    error(
      .permissionDenied, "\(path) cannot be opened: \(SystemError.text(number))", Remedy.text(for: .permissionDenied))
  }

  private func error(_ condition: DatabaseError.Condition, _ message: String, _ remedy: String? = nil) -> DatabaseError
  {
    DatabaseError(condition, engine: engine, message: message, remedy: remedy)
  }
}

// MARK: - The system's error numbers

extension ResultCode {
  /// Returns the condition for an extended result code; `systemError` is the `errno` of a file error, or zero.
  static func condition(_ code: Int32, systemError: Int32) -> DatabaseError.Condition {
    let primary = code & 0xff
    if primary == SQLITE_CANTOPEN, systemError == EISDIR { return .isDirectory }
    // The other result codes for failed reads and writes are more specific than `errno`.
    let system = SystemError.condition(systemError)
    if let system, !isDetailed(code), primary == SQLITE_CANTOPEN || primary == SQLITE_IOERR && system == .full {
      return system
    }
    return condition(code)
  }
}

enum SystemError {
  /// Returns the condition for a system error number, or nil; to the user, an exceeded quota or file size limit is a
  /// full disk.
  static func condition(_ number: Int32) -> DatabaseError.Condition? {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: .full
    case EACCES, EPERM: .permissionDenied
    case EROFS: .readOnly
    default: nil
    }
  }

  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
