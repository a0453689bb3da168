internal import Migrator

struct DatabaseTarget: Sendable {
  let path: String
  let file: DatabaseFile
  let backend: ToolBackend
  let location: ToolLocation
  fileprivate let context: CommandContext
  /// Whether the tool has already reported that it is waiting for another connection.
  private let isWaitReported = Lock(false)

  /// Finds the database, chooses its backend, and reads its key.
  /// - Parameters:
  ///   - creates: Whether the command creates a missing database; a new database needs a key, too.
  ///   - other: The path of another database to open with the same options; nil for the database that the options name.
  init(_ context: CommandContext, creates: Bool, other: String? = nil) throws(ToolFailure) {
    guard let text = other ?? context.arguments.value(of: .database) ?? context.tool.database else {
      throw .noDatabaseNamed(context.output.environment)
    }
    let cipher = try CipherOptions(context.arguments)
    let address = try DatabaseAddress(text, backendNames: context.tool.backends.map(\.name))
    let choice = try BackendChoice(context, address)
    self.context = context
    let isServed = choice.named?.isServed ?? false
    // The address with its prefix, so that it can be copied; files are named without it.
    path = isServed && address.backendName != nil ? text : address.path
    file = isServed ? .served : DatabaseFile(path: path)
    guard file != .folder else {
      throw ToolFailure(
        exitCode: .cannotOpen, what: "\(path) is a folder, not a database",
        remedy: "Give the path of a file in it, such as \(FileSystem.join(path, "app.sqlite")).")
    }
    if file == .missing, let target = FileSystem.linkTarget(path) {
      // A relative target is relative to the folder of the link.
      let full = target.hasPrefix("/") ? target : FileSystem.join(path.containingFolder, target)
      guard FileSystem.exists(full.containingFolder) else {
        throw ToolFailure(
          exitCode: .cannotOpen, what: "\(path) is a link to \(target), in a folder that does not exist",
          remedy: "Correct the link, or create the folder with `mkdir -p \(full.containingFolder.shellWord)`.")
      }
    }
    backend = try choice.backend(for: file)
    location = ToolLocation(
      path: address.path,
      key: try Self.key(for: choice, backend: backend, path: path, file: file, creates: creates, context),
      cipher: cipher, library: context.arguments.value(of: .library(of: backend)))
  }

  private static func key(
    for choice: BackendChoice, backend: ToolBackend, path: String, file: DatabaseFile, creates: Bool,
    _ context: CommandContext
  ) throws(ToolFailure) -> ToolKey? {
    let keyFile = context.keyFile(of: path)
    guard backend.needsKey else {
      // The absence of a key file must not create a database without encryption.
      guard let keyFile, file.isNew, creates, choice.isGuess else { return nil }
      throw ToolFailure(
        exitCode: .cannotOpen, what: "there is no key file for the new database \(path)",
        remedy: "Put the key of that database into the file \(keyFile). "
          + "To create the database without encryption, write "
          + "\(backend.name):\(path) in the list for --databases-from.")
    }
    if let key = context.key { return key }
    let reader = KeyReader(environment: context.output.environment, isRaw: context.arguments.contains(.rawKey))
    if let source = choice.keySource { return try reader.key(from: source) }
    // A command that creates nothing must not ask for a key if the database is missing.
    if file.isNew, !creates { return nil }
    // A text file has no key, so do not ask for one.
    guard !choice.isGuess || !file.isText else { throw .textFile(path) }
    let question = file.isNew ? "Key for the new database \(path.oneLine): " : "Key for \(path.oneLine): "
    if let key = try reader.keyFromTerminal(question, twice: file.isNew) { return key }
    throw ToolFailure(
      exitCode: .cannotOpen,
      what: choice.isGuess
        ? "\(path) is encrypted, or is not a database, and no key was given"
        : "the \(backend.name) backend needs a key for \(path), but none was given",
      why: choice.isGuess ? ["it does not begin with the header of a plain SQLite file"] : [],
      remedy: keyFile.map { "Put the key of that database into the file \($0)." }
        ?? (context.isFleet
          ? "Put the key of that database into a file named \(FileSystem.name(of: path)).key, and name its folder with "
            + "--key-dir DIR. If all databases have the same key, give it with --key-file PATH, --key-env NAME or "
            + "--key-fd N instead."
          : "Give the key with --key-file PATH, --key-env NAME or --key-fd N, or run the command in an interactive "
            + "terminal to be prompted for it."))
  }

  // MARK: Opening

  func open() throws(ToolFailure) -> DatabaseQueue {
    try opening { try queue(location, Configuration()) }
  }

