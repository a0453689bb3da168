internal import Migrator
internal import SQLiteDialect
internal import SQLSyntax

struct DatabaseAddress: Equatable {
  var path: String
  /// The backend's name before the colon; nil if there is none.
  var backendName: String?

  init(path: String) { self.path = path }

  /// Parses `PATH`, `sqlite:PATH` or `sqlite://PATH?OPTIONS` (as in sqlx and dbmate); `sqlite` may be any backend's
  /// name, in any case.
  ///
  /// A scheme that belongs to no backend is an error, because it would silently become a part of a new file's name.
  init(_ text: String, backendNames: [String]) throws(ToolFailure) {
    path = text
    let scheme = DatabaseScheme(text)
    if let scheme, backendNames.contains(scheme.name) {
      backendName = scheme.name
      path = scheme.path
    } else if let scheme, scheme.name != "file", !FileSystem.exists(text) {
      // The rest of the address may contain a password.
      throw .usage(
        "\(scheme.name): is not supported",
        remedy:
          "Give the path of a file, or use one of: \(backendNames.map { $0 + ":" }.joined(separator: ", ")). If a "
          + "file really has this name, write ./ before the name.")
    }
    guard !path.isEmpty else {
      throw .usage(
        "\"\(text)\" does not name a database",
        remedy: "Write the path of the file, or the address of the server, after the colon.")
    }
    // SQLite would not treat these names as files, and an in-memory database would be lost when the tool exits.
    guard !(scheme?.isInMemory ?? false), path != ":memory:", DatabaseScheme(path)?.name != "file" else {
      throw .usage(
        "\(path) is not the path of a file",
        remedy: "Give the path of a file; if a file really has this name, write ./ before the name.")
    }
  }
}

/// The options that choose the backend of a database; without them, the contents of the file decide.
struct BackendChoice {
  let keySource: KeySource?
  var isGuess: Bool { option == nil && address.backendName == nil && keySource == nil && !hasCipherOptions }

  private let backends: [ToolBackend]
  private let option: String?
  private let address: DatabaseAddress
  private let hasCipherOptions: Bool

  /// Reads the options.
  ///
  /// - Parameter ignoresCipher: Whether to ignore the cipher options and `--raw-key`.
  init(_ context: CommandContext, _ address: DatabaseAddress, ignoresCipher: Bool = false) throws(ToolFailure) {
    backends = context.tool.backends
    option = context.arguments.value(of: .backend(backends.map(\.name)))
    self.address = address
    keySource = try KeySource(context.arguments)
    hasCipherOptions =
      !ignoresCipher && ([.rawKey] + CipherOptions.specifications).contains(where: context.arguments.contains)
  }

  /// The backend that the options name; nil if they name none.
  var named: ToolBackend? {
    (option ?? address.backendName).flatMap { name in backends.first { $0.name == name } }
  }

  /// Returns the backend that the options name, or else the one that recognizes the file, or else the first one.
  func backend(for file: DatabaseFile) throws(ToolFailure) -> ToolBackend {
    if let option, let name = address.backendName, option != name {
      throw .usage(
        "--backend specifies \(option), but the path of the database begins with \"\(name):\"",
        remedy: "Omit --backend, or the prefix \"\(name):\".")
    }
    if let named {
      guard named.needsKey || keySource == nil && !hasCipherOptions else {
        throw .usage(
          "the \(named.name) backend takes no key or cipher settings",
          remedy: "Omit those options, or name another backend.")
      }
      return named
    }
    if keySource != nil || hasCipherOptions, let encrypted = backends.first(where: \.needsKey) { return encrypted }
    if case .present(let header) = file, let owner = backends.first(where: { $0.recognizes(header) }) { return owner }
    guard let first = backends.first else { throw .usage("this tool was built without a backend") }
    return first
  }
}

