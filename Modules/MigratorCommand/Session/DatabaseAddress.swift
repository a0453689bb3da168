internal import Migrator
internal import SQLSyntax

struct DatabaseAddress: Equatable {
  var path: String
  /// The backend that stood before a colon; nil when none did.
  var backendName: String?

  init(path: String) { self.path = path }

  /// Takes apart `PATH`, `sqlite:PATH`, and `sqlite://PATH`, which sqlx and dbmate write, for each of the backends.
  init(_ text: String, backendNames: [String]) throws(ToolFailure) {
    path = text
    for name in backendNames where text.hasPrefix(name + ":") {
      backendName = name
      path = String(text.dropFirst(name.count + 1))
      if path.hasPrefix("//") { path.removeFirst(2) }
    }
    guard !path.isEmpty else {
      throw .usage("\"\(text)\" names no file", remedy: "Write the path behind the colon: \(text)app.sqlite, for one.")
    }
    // SQLite gives both names a meaning of their own, and a database in memory is gone when the tool ends.
    guard path != ":memory:", !path.hasPrefix("file:") else {
      throw .usage("\(path) is not the path of a file", remedy: "Name a file, with ./ before it if that is its name.")
    }
  }
}

/// The options about the backend of a database; the file decides the rest.
struct BackendChoice {
  let keySource: KeySource?
  var isGuess: Bool { option == nil && address.backendName == nil && keySource == nil && !hasCipherOptions }

  private let backends: [ToolBackend]
  private let option: String?
  private let address: DatabaseAddress
  private let hasCipherOptions: Bool

  /// Reads the options, with `ignoresCipher` not those that only encrypted databases have.
  init(_ context: CommandContext, _ address: DatabaseAddress, ignoresCipher: Bool = false) throws(ToolFailure) {
    backends = context.tool.backends
    option = context.arguments.value(of: .backend(backends.map(\.name)))
    self.address = address
    keySource = try KeySource(context.arguments)
    hasCipherOptions =
      !ignoresCipher && ([.rawKey] + CipherOptions.specifications).contains(where: context.arguments.contains)
  }

  /// Returns the backend for a file; the first one when nothing speaks for another.
  func backend(for file: DatabaseFile) throws(ToolFailure) -> ToolBackend {
    if let option, let name = address.backendName, option != name {
      throw .usage("--backend says \(option), and --database says \(name)", remedy: "Leave one of the two out.")
    }
    if let name = option ?? address.backendName, let named = backends.first(where: { $0.name == name }) {
      guard named.needsKey || keySource == nil && !hasCipherOptions else {
        throw .usage(
          "the backend \(named.name) takes no key and no cipher settings",
          remedy: "Leave those options out, or name another backend.")
      }
      return named
    }
    if keySource != nil || hasCipherOptions, let encrypted = backends.first(where: \.needsKey) { return encrypted }
    if case .present(let header) = file, let owner = backends.first(where: { $0.recognises(header) }) { return owner }
    guard let first = backends.first else { throw .usage("this tool was made without any backend") }
    return first
  }
}

/// The thing at the path of a database before anything opens it.
enum DatabaseFile: Equatable, Sendable {
  case missing
  case folder
  /// A file that holds nothing yet: a database that no backend has claimed.
  case empty
  /// A file with content: its first bytes.
  case present(header: [UInt8])
  /// Something that cannot be read: opening it reports why.
  case unreadable

  /// Looks at a path, before this process opens the database: closing the file here would drop the locks that an engine
  /// holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
  init(path: String) {
    do throws(SystemFailure) {
      let status = try FileSystem.status(of: path)
      switch status.kind {
      case .folder: self = .folder
      // Not to be opened at all: reading a pipe would wait for its writer.
      case .other: self = .unreadable
      case .regular where status.size == 0: self = .empty
      case .regular:
        // The bytes that show a file's format: SQLite's own header (https://www.sqlite.org/fileformat2.html, 1.3).
        let header = try FileSystem.bytes(of: path, count: 100)
        self = header.isEmpty ? .unreadable : .present(header: header)
      }
    } catch {
      // Only a path without a file is a new database; any other failure is the engine's to explain.
      self = error.isMissing ? .missing : .unreadable
    }
  }

  /// Whether a word on the command line was meant to be a database, as its ending or its beginning says.
  static func looksLikeOne(_ word: String) -> Bool {
    let folded = word.lowercased()
    return [".sqlite", ".sqlite3", ".db", ".db3"].contains(where: folded.hasSuffix)
      || ["sqlite:", "sqlcipher:"].contains(where: folded.hasPrefix)
  }

  var isNew: Bool { self == .missing || self == .empty }

  /// Whether the file is text: neither a database nor, but for a chance of nothing, an encrypted one.
  var isText: Bool {
    guard case .present(let header) = self, header.count >= 16 else { return false }
    return header.allSatisfy { (0x20..<0x7f).contains($0) || (0x09...0x0d).contains($0) }
  }
}

extension ToolFailure {
  static func textFile(_ path: String) -> ToolFailure {
    ToolFailure(
      exitCode: .cannotOpen, what: "\(path) is a text file, not a database",
      remedy: "Name the database with --database PATH.")
  }

  /// No database was named; where the folder has one only, it is the one that may be meant.
  static var noDatabaseNamed: ToolFailure {
    let here = FileSystem.names(in: ".").filter { DatabaseFile.looksLikeOne($0) && !FileSystem.isFolder($0) }
    let path = here.count == 1 ? here[0].shellWord : "PATH"
    return .usage(
      "no database is named", remedy: "Name it with --database \(path), or in the variable MIGRATOR_DATABASE.")
  }
}