  /// Opens the database read-only, or writable if a killed process left a hot journal: rolling back the journal
  /// requires write access (https://www.sqlite.org/rescode.html#readonly_rollback).
  ///
  /// The file may come from elsewhere, so its definitions are not trusted.
  func openForReading() throws(ToolFailure) -> DatabaseQueue {
    var configuration = Configuration()
    configuration.trustsSchema = false
    configuration.readonly = true
    return try opening {
      do {
        return try queue(location, configuration)
      } catch let error as DatabaseError where file != .served && [.readOnly, .cannotOpen].contains(error.condition) {
        configuration.readonly = false
        return try queue(location, configuration)
      }
    }
  }

  /// Opens a backup of the database without creating files beside it; no connection writes to a backup.
  func open(backup path: String) throws(ToolFailure) -> DatabaseQueue {
    var location = location
    location.path = path
    var configuration = Configuration()
    configuration.trustsSchema = false
    configuration.readonly = true
    configuration.isUnchanging = true
    return try backend.opening(location) { try queue(location, configuration) }
  }

  private func opening(_ open: () throws -> DatabaseQueue) throws(ToolFailure) -> DatabaseQueue {
    try backend.opening(location, keyFile: context.keyFile(of: path)) {
      do {
        return try open()
      } catch {
        // A fleet handles Ctrl-C at any time; while a database is opened, there is none to interrupt.
        throw isInterruption(error) ? interrupted : error
      }
    }
  }

  private func queue(_ location: ToolLocation, _ configuration: Configuration) throws -> DatabaseQueue {
    var configuration = configuration
    // Stand-ins must not write to the database.
    if configuration.readonly { context.addStandIns(to: &configuration) }
    let lockTimeout = context.waitsForLocks ? context.lockTimeout : .zero
    if let lockTimeout { configuration.busyMode = lockTimeout > .zero ? .timeout(lockTimeout) : .immediateError }
    configuration.onLockWait = {
      reportWait()
      return !context.interrupt.hasArrived
    }
    return try DatabaseQueue(backend.makeBackend(location), configuration: configuration)
  }

  /// Reports, only once, that another connection holds a lock; called on the thread that waits for the lock.
  @Sendable private func reportWait() {
    let isFirst = isWaitReported.withLock { isReported in
      defer { isReported = true }
      return !isReported
    }
    guard isFirst, !context.output.isQuiet else { return }
    context.output.complain(
      "note: \(path.oneLine) is locked by another connection; waiting (--lock-timeout SECONDS says how long)")
  }

  /// Opens the database for reading; if the database does not exist, opens an empty in-memory database instead.
  func openForLooking() throws(ToolFailure) -> DatabaseQueue {
    try requireFolder()
    return try file.isNew ? ScratchDatabase(self).open() : openForReading()
  }

  /// Reads from the database, and reads again if the connection to its server was lost; Ctrl-C interrupts the database.
  func reading<Result>(_ queue: DatabaseQueue, _ body: (Database) throws -> Result) throws -> Result {
    try context.interruptible(queue) {
      for _ in 1...2 {
        do {
          return try queue.read(body)
        } catch let error as DatabaseError where error.condition == .connectionLost {
          continue
        }
      }
      return try queue.read(body)
    }
  }

  func catching<Result>(_ work: () throws -> Result) throws(ToolFailure) -> Result {
    do {
      return try work()
    } catch {
      throw isInterruption(error) ? interrupted : FailureReport.database(error, path: path)
    }
  }

  /// Compares the migrations with the ledger, without writing to the database.
  ///
  /// - Returns: The states, which include unfinished migrations; and the engine, nil if the database does not exist.
  func states(
    of source: MigrationSource
  ) throws(ToolFailure) -> (states: MigrationStates, engine: EngineDescription?) {
    try requireFolder()
    guard !file.isNew else { return (MigrationStates(source, ledger: []), nil) }
    let queue = try openForReading()
    return try catching {
      let result = try reading(queue) { db in
        (try MigrationStates(source, in: db, withUnfinished: true), db.engine)
      }
      try queue.close()
      return result
    }
  }

  private func isInterruption(_ error: any Error) -> Bool {
    guard context.interrupt.hasArrived else { return false }
    return error is CancellationError || (error as? DatabaseError)?.condition == .interrupted
  }

  private var interrupted: ToolFailure {
    ToolFailure(exitCode: .interrupted, what: "interrupted", rolledBack: "nothing; \(path) was not changed")
  }

  // MARK: Absence

  /// Throws a refusal if the database is not a file; `reason` completes "NAME is on a server, and ...".
  func requireFile(_ reason: String, remedy: String) throws(ToolFailure) {
    if file == .served { throw .refused("\(path) is on a server, and \(reason)", remedy: remedy) }
  }

