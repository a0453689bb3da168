internal import Migrator
internal import SQLMigrations

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

struct SystemFailure: Error {
  let what: String
  let number: Int32

  init(_ what: String, _ number: Int32) { (self.what, self.number) = (what, number) }

  var reason: String { SystemCalls.message(number) }
  var isMissing: Bool { number == ENOENT }
}

enum FileSystem {
  struct Status: Equatable, Sendable {
    enum Kind {
      case regular
      case folder
      case other
    }

    let kind: Kind
    let size: Int
    let permissions: mode_t
    let inode: UInt64
    /// The time of the last modification: seconds since 1970, and nanoseconds.
    let modification: [Int]
  }

  // MARK: Paths

  /// Returns a path with links resolved, together with its folder and its file name.
  static func resolve(_ path: String) -> (path: String, folder: String, name: String) {
    var resolved = path
    if let pointer = realpath(path, nil) {
      resolved = String(cString: pointer)
      free(pointer)
    }
    return (resolved, resolved.containingFolder, name(of: resolved))
  }

  /// Returns the name at the end of a path; ignores slashes after it, unlike `lastPathComponent`.
  static func name(of path: String) -> String {
    // By bytes: a character may consist of a slash and the combining marks after it.
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
  }

  static func join(_ folder: String, _ name: String) -> String {
    folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
  }

  /// Returns the path of a file in the folder of `path`; the result is relative if `path` is relative, unless `path` is
  /// a link.
  static func path(of sibling: String, besideGiven path: String) -> String {
    let resolved = resolve(path).path
    guard !isLink(path), sibling.hasPrefix(resolved) else { return sibling }
    return path + sibling.dropFirst(resolved.count)
  }

  // MARK: Status

