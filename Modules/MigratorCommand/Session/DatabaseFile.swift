#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What is found at the path of a database before anything opens it.
enum DatabaseFile: Equatable, Sendable {
  /// Nothing.
  case missing
  /// A folder.
  case folder
  /// A file that holds nothing yet: a database that no backend has claimed.
  case empty
  /// A file with content: its first bytes.
  case present(header: [UInt8])
  /// Something that cannot be read: opening it will say why.
  case unreadable

  /// The bytes that tell a file's format: SQLite's own header (https://www.sqlite.org/fileformat2.html, 1.3).
  private static let headerSizeInBytes = 100

  /// Whether a word on the command line was meant to be a database, as its ending or its beginning says.
  static func looksLikeOne(_ word: String) -> Bool {
    let folded = word.lowercased()
    return [".sqlite", ".sqlite3", ".db", ".db3"].contains(where: folded.hasSuffix)
      || ["sqlite:", "sqlcipher:"].contains(where: folded.hasPrefix)
  }

  /// Whether the file is text: neither a database nor, but for a chance of nothing, an encrypted one.
  var isText: Bool {
    guard case .present(let header) = self, header.count >= 16 else { return false }
    return header.allSatisfy { (0x20..<0x7f).contains($0) || (0x09...0x0d).contains($0) }
  }

  /// Looks at a path.
  ///
  /// To be called before this process opens the database: closing the file here would drop the locks that an engine
  /// holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
  init(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // Only a path without a file is a new database; any other failure is the engine's to explain.
      self = errno == ENOENT ? .missing : .unreadable
      return
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      self = .folder
      return
    }
    // Not to be opened at all: reading a pipe would wait for its writer.
    guard status.st_mode & S_IFMT == S_IFREG else {
      self = .unreadable
      return
    }
    guard status.st_size > 0 else {
      self = .empty
      return
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      self = .unreadable
      return
    }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: Self.headerSizeInBytes)
    let count = header.withUnsafeMutableBytes { SystemCalls.readFully($0, from: descriptor) }
    self = count > 0 ? .present(header: Array(header.prefix(count))) : .unreadable
  }

  /// Whether there is nothing of anybody's in it.
  var isNew: Bool { self == .missing || self == .empty }
}

extension ToolFailure {
  /// A text was named as the database.
  static func textFile(_ path: String) -> ToolFailure {
    ToolFailure(
      exitCode: .cannotOpen, what: "\(path) is a text file, not a database",
      remedy: "Name the database with --database PATH.")
  }
}