  func requireExisting(_ remedy: String) throws(ToolFailure) {
    if file.isNew { throw ToolFailure(exitCode: .cannotOpen, what: absence, remedy: remedy) }
  }

  var absence: String {
    file == .empty ? "\(path) is an empty file, not a database" : "there is no database at \(path)"
  }

  /// Throws if no database can be created at the path, because its folder is missing.
  private func requireFolder() throws(ToolFailure) {
    guard file == .missing, !FileSystem.exists(path.containingFolder) else { return }
    // Opening for reading does not create a database, and fails with the backend's own message.
    _ = try openForReading()
  }
}

/// An empty in-memory database, run by the same engine as the user's database, in which commands rehearse migrations.
struct ScratchDatabase: Sendable {
  /// The database on the command line; nil if there is none.
  let target: DatabaseTarget?
  private let context: CommandContext
  private let backend: ToolBackend
  private let location: ToolLocation

  /// Uses the engine of the database on the command line, or else of the backend that `--backend` names, or else of the
  /// first backend.
  init(_ context: CommandContext) throws(ToolFailure) {
    if context.arguments.value(of: .database) ?? context.tool.database != nil {
      let target = try DatabaseTarget(context, creates: false)
      // A database on the command line must exist; one from elsewhere may be created later.
      if context.arguments.typed.contains(OptionSpecification.database.name) {
        try target.requireExisting(
          context.command == "diff"
            ? "Check the path, or name another source with --from."
            : "Check the path, or omit --database to use the migrations alone.")
      }
      (self.target, self.context, backend, location) = (target, context, target.backend, target.location)
      return
    }
    let address = DatabaseAddress(path: "scratch")
    backend = try BackendChoice(context, address, ignoresCipher: true).backend(for: .missing)
    let library = context.arguments.value(of: .library(of: backend))
    (target, self.context) = (nil, context)
    location = ToolLocation(path: "scratch", library: library)
  }

  init(_ target: DatabaseTarget) {
    (self.target, context, backend, location) = (target, target.context, target.backend, target.location)
  }

  /// Opens an empty database, and closes it after a closure, which Ctrl-C interrupts.
  ///
  /// - Parameters:
  ///   - limitsStatements: Whether a statement that takes too long fails.
  ///   - failure: A closure that describes the error of the database or of `work`.
  func withQueue<Result>(
    limitsStatements: Bool = true,
    failure: (any Error) -> ToolFailure = { FailureReport.database($0, path: "the scratch database") },
    _ work: (DatabaseQueue) throws -> Result
  ) throws(ToolFailure) -> Result {
    let queue = try open(limitsStatements: limitsStatements)
    do {
      let result = try context.interruptible(queue) { try work(queue) }
      try queue.close()
      return result
    } catch {
      // Empties a scratch database on a server. The first error is reported.
      try? queue.close()
      throw failure(error)
    }
  }

  fileprivate func open(limitsStatements: Bool = true) throws(ToolFailure) -> DatabaseQueue {
    var configuration = Configuration()
    context.addStandIns(to: &configuration)
    var location = location
    // An in-memory database does not need a real key.
    var zeros = [UInt8](repeating: 0, count: 32)
    if backend.needsKey, location.key == nil {
      location.key = ToolKey(form: .raw, secret: ToolSecret(consuming: &zeros))
    }
    return try backend.opening(location) {
      let queue = try DatabaseQueue(backend.makeBackend(location).scratch(), configuration: configuration)
      let limit = limitsStatements ? context.output.environment.longestScratchStatement : nil
      try queue.writeWithoutTransaction { db in
        db.confine()
        if let limit { db.limitStatements(to: limit) }
      }
      return queue
    }
  }
}

extension CommandContext {
  /// Adds stand-ins for the functions that only the app has, as `--function` names them; they return their first argument.
  fileprivate func addStandIns(to configuration: inout Configuration) {
    let functions = arguments.values(of: .function).compactMap(OptionSpecification.functionParts)
    guard !functions.isEmpty else { return }
    configuration.prepareDatabase { db in
      for (name, count) in functions {
        try db.add(function: DatabaseFunction(name, argumentCount: count, pure: true) { $0.first ?? .null })
      }
    }
  }
}

extension ToolBackend {
  fileprivate func opening(
    _ location: ToolLocation, keyFile: String? = nil, _ open: () throws -> DatabaseQueue
  ) throws(ToolFailure) -> DatabaseQueue {
    do {
      return try open()
    } catch {
      throw FailureReport.opening(error, location: location, backend: self, keyFile: keyFile)
    }
  }
}
