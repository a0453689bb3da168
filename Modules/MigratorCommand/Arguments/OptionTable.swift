/// The options that every command understands.
extension OptionSpecification {
  static let database = OptionSpecification(
    name: "database", placeholder: "PATH", group: .database,
    help: "the database file; sqlite:PATH and sqlcipher:PATH also name the backend",
    environmentVariable: "MIGRATOR_DATABASE", completion: .file)

  static let migrations = OptionSpecification(
    name: "migrations", placeholder: "DIR", group: .database,
    help: "the folder of SQL files; \"migrations\" when absent", environmentVariable: "MIGRATOR_MIGRATIONS",
    completion: .folder)

  static let ledger = OptionSpecification(
    name: "ledger", placeholder: "TABLE", group: .database,
    help: "the table that remembers applied migrations; \"migrator_history\" when absent",
    environmentVariable: "MIGRATOR_LEDGER", isTableName: true)

  static func backend(_ names: [String]) -> OptionSpecification {
    // Joined by hand: the library's way takes a fiftieth of a short command for finding out what kind of list this is.
    let placeholder = names.dropFirst().reduce(names.first ?? "") { $0 + "|" + $1 }
    return OptionSpecification(
      name: "backend", placeholder: placeholder, group: .database,
      help: "the backend; told from the file when absent, and implied by a key", allowedValues: names)
  }

  static let keyFile = OptionSpecification(
    name: "key-file", placeholder: "PATH", group: .key,
    help: "read the key from a file; one newline at its end is dropped", completion: .file)
  static let keyVariable = OptionSpecification(
    name: "key-env", placeholder: "NAME", group: .key, help: "read the key from an environment variable",
    completion: .variable)
  static let keyDescriptor = OptionSpecification(
    name: "key-fd", placeholder: "N", group: .key, help: "read the key from an open file descriptor, until its end")
  static let rawKey = OptionSpecification(
    name: "raw-key", group: .key, help: "the key is 64 hexadecimal digits, or 96 with the salt, and not a passphrase")

  static let cipherCompatibility = OptionSpecification(
    name: "cipher-compatibility", placeholder: "N", group: .cipher, help: "the file format of SQLCipher 1, 2, 3 or 4",
    allowedValues: ["1", "2", "3", "4"])
  static let cipherPageSize = OptionSpecification(
    name: "cipher-page-size", placeholder: "BYTES", group: .cipher, help: "the size of a page")
  static let keyIterations = OptionSpecification(
    name: "kdf-iterations", placeholder: "N", group: .cipher, help: "the rounds of the passphrase's derivation")
  static let keyAlgorithm = OptionSpecification(
    name: "kdf-algorithm", placeholder: "NAME", group: .cipher, help: "the hash of the passphrase's derivation",
    allowedValues: CipherOptions.algorithms)
  static let authenticationAlgorithm = OptionSpecification(
    name: "hmac-algorithm", placeholder: "NAME", group: .cipher, help: "the hash that authenticates pages",
    allowedValues: CipherOptions.algorithms)
  static let noAuthentication = OptionSpecification(
    name: "no-hmac", group: .cipher, help: "pages are not authenticated, as in SQLCipher 1")
  static let plaintextHeaderSize = OptionSpecification(
    name: "plaintext-header-size", placeholder: "BYTES", group: .cipher,
    help: "how many bytes at the start of the file are not encrypted")

  static func library(of backend: ToolBackend) -> OptionSpecification {
    OptionSpecification(
      name: "\(backend.name)-library", placeholder: "PATH", group: .engine,
      help: "the \(backend.title) library to load instead of the one that is found",
      environmentVariable: "MIGRATOR_\(backend.name.uppercased())_LIBRARY", completion: .file)
  }

  static let json = OptionSpecification(name: "json", group: .output, help: "print one JSON object instead of text")
  static let quiet = OptionSpecification(name: "quiet", group: .output, help: "print warnings and errors only")
  static let verbose = OptionSpecification(
    name: "verbose", group: .output, help: "print more: files, statements, notices")
  static let noColor = OptionSpecification(
    name: "no-color", group: .output, help: "print without colours, as when NO_COLOR is set")
  static let yes = OptionSpecification(name: "yes", group: .output, help: "answer yes to every question")
  static let help = OptionSpecification(
    name: "help", group: .output, help: "print help, of a command when one is named")
  static let version = OptionSpecification(name: "version", group: .output, help: "print the version")

  /// The options of every command, for a tool with these backends.
  ///
  /// - Parameter readsFolder: Whether the migrations are SQL files; otherwise the tool brings its own.
  static func common(backends: [ToolBackend], readsFolder: Bool) -> [OptionSpecification] {
    var options: [OptionSpecification] = [.database]
    if readsFolder { options += [.migrations, .ledger] }
    if backends.count > 1 { options.append(.backend(backends.map(\.name))) }
    if backends.contains(where: \.needsKey) {
      options += [.keyFile, .keyVariable, .keyDescriptor, .rawKey] + CipherOptions.specifications
    }
    options += backends.map(OptionSpecification.library(of:))
    return options + [.json, .quiet, .verbose, .noColor, .yes, .help, .version]
  }
}