/// The kind of file at a database path, determined before anything opens the database.
enum DatabaseFile: Equatable, Sendable {
  case missing
  case folder
  /// An empty file, which any backend can use for a new database.
  case empty
  /// A file with contents; `header` contains its first bytes.
  case present(header: [UInt8])
  /// A file that cannot be read; opening it reports the reason.
  case unreadable
  /// No file: the database is on a server.
  case served

  /// Examines the file at a path.
  ///
  /// Call this before this process opens the database: closing the file here would drop the locks that an engine holds
  /// on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
  init(path: String) {
    do throws(SystemFailure) {
      let status = try FileSystem.status(of: path)
      switch status.kind {
      case .folder: self = .folder
      // Not opened, because reading from a pipe would wait for a writer.
      case .other: self = .unreadable
      case .regular where status.size == 0: self = .empty
      case .regular:
        let header = try FileSystem.bytes(of: path, count: FirstPage.sizeInBytes)
        self = header.isEmpty ? .unreadable : .present(header: header)
      }
    } catch {
      // Only a missing file is a new database; for any other failure, the engine reports the reason.
      self = error.isMissing ? .missing : .unreadable
    }
  }

  /// Returns whether an argument looks like the path of a database, judging by its extension or prefix.
  static func looksLikeOne(_ word: String) -> Bool {
    let folded = word.lowercased()
    return [".sqlite", ".sqlite3", ".db", ".db3"].contains(where: folded.hasSuffix)
      || ["sqlite:", "sqlcipher:", "dqlite:"].contains(where: folded.hasPrefix)
  }

  var isNew: Bool { self == .missing || self == .empty }

  /// Whether the file is text and therefore not a database; encrypted bytes are almost certainly not valid text.
  var isText: Bool {
    guard case .present(let header) = self, header.count >= 16 else { return false }
    return header.prefix(100).allSatisfy { (0x20..<0x7f).contains($0) || (0x09...0x0d).contains($0) }
  }
}

extension ToolFailure {
  static func textFile(_ path: String) -> ToolFailure {
    ToolFailure(
      exitCode: .cannotOpen, what: "\(path) is a text file, not a database",
      remedy: "Give the path of a database instead.")
  }

  /// Returns the failure for a missing database option; suggests the database in the current folder if there is exactly
  /// one.
  static func noDatabaseNamed(_ environment: ToolEnvironment) -> ToolFailure {
    let here = FileSystem.names(in: ".").filter { DatabaseFile.looksLikeOne($0) && !FileSystem.isFolder($0) }
    let path = here.count == 1 ? here[0].shellWord : "PATH"
    // The URL may contain a password.
    let isIgnored = !(environment.variable(DatabaseURL.variable) ?? "").isEmpty
    return .usage(
      "no database was given",
      why: isIgnored ? "\(DatabaseURL.variable) is ignored: it does not have the form sqlite:PATH" : nil,
      remedy: "Add --database \(path), or set the environment variable MIGRATOR_DATABASE.")
  }
}

enum KeySource: Equatable, Sendable {
  case file(String)
  case variable(String)
  case descriptor(Int32)

  /// Returns the source of the key that the options with this prefix name; nil if they name none.
  init?(_ arguments: ParsedArguments, prefix: String = "") throws(ToolFailure) {
    let options: [OptionSpecification] = [.keyFile, .keyVariable, .keyDescriptor]
    let given = options.map { prefix + $0.name }.filter(arguments.given.contains)
    guard given.count < 2 else {
      throw .usage(
        "the key was given twice, with \(given.map { "--" + $0 }.joined(separator: " and "))",
        remedy: "Use one of the two.")
    }
    let values = options.map { arguments.value(named: prefix + $0.name) }
    if let path = values[0] {
      self = .file(path)
    } else if let name = values[1] {
      self = .variable(name)
    } else if let text = values[2] {
      guard let number = Int32(text), number >= 0 else {
        throw .usage(
          "--\(given[0]) needs the number of an open file descriptor", remedy: "For example: --\(given[0]) 3 3<FILE.")
      }
      self = .descriptor(number)
    } else {
      return nil
    }
  }
}
