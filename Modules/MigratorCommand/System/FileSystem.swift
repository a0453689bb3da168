#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

internal import Migrator

/// Files and folders, by path.
enum FileSystem {
  /// The path without links, and its folder and name.
  static func resolve(_ path: String) -> (path: String, folder: String, name: String) {
    var resolved = path
    if let pointer = realpath(path, nil) {
      resolved = String(cString: pointer)
      free(pointer)
    }
    guard let slash = resolved.lastIndex(of: "/") else { return (resolved, ".", resolved) }
    let folder = String(resolved[..<slash])
    return (resolved, folder.isEmpty ? "/" : folder, String(resolved[resolved.index(after: slash)...]))
  }

  /// The folder of a path as it is written; "." when it names none.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last part of a path.
  static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// Whether there is anything at a path.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The size of a file in bytes; nil when there is none.
  static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// What a path names.
  enum Kind {
    case missing
    case regular
    case folder
    /// A device, a pipe or the like.
    case other
  }

  /// What a path names, links followed.
  static func kind(of path: String) -> Kind {
    var status = stat()
    guard stat(path, &status) == 0 else { return .missing }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .folder
    default: .other
    }
  }

  /// Whether a path names a folder, links followed.
  static func isFolder(_ path: String) -> Bool { kind(of: path) == .folder }

  /// Whether a path names a symbolic link.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The names in a folder; empty when it cannot be read.
  static func names(in folder: String) -> [String] {
    // What cannot be read has nothing in it for whoever asks in this way.
    (try? FolderEntry.all(in: folder).map(\.name)) ?? []
  }

  /// Removes a file; does nothing when there is none.
  static func remove(_ path: String) { unlink(path) }

  /// Gives a file another name in the same file system.
  static func rename(_ path: String, to newPath: String) throws(SystemFailure) {
    guard systemRename(path, newPath) == 0 else { throw SystemFailure("\(newPath) cannot be created", errno) }
  }

  /// Makes a folder, and those above it.
  static func createFolder(_ path: String) throws(SystemFailure) {
    if exists(path) { return }
    var parent = path
    while parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
    if let slash = parent.lastIndex(of: "/"), slash > parent.startIndex {
      try createFolder(String(parent[..<slash]))
    }
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw SystemFailure("the folder \(path) cannot be created", errno)
    }
  }

  /// Makes a file that does not exist.
  ///
  /// - Parameter model: A file whose permissions it gets, if there is one.
  /// - Returns: False when there is one already; it is not touched.
  static func createFile(
    _ path: String, text: String, permissionsOf model: String? = nil
  ) throws(SystemFailure) -> Bool {
    var status = stat()
    let permissions = model.flatMap { stat($0, &status) == 0 ? status.st_mode & 0o777 : nil }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions ?? 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw SystemFailure("\(path) cannot be created", errno)
    }
    do throws(SystemFailure) {
      // What the process's mask took away.
      if let permissions, fchmod(descriptor, permissions) != 0 {
        throw SystemFailure("\(path) cannot be created", errno)
      }
      try write(text, to: descriptor, path)
    } catch {
      close(descriptor)
      remove(path)
      throw error
    }
    close(descriptor)
    return true
  }

  /// Writes a text to what is there, such as a device or a pipe.
  static func write(_ text: String, into path: String) throws(SystemFailure) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("\(path) cannot be opened", errno) }
    defer { close(descriptor) }
    try write(text, to: descriptor, path)
  }

  private static func write(_ text: String, to descriptor: Int32, _ path: String) throws(SystemFailure) {
    var text = text
    let failure = text.withUTF8 { SystemCalls.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    guard failure == 0 else { throw SystemFailure("\(path) cannot be written", failure) }
  }

  /// Waits until a file or folder is on the disk itself, so that it survives a loss of power.
  static func synchronize(_ path: String) throws(SystemFailure) {
    let number = DiskSync.path(path)
    guard number == 0 else { throw SystemFailure("\(path) cannot be synchronized", number) }
  }
}

/// `rename(2)`, whose name the method above hides.
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
