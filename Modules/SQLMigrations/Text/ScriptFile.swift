internal import Migrator
internal import SQLSyntax

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Functions that read folders and text files, and report the reason if that fails.
package enum ScriptFile {
  /// Returns the names in a folder, sorted by their bytes, since the file system returns them in arbitrary order.
  package static func names(in folder: String) throws(MigrationProblem) -> [String] {
    try entries(in: folder).map(\.name)
  }

  /// Returns the names in a folder, sorted by their bytes, and whether each is a folder or a link to a folder.
  static func entries(in folder: String) throws(MigrationProblem) -> [(name: String, isFolder: Bool)] {
    guard let stream = opendir(folder) else { throw unreadableFolder(folder, errno) }
    defer { closedir(stream) }
    var entries: [(name: String, isFolder: Bool)] = []
    while true {
      // Only `errno` distinguishes the end from a failure:
      // https://pubs.opengroup.org/onlinepubs/9799919799/functions/readdir.html.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name != ".", name != ".." else { continue }
      // Most file systems report the file type here, which saves a system call for each file.
      let isFile = Int(entry.pointee.d_type) == Int(DT_REG)
      entries.append((name, !isFile && isFolder("\(folder)/\(name)")))
    }
    guard errno == 0 else { throw unreadableFolder(folder, errno) }
    return entries.sorted { $0.name < $1.name }
  }

  /// Whether a path refers to a folder, possibly through links.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether a file, a folder or a link, even a broken one, exists at a path.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Returns the paths of all SQL files in a folder and its subfolders, in order; names that begin with a dot are ignored.
  static func sqlFiles(below folder: String) throws(MigrationProblem) -> [String] {
    var (open, files) = ([folder], [String]())
    // A link may lead back to a folder.
    var known: Set<FileIdentity> = []
    while let next = open.popLast() {
      guard let identity = FileIdentity(path: next), known.insert(identity).inserted else { continue }
      for name in try names(in: next) where !name.hasPrefix(".") {
        let path = "\(next)/\(name)"
        if isFolder(path) {
          open.append(path)
        } else if name.dropping(".sql") != nil {
          files.append(path)
        }
      }
    }
    return files.sorted()
  }

  /// The size in bytes of the largest file that is read: the engine's default limit for a single statement
  /// (SQLITE_MAX_SQL_LENGTH, <https://www.sqlite.org/limits.html>).
  package static let largestSize = 1_000_000_000

  /// Returns the unmodified text of a UTF-8 file, including a byte order mark.
  ///
  /// - Throws: ``MigrationProblem`` if the file is not UTF-8 text, is larger than `limit`, or cannot be read.
  package static func text(at path: String, limit: Int = largestSize) throws(MigrationProblem) -> String {
    let bytes = try bytes(at: path, limit: limit)
    if isUTF16WithoutMark(bytes) { throw MigrationProblem(.utf16, path: path) }
    if let text = validText(bytes) { return text }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw MigrationProblem(.utf16, path: path)
    }
    let offset = firstInvalidOffset(in: bytes)
    let position = SQLTextPosition(ofUTF8Offset: offset, in: String(decoding: bytes[..<offset], as: UTF8.self))
    throw MigrationProblem(.notUTF8(offset: offset), path: path, position: position)
  }

  /// Returns UTF-8 bytes as text; nil if they are not UTF-8.
  ///
  /// `String(validating:as:)` does the same, but requires macOS 15 or iOS 18.
  package static func validText(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    // A replacement character has other bytes than what it replaces.
    return text.utf8.elementsEqual(bytes) ? text : nil
  }

  private static func bytes(at path: String, limit: Int) throws(MigrationProblem) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw MigrationProblem(.unreadable(.other("it is not a regular file")), path: path)
    }
    // A sparse file of any size takes no space on the disk.
    if status.st_size > limit { throw tooLarge(path, Int(status.st_size), limit) }
    // The size is not relied on: a file may grow in the meantime, and files in /proc have size 0.
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: max(4096, Int(status.st_size)))
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count != 0 else { return bytes }
      if count > 0 {
        bytes += chunk[..<count]
        if bytes.count > limit { throw tooLarge(path, bytes.count, limit) }
      } else if errno != EINTR {
        throw unreadable(path, errno)
      }
    }
  }

  /// Returns a line of a text without its line ending: LF, CR LF or CR.
  ///
  /// - Parameter number: The line's number, from 1.
  package static func line(_ number: Int, of text: String) -> String? {
    let lines = lines(of: text)
    return lines.indices.contains(number - 1) ? String(lines[number - 1]) : nil
  }

  /// Returns the lines of a text without their line endings, and without a byte order mark.
  package static func lines(of text: String) -> [Substring] {
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
      .map { $0.drop { $0 == "\u{FEFF}" } }
  }

  /// Whether a text looks like UTF-16 without a byte order mark: each second byte is zero at its beginning.
  private static func isUTF16WithoutMark(_ bytes: [UInt8]) -> Bool {
    let start = bytes.prefix(64)
    guard start.count >= 4, start.contains(0) else { return false }
    return [0, 1].contains { parity in
      start.indices.allSatisfy { ($0 % 2 == parity) == (start[$0] == 0) }
    }
  }

  private static func firstInvalidOffset(in bytes: [UInt8]) -> Int {
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
    return min(offset, bytes.count)
  }

  private static func tooLarge(_ path: String, _ size: Int, _ limit: Int) -> MigrationProblem {
    MigrationProblem(.unreadable(.tooLarge(sizeInBytes: size, limitInBytes: limit)), path: path)
  }

  private static func unreadableFolder(_ folder: String, _ number: Int32) -> MigrationProblem {
    switch number {
    case ENOENT: MigrationProblem(.missingFolder, path: folder)
    case ENOTDIR: MigrationProblem(.notAFolder, path: folder)
    default: unreadable(folder, number)
    }
  }

  private static func unreadable(_ path: String, _ number: Int32) -> MigrationProblem {
    let reason: MigrationProblem.Unreadability =
      switch number {
      case EACCES, EPERM: .noPermission
      case ENOENT, ENOTDIR: .missing
      default: .other("the system reports: \(String(cString: strerror(number)))")
      }
    return MigrationProblem(.unreadable(reason), path: path)
  }
}
