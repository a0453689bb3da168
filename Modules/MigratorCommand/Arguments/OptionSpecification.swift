internal import Migrator

struct OptionSpecification: Sendable {
  /// The headings under which the help lists options, in the order of this declaration.
  enum Group: String, Sendable, CaseIterable {
    case command = "Options"
    case fleet = "Many databases"
    case database = "Database"
    case configuration = "Configuration"
    case key = "Key"
    case cipher = "Cipher settings"
    case engine = "Engine"
    case output = "Output"
  }

  /// The option's name without the leading dashes.
  var name: String
  /// The placeholder for the value in the help; nil for an option without a value.
  var placeholder: String?
  var group = Group.command
  var help: String
  /// The environment variable that provides the value when the option is absent; nil for none.
  var environmentVariable: String?
  /// The allowed values; empty when any value is allowed.
  var allowedValues: [String] = []
  var isTableName = false
  /// Whether the value must be a number of seconds that is not negative.
  var isSeconds = false
  var isRepeatable = false
  /// For an option that takes a path, the values that are keywords instead of paths.
  var keywords: [String] = []
  var completion = Completion.nothing

  enum Completion: Sendable {
    /// Completes only the allowed values, if the option has any.
    case nothing
    case file
    case folder
    case variable
  }

  /// The option as the user types it: "--to ID".
  var usage: String { "--" + ([name] + [placeholder].compactMap(\.self)).joined(separator: " ") }
  var helpWithVariable: String { help + (environmentVariable.map { " [\($0)]" } ?? "") }

  var takesValue: Bool { placeholder != nil }
  /// Whether a configuration file may contain the value as a number, without quotes.
  var takesNumber: Bool { ["N", "BYTES", "SECONDS"].contains { placeholder?.hasSuffix($0) ?? false } }
  /// Whether the value names a database; such a value may begin with the name of a backend and a colon.
  var isDatabase: Bool { ["database", "from"].contains(name) }

  /// Whether a value is a path, rather than a keyword or the name of a library for which the system searches.
  func isPath(_ value: String) -> Bool {
    switch completion {
    case .nothing, .variable: false
    // A dash stands for standard input or output.
    case .file, .folder: value != "-" && !keywords.contains(value) && (group != .engine || value.contains("/"))
    }
  }

  /// Returns a sentence about the possible values if `value` is not one of them; nil if it is.
  func fault(in value: String) -> String? {
    if value.isEmpty { return "Give a value that is not empty." }
    if isTableName, !Ledger.isPossible(table: value) {
      return "Choose another name: SQLite reserves names that begin with sqlite_."
    }
    if isSeconds, !(Double(value).map { (0...1e6).contains($0) } ?? false) { return "Give a number of seconds." }
    if name == Self.function.name, Self.functionParts(value) == nil {
      return "Give the name and the number of arguments, such as BIN2B64/1."
    }
    guard !allowedValues.isEmpty, !allowedValues.contains(value) else { return nil }
    return "Use one of: \(allowedValues.joined(separator: ", "))."
  }

  /// Whether this option and the option named `other` exclude each other: they are the same option, two sources of the
  /// same key, or two ways to select databases.
  func excludes(_ other: String) -> Bool {
    name == other || Self.alternatives.contains { $0.contains(name) && $0.contains(other) }
  }

  /// Sets of option names; of each set, only one option can be given.
  private static let alternatives: [Set<String>] =
    [
      [keyFile.name, keyVariable.name, keyDescriptor.name, keyFolder.name],
      Set([keyFile, keyVariable, keyDescriptor].map { "new-" + $0.name }),
      [database.name, databases.name, databasesFrom.name],
    ]
}

extension OptionSpecification: Equatable {
  static func == (one: OptionSpecification, other: OptionSpecification) -> Bool { one.name == other.name }
}

extension OptionSpecification {
  static let function = OptionSpecification(
    name: "function", placeholder: "NAME/COUNT",
    help:
      "a function that only the app has, and the number of its arguments; in rehearsals, it returns its first argument; "
      + "repeatable", isRepeatable: true)

  /// Returns the name and the number of arguments in `NAME/COUNT`; nil if the text has another form.
  static func functionParts(_ text: String) -> (name: String, argumentCount: Int)? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    // The largest number of arguments that SQLite allows (https://www.sqlite.org/limits.html).
    guard parts.count == 2, !parts[0].isEmpty, let count = Int(parts[1]), 0...127 ~= count else { return nil }
    return (String(parts[0]), count)
  }
}

/// The options that every command understands.
extension OptionSpecification {
  static let database = OptionSpecification(
    name: "database", placeholder: "PATH", group: .database,
    help:
      "the database: a path, sqlite:PATH, sqlcipher:PATH, or dqlite:HOST:PORT,HOST:PORT/NAME for a cluster; default: "
      + "DATABASE_URL, if it is a file",
    environmentVariable: "MIGRATOR_DATABASE", completion: .file)

  static let migrations = OptionSpecification(
    name: "migrations", placeholder: "DIR", group: .database,
    help: "the folder of SQL files; default: \"migrations\"", environmentVariable: "MIGRATOR_MIGRATIONS",
    completion: .folder)

