internal import Migrator

extension ToolFailure {
  /// Nobody said which database; where the folder has one only, it is the one that may be meant.
  static var noDatabaseNamed: ToolFailure {
    let here = FileSystem.names(in: ".").filter { DatabaseFile.looksLikeOne($0) && !FileSystem.isFolder($0) }
    let path = here.count == 1 ? here[0].shellWord : "PATH"
    return .usage(
      "no database is named", remedy: "Name it with --database \(path), or in the variable MIGRATOR_DATABASE.")
  }
}

/// The database that a command works on: where it is, what it is, and how to open it.
struct DatabaseTarget: Sendable {
  /// The path as it was given.
  let path: String
  /// What was at the path when the command began.
  let file: DatabaseFile
  /// The tool's description of the backend.
  let backend: ToolBackend
  /// Everything that the backend needs.
  let location: ToolLocation

  /// Finds the database, chooses its backend and gets its key.
  ///
  /// - Parameter creates: Whether a database that does not exist will be created, which needs a key.
  ///
  /// - Throws: ``ToolFailure`` when the options contradict each other, or the key cannot be had.
  init(_ context: CommandContext, creates: Bool) throws(ToolFailure) {
    let arguments = context.arguments
    guard let text = arguments.value(of: .database) ?? context.tool.database else {
      throw .noDatabaseNamed
    }
    let backends = context.tool.backends
    let cipher = try CipherOptions(arguments)
    let address = try DatabaseAddress(text, backendNames: backends.map(\.name))
    let choice = BackendChoice(
      backends: backends, option: arguments.value(of: .backend(backends.map(\.name))), address: address,
      keySource: try KeySource(arguments),
      hasCipherOptions: ([.rawKey] + CipherOptions.specifications).contains(where: arguments.contains))
    path = address.path
    file = DatabaseFile(path: path)
    guard file != .folder else {
      throw ToolFailure(
        exitCode: .cannotOpen, what: "\(path) is a folder, not a database",
        remedy: "Name the file, such as \(path.hasSuffix("/") ? path : path + "/")app.sqlite.")
    }
    backend = try choice.backend(for: file)
    location = ToolLocation(
      path: path,
      key: try Self.key(for: choice, backend: backend, file: file, creates: creates, context: context),
      cipher: cipher,
      library: arguments.value(of: .library(of: backend)))
  }

  private static func key(
    for choice: BackendChoice, backend: ToolBackend, file: DatabaseFile, creates: Bool, context: CommandContext
  ) throws(ToolFailure) -> ToolKey? {
    guard backend.needsKey else { return nil }
    let path = choice.address.path
    let reader = KeyReader(environment: context.output.environment, isRaw: context.arguments.contains(.rawKey))
    if let source = choice.keySource { return try reader.key(from: source) }
    // A command that creates nothing must not ask for the key of a database that does not exist.
    if file.isNew, !creates { return nil }
    let isGuess = choice.isGuess
    // Nobody has a key for it.
    guard !isGuess || !file.isText else { throw .textFile(path) }
    if let key = try reader.keyFromTerminal(for: path, isNew: file.isNew) { return key }
    throw ToolFailure(
      exitCode: .cannotOpen,
      what: isGuess
        ? "\(path) is encrypted, or not a database at all, and no key was given" : "no key was given for \(path)",
      why: isGuess ? ["its first bytes are not those of a plain SQLite file"] : [],
      remedy: "Give the key with --key-file PATH, --key-env NAME or --key-fd N, or run the command on a terminal.")
  }

  /// Opens the database.
  ///
  /// - Throws: ``ToolFailure`` with the exit code of a database that cannot be opened.
  func open(_ configuration: Configuration = Configuration()) throws(ToolFailure) -> DatabaseQueue {
    try open(location, configuration)
  }

  /// Opens the database in a way that does not write, if that is possible.
  ///
  /// A process that was killed leaves a journal behind, from which the next one restores the database: that needs
  /// the right to write (https://www.sqlite.org/rescode.html#readonly_rollback).
  func openForReading() throws(ToolFailure) -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    do {
      return try DatabaseQueue(backend.makeBackend(location), configuration: configuration)
    } catch let error as DatabaseError where error.condition == .readOnly || error.condition == .cannotOpen {
      return try open()
    } catch {
      throw ErrorReport.opening(error, location: location, backend: backend)
    }
  }

  /// Refuses a path at which there is no database yet.
  ///
  /// - Throws: ``ToolFailure`` with the exit code of a database that cannot be opened.
  func requireExisting(_ remedy: String) throws(ToolFailure) {
    if file.isNew { throw absent(remedy) }
  }

  /// The failure of a command that needs what is not there.
  func absent(_ remedy: String) -> ToolFailure {
    ToolFailure(exitCode: .cannotOpen, what: absence, remedy: remedy)
  }

  /// That there is no database yet, in words.
  var absence: String {
    file == .empty ? "\(path) is empty: it is no database yet" : "there is no database at \(path)"
  }

  /// Refuses a path at which no database can be created, since there is no folder for it.
  ///
  /// - Throws: ``ToolFailure`` as creating it would, with the exit code of a database that cannot be opened.
  func requireFolder() throws(ToolFailure) {
    guard file == .missing, !FileSystem.exists(FileSystem.folder(of: path)) else { return }
    // To read creates nothing, and fails with the backend's own words.
    _ = try openForReading()
  }

  /// Opens the database for reading, or in its place an empty one in memory when it does not exist.
  ///
  /// - Throws: ``ToolFailure`` with the exit code of a database that cannot be opened.
  func openForLooking() throws(ToolFailure) -> DatabaseQueue {
    try requireFolder()
    return try file.isNew ? ScratchDatabase(self).open() : openForReading()
  }

  /// Opens another file as if it were this database.
  func open(_ location: ToolLocation, _ configuration: Configuration) throws(ToolFailure) -> DatabaseQueue {
    do {
      return try DatabaseQueue(backend.makeBackend(location), configuration: configuration)
    } catch {
      throw ErrorReport.opening(error, location: location, backend: backend)
    }
  }
}