  static func status(of path: String) throws(SystemFailure) -> Status {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemFailure("\(path) cannot be examined", errno) }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    let kind: Status.Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      default: .other
      }
    return Status(
      kind: kind, size: Int(status.st_size), permissions: status.st_mode & 0o777, inode: UInt64(status.st_ino),
      modification: [time.tv_sec, time.tv_nsec])
  }

  /// Returns a text that identifies a file: it is the same for all names of the file or, if the file does not exist,
  /// for all spellings of its path.
  static func identity(of path: String) -> String {
    var status = stat()
    if stat(path, &status) == 0 { return "\(status.st_dev):\(status.st_ino)" }
    // A database is created where a broken link leads. A circle of links is another error.
    if errno == ENOENT, let target = linkTarget(path) {
      return identity(of: target.hasPrefix("/") ? target : join(path.containingFolder, target))
    }
    return join(resolve(path.containingFolder).path, name(of: path))
  }

  static func linkTarget(_ path: String) -> String? {
    let size = Int(PATH_MAX)
    var bytes = [CChar](repeating: 0, count: size)
    let count = readlink(path, &bytes, size)
    return count > 0 ? String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }

  /// Returns the paths that match a shell pattern, sorted
  /// (https://pubs.opengroup.org/onlinepubs/9799919799/functions/glob.html), which may not be UTF-8; empty if there are
  /// none.
  static func paths(matching pattern: String) throws(SystemFailure) -> [[UInt8]] {
    var found = glob_t()
    defer { globfree(&found) }
    // Without this function, glob would leave out folders that cannot be read.
    let result = glob(pattern, 0, { _, number in number == ENOENT || number == ENOTDIR ? 0 : 1 }, &found)
    guard result == 0 || result == GLOB_NOMATCH else {
      throw SystemFailure("the files that match \(pattern) cannot be listed", errno)
    }
    return (0..<Int(found.gl_pathc)).compactMap { index in
      found.gl_pathv?[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
  }

  static func exists(_ path: String) -> Bool { linkMode(path) != nil }

  static func isFolder(_ path: String) -> Bool { ScriptFile.isFolder(path) }

  static func isLink(_ path: String) -> Bool { linkMode(path).map { $0 & S_IFMT == S_IFLNK } ?? false }

  /// Whether a file's owner is none of these: the user of this process, the owner of the current folder, root.
  static func belongsToAnotherUser(_ path: String) -> Bool {
    var (file, folder) = (stat(), stat())
    guard stat(path, &file) == 0, stat(".", &folder) == 0 else { return false }
    return ![geteuid(), 0, folder.st_uid].contains(file.st_uid)
  }

  /// Returns the first file that a database needs for writing and this process cannot write: the database, its journal
  /// or log, or their folder; nil if there is none, or if no file is at the path.
  static func unwritable(database path: String) -> String? {
    guard exists(path) else { return nil }
    let real = resolve(path)
    let files = ["", "-journal", "-wal", "-shm"].map { real.path + $0 } + [real.folder]
    return files.first { access($0, W_OK) != 0 && errno != ENOENT }
  }

  /// Returns the mode of the file at a path, without following links; nil when nothing exists there.
  private static func linkMode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  static func names(in folder: String) -> [String] { (try? ScriptFile.names(in: folder)) ?? [] }

  // MARK: Content

  static func bytes(of path: String, count: Int) throws(SystemFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("\(path) cannot be read", errno) }
    defer { close(descriptor) }
    return try bytes(of: descriptor, count: count)
  }

  /// Closes the descriptor in processes that this one starts.
  static func keepFromChildren(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

  /// Reads at most `count` bytes from an open descriptor.
  static func bytes(of descriptor: Int32, count: Int) throws(SystemFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = bytes.withUnsafeMutableBytes { SystemCalls.readFully($0, from: descriptor) }
    guard read >= 0 else { throw SystemFailure("file descriptor \(descriptor) cannot be read", Int32(-read)) }
    bytes.removeLast(count - read)
    return bytes
  }

  /// Reads a file or a pipe to its end; reads standard input if the path is nil.
  static func content(of path: String?) throws(SystemFailure) -> [UInt8] {
    let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard descriptor >= 0 else { throw SystemFailure("\(path ?? "standard input") cannot be read", errno) }
    defer { if path != nil { close(descriptor) } }
    let size = 65_536
    var content: [UInt8] = []
    while true {
      let part = try bytes(of: descriptor, count: size)
      content += part
      if part.count < size { return content }
    }
  }

  /// Creates a file; returns false when it already exists.
  ///
  /// - Parameter model: A file whose permissions and, as far as possible, owner the new one gets, if it exists.
  static func createFile(
    _ path: String, text: String, mode: mode_t = 0o666, like model: String? = nil
  ) throws(SystemFailure) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw SystemFailure("\(path) cannot be created", errno)
    }
    defer { close(descriptor) }
    do throws(SystemFailure) {
      if let model, let status = try? status(of: model) {
        FileOwner.set(of: descriptor, likeFileAt: model)
        guard fchmod(descriptor, status.permissions) == 0 else {
          throw SystemFailure("\(path) cannot be created", errno)
        }
      }
      try write(text, to: descriptor, path)
    } catch {
      remove(path)
      throw error
    }
    return true
  }

  static func write(_ text: String, into path: String) throws(SystemFailure) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("\(path) cannot be opened", errno) }
    defer { close(descriptor) }
    try write(text, to: descriptor, path)
  }

  private static func write(_ text: String, to descriptor: Int32, _ path: String) throws(SystemFailure) {
    let failure = SystemCalls.print(text, to: descriptor)
    guard failure == 0 else { throw SystemFailure("\(path) cannot be written", failure) }
  }

  // MARK: Names

  static func createFolder(_ path: String) throws(SystemFailure) {
    if exists(path) { return }
    try createFolder((path.hasSuffix("/") ? String(path.dropLast()) : path).containingFolder)
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw SystemFailure("the folder \(path) cannot be created", errno)
    }
  }

  static func remove(_ path: String) { unlink(path) }

  static func move(_ path: String, to newPath: String) throws(SystemFailure) {
    guard rename(path, newPath) == 0 else { throw SystemFailure("\(newPath) cannot be created", errno) }
  }
}

/// The system calls that the tool needs, with Swift types.
enum SystemCalls {
  static func message(_ number: Int32) -> String { String(cString: strerror(number)) }

  static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Lets all threads of the process allocate from one heap.
  ///
  /// By default, glibc reserves 64 MiB of addresses for each of several threads, for which `ulimit -v` may leave no
  /// room (https://man7.org/linux/man-pages/man3/mallopt.3.html, M_ARENA_MAX).
  static func shareHeap() {
    #if !canImport(Darwin) && !canImport(Musl)
      // Swift's module of glibc does not contain this function. Without it, the process only reserves more addresses.
      guard let address = dlsym(nil, "mallopt") else { return }
      let mallopt = unsafeBitCast(address, to: (@convention(c) (Int32, Int32) -> Int32).self)
      let maximumOfArenas: Int32 = -8
      _ = mallopt(maximumOfArenas, 1)
    #endif
  }

  /// Writes a whole text, in several system calls if necessary; returns zero or the error number.
  static func print(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN || errno == EWOULDBLOCK {
          // Another process has made the descriptor non-blocking, and the reader is slow.
          var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&descriptors, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Fills the buffer from a descriptor.
  ///
  /// - Returns: The number of bytes read, less than the buffer's size only at the end of the input; or the negated
  ///   error number.
  static func readFully(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
    var filled = 0
    while filled < buffer.count {
      let count = read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        return -Int(errno)
      }
    }
    return filled
  }
}