  static let ledger = OptionSpecification(
    name: "ledger", placeholder: "TABLE", group: .database,
    help: "the table that records applied migrations; default: \"migrator_history\"",
    environmentVariable: "MIGRATOR_LEDGER", isTableName: true)

  static let lockTimeout = OptionSpecification(
    name: "lock-timeout", placeholder: "SECONDS", group: .database,
    help: "how long to wait for other connections; default: 60 for `migrate`, otherwise 5", isSeconds: true)

  static let config = OptionSpecification(
    name: "config", placeholder: "FILE", group: .configuration,
    help: "read options from this file; default: migrator.json in this folder or its nearest parent", completion: .file)
  static let environment = OptionSpecification(
    name: "env", placeholder: "NAME", group: .configuration,
    help: "use the options of this environment in the configuration file")
  static let confirm = OptionSpecification(
    name: "confirm", placeholder: "plan", group: .configuration,
    help: "require --plan TOKEN; for an environment in the configuration file", allowedValues: ["plan"])

  static func backend(_ names: [String]) -> OptionSpecification {
    OptionSpecification(
      name: "backend", placeholder: names.joined(separator: "|"), group: .database,
      help: "the backend; default: detected from the file, or from a given key", allowedValues: names)
  }

  static let keyFile = OptionSpecification(
    name: "key-file", placeholder: "PATH", group: .key,
    help: "read the key from a file; one trailing newline is ignored", completion: .file)
  static let keyVariable = OptionSpecification(
    name: "key-env", placeholder: "NAME", group: .key, help: "read the key from an environment variable",
    completion: .variable)
  static let keyDescriptor = OptionSpecification(
    name: "key-fd", placeholder: "N", group: .key, help: "read the key from an open file descriptor, to its end")
  static let rawKey = OptionSpecification(
    name: "raw-key", group: .key, help: "the key is 64 hexadecimal digits, or 96 with the salt, instead of a passphrase"
  )

  static let cipherCompatibility = OptionSpecification(
    name: "cipher-compatibility", placeholder: "N", group: .cipher,
    help: "use the file format of SQLCipher 1, 2, 3 or 4",
    allowedValues: ["1", "2", "3", "4"])
  static let cipherPageSize = OptionSpecification(
    name: "cipher-page-size", placeholder: "BYTES", group: .cipher, help: "the page size")
  static let keyIterations = OptionSpecification(
    name: "kdf-iterations", placeholder: "N", group: .cipher, help: "the number of key derivation rounds")
  static let keyAlgorithm = OptionSpecification(
    name: "kdf-algorithm", placeholder: "NAME", group: .cipher, help: "the hash function of the key derivation",
    allowedValues: CipherOptions.algorithms)
  static let authenticationAlgorithm = OptionSpecification(
    name: "hmac-algorithm", placeholder: "NAME", group: .cipher, help: "the hash function that authenticates pages",
    allowedValues: CipherOptions.algorithms)
  static let noAuthentication = OptionSpecification(
    name: "no-hmac", group: .cipher, help: "do not authenticate pages, as in SQLCipher 1")
  static let plaintextHeaderSize = OptionSpecification(
    name: "plaintext-header-size", placeholder: "BYTES", group: .cipher,
    help: "the number of bytes at the start of the file that are not encrypted")

  static func library(of backend: ToolBackend) -> OptionSpecification {
    OptionSpecification(
      name: "\(backend.name)-library", placeholder: "PATH", group: .engine,
      help: "load this \(backend.title) library instead of the default one",
      environmentVariable: "MIGRATOR_\(backend.name.uppercased())_LIBRARY", completion: .file)
  }

  static let json = OptionSpecification(name: "json", group: .output, help: "print one JSON object instead of text")
  static let quiet = OptionSpecification(name: "quiet", group: .output, help: "print warnings and errors only")
  static let verbose = OptionSpecification(
    name: "verbose", group: .output, help: "print more: files, statements, notes")
  static let noColor = OptionSpecification(
    name: "no-color", group: .output, help: "print without colors, as when NO_COLOR is set")
  static let yes = OptionSpecification(name: "yes", group: .output, help: "answer yes to every question")
  static let help = OptionSpecification(
    name: "help", group: .output, help: "print help, for the command if one is given")
  static let version = OptionSpecification(name: "version", group: .output, help: "print the version")

  /// Returns the options that every command understands.
  ///
  /// - Parameter readsFolder: Whether the migrations are SQL files in a folder; otherwise they are Swift code.
  static func common(backends: [ToolBackend], readsFolder: Bool) -> [OptionSpecification] {
    var options: [OptionSpecification] = [.database]
    if readsFolder { options += [.migrations, .ledger] }
    options.append(.lockTimeout)
    if backends.count > 1 { options.append(.backend(backends.map(\.name))) }
    if backends.contains(where: \.needsKey) {
      options += [.keyFile, .keyVariable, .keyDescriptor, .rawKey] + CipherOptions.specifications
    }
    options += backends.filter { !$0.isServed }.map(OptionSpecification.library(of:))
    return options + [.config, .environment, .json, .quiet, .verbose, .noColor, .yes, .help, .version]
  }
}

