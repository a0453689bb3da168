internal import Migrator

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What a path leads to, found out without opening it.
struct FileProbe {
  let path: String
  let engine: String

  /// The size of the file in bytes; nil when there is no file.
  private(set) var size: Int64?

  /// Looks at a path and tells apart why it could not be opened.
  ///
  /// - Throws: ``DatabaseError`` as `.fileMissing`, `.folderMissing`, `.isDirectory`, `.permissionDenied` or
  ///   `.cannotOpen`.
  init(path: String, engine: String, mayCreate: Bool) throws(DatabaseError) {
    self.path = path
    self.engine = engine
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw error(.cannotOpen, path.isEmpty ? "the path of the database is empty" : "the path holds a NUL character")
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
    // The answer is advice only: the file may change before it is opened, and the engine has the last word.
    if faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 { throw denied(errno) }
  }

  /// Whether there is still no such file, though its folder exists: the only explanation that an engine leaves open when
  /// it could not create it is that the folder does not let it.
  var couldNotBeCreated: Bool {
    size == nil && FileIdentity(path: path) == nil && FileIdentity(path: folder) != nil
  }

  /// The folder that holds the file.
  private var folder: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  private func checkMissing(_ number: Int32, mayCreate: Bool) throws(DatabaseError) {
    switch number {
    case ENOENT, ENOTDIR:
      var status = stat()
      guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw FileIdentity(path: folder) == nil
          ? error(.folderMissing, "the folder \(folder) does not exist", "Create it, or correct the path.")
          : error(.folderMissing, "\(folder) is not a folder", "Correct the path.")
      }
      guard mayCreate else {
        throw error(.fileMissing, "there is no file \(path)", "Correct the path; it is not created when only reading.")
      }
      if faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0 {
        throw errno == EROFS
          ? error(.readOnly, "the folder \(folder) is on a disk that can only be read") : denied(errno)
      }
    case EACCES: throw denied(number)
    default: throw error(.cannotOpen, "\(path) cannot be opened: \(SystemError.text(number))")
    }
  }

  /// Whether the engines' own limit for absolute paths may be why the file was not created: MAX_PATHNAME in os_unix.c,
  /// 512 bytes, in which the names of the files beside the database have to fit, too.
  var isTooLong: Bool {
    guard let absolute = realpath(folder, nil) else { return false }
    defer { free(absolute) }
    return strlen(absolute) + path.utf8.count - folder.utf8.count > 500
  }

  /// The error of a path that the engine does not take.
  var tooLong: DatabaseError {
    error(
      .cannotOpen, "the path is too long for the engine, which takes some 500 bytes in all", "Choose a shorter one.")
  }

  /// The error of a file that permissions keep closed.
  func denied(_ number: Int32) -> DatabaseError {
    error(
      .permissionDenied, "\(path) cannot be opened: \(SystemError.text(number))", Remedy.text(for: .permissionDenied))
  }

  private func error(_ condition: DatabaseError.Condition, _ message: String, _ remedy: String? = nil) -> DatabaseError
  {
    DatabaseError(condition, engine: engine, message: message, remedy: remedy)
  }
}