/// The options that several commands understand.
extension OptionSpecification {
  static let mustExist = OptionSpecification(
    name: "must-exist", help: "fail if the database does not exist, instead of creating it")
  static let strict = OptionSpecification(
    name: "strict", help: "refuse to run if the file of an applied migration was edited")
  static let to = OptionSpecification(name: "to", placeholder: "ID", help: "stop after this migration")
  static let allowOutOfOrder = OptionSpecification(
    name: "allow-out-of-order", help: "also apply pending migrations that come before an applied one")
  static let from = OptionSpecification(
    name: "from", placeholder: "SOURCE",
    help:
      "\"database\", \"migrations\", an SQL file, or another database; default: the database if it exists, otherwise the "
      + "migrations",
    keywords: ["database", "migrations"], completion: .file)
  static let output = OptionSpecification(
    name: "output", placeholder: "FILE", help: "write to a file instead of standard output",
    completion: .file)
  static let since = OptionSpecification(
    name: "since", placeholder: "ID", help: "report only findings in this migration and later ones")
  static let seed = OptionSpecification(
    name: "seed", placeholder: "FILE.sql",
    help: "run this SQL file after the migrations; in one transaction, unless the file says no-transaction",
    completion: .file)
  static let keepData = OptionSpecification(name: "keep-data", help: "restore the rows of tables that did not change")
  static let forceForeign = OptionSpecification(
    name: "force-foreign", help: "erase the database even if it is not marked as a development database")
}

/// The options with which a command works on many databases.
extension OptionSpecification {
  static let databases = OptionSpecification(
    name: "databases", placeholder: "GLOB", group: .fleet,
    help: "work on all files that match a quoted pattern, such as 'tenants/*.db'; can be repeated", isRepeatable: true,
    completion: .file)
  static let databasesFrom = OptionSpecification(
    name: "databases-from", placeholder: "FILE", group: .fleet,
    help: "work on the databases in a file, one in each line; - reads standard input", completion: .file)
  static let jobs = OptionSpecification(
    name: "jobs", placeholder: "N", group: .fleet,
    help: "how many databases to work on at the same time; default: the number of processors")
  static let keyFolder = OptionSpecification(
    name: "key-dir", placeholder: "DIR", group: .fleet,
    help: "read the key of tenants/7.db from DIR/7.db.key; databases without such a file are opened without a key",
    completion: .folder)
  static let shard = OptionSpecification(
    name: "shard", placeholder: "I/N", group: .fleet,
    help: "work on part I of N of the databases, chosen by their paths")
  static let canary = OptionSpecification(
    name: "canary", placeholder: "N", group: .fleet,
    help: "migrate the first N databases that have pending migrations, and the others only if all of these succeed")
  static let maximumFailures = OptionSpecification(
    name: "max-failures", placeholder: "N", group: .fleet,
    help: "start no more databases after N failures; default: 1; 0 for no limit")

  static let fleetReading: [OptionSpecification] = [.databases, .databasesFrom, .jobs, .keyFolder, .shard]
  static let fleet = fleetReading + [.canary, .maximumFailures]
}

extension CipherOptions {
  static let specifications: [OptionSpecification] = [
    .cipherCompatibility, .cipherPageSize, .keyIterations, .keyAlgorithm, .authenticationAlgorithm, .noAuthentication,
    .plaintextHeaderSize,
  ]

  /// Reads the cipher options from the command line.
  ///
  /// - Parameter prefix: The prefix of the option names, such as `new-`.
  init(_ arguments: ParsedArguments, prefix: String = "") throws(ToolFailure) {
    func text(_ option: OptionSpecification) -> String? { arguments.value(named: prefix + option.name) }
    func number(_ option: OptionSpecification) throws(ToolFailure) -> Int? {
      guard let text = text(option) else { return nil }
      guard let number = Int(text), number > 0 else {
        throw .usage("--\(prefix)\(option.name) cannot be \"\(text)\"", remedy: "Give a positive number.")
      }
      return number
    }
    self.init(
      compatibility: try number(.cipherCompatibility), pageSizeInBytes: try number(.cipherPageSize),
      keyIterations: try number(.keyIterations), keyAlgorithm: text(.keyAlgorithm),
      authenticationAlgorithm: text(.authenticationAlgorithm),
      usesAuthentication: arguments.given.contains(prefix + OptionSpecification.noAuthentication.name) ? false : nil,
      plaintextHeaderSizeInBytes: try number(.plaintextHeaderSize))
    // A page is a power of two from 512 through 65536 bytes (https://www.sqlite.org/fileformat2.html, 1.3.2).
    if let size = pageSizeInBytes, !(512...65536).contains(size) || size & (size - 1) != 0 {
      throw .usage(
        "--\(prefix)cipher-page-size cannot be \(size)", remedy: "Give a power of two from 512 through 65536.")
    }
  }
}
