internal import Migrator
internal import SQLMigrations
internal import SQLSyntax

// Failures outside migrations: databases and folders that cannot be opened or used.
extension FailureReport {
  /// Returns the failure for a database that cannot be opened.
  ///
  /// - Parameter keyFile: The key file of the database in the folder that `--key-dir` names; nil without that option.
  static func opening(
    _ error: any Error, location: ToolLocation, backend: ToolBackend, keyFile: String? = nil
  ) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    if let damage = damage(error, path: location.path) { return damage }
    guard let error = error as? DatabaseError else {
      return ToolFailure(
        exitCode: .cannotOpen, what: "\(location.path) cannot be opened", why: [String(describing: error)])
    }
    var remedy = remedy(for: error, location, backend)
    if error.condition == .plaintextDatabase, let keyFile {
      remedy = "Remove or rename the key file \(keyFile) to use the plain database."
    }
    return switch error.condition {
    // The engine's message names the file.
    case .wrongKey, .plaintextDatabase, .notADatabase:
      ToolFailure(exitCode: .cannotOpen, what: error.reason, remedy: remedy)
    default:
      ToolFailure(
        exitCode: .cannotOpen, what: message(of: error, location, backend), why: [error.reason], remedy: remedy,
        isLocked: error.condition == .busy)
    }
  }

  /// Returns the failure for a database that a transfer has changed; nil for other errors.
  ///
  /// The smallest page has 512 bytes, and all page sizes are multiples of it
  /// (https://www.sqlite.org/fileformat2.html#pages). Only the size is looked at: reading the file could release locks of
  /// this process.
  private static func damage(_ error: any Error, path: String) -> ToolFailure? {
    guard let error = error as? DatabaseError, [.corrupt, .unsupported].contains(error.condition),
      let size = try? FileSystem.status(of: path).size, size > 512, !size.isMultiple(of: 512)
    else { return nil }
    return ToolFailure(
      exitCode: .cannotOpen, what: "\(path) is damaged",
      why: [error.reason, "its size, \(counted(size, "byte")), is not a multiple of a page size"],
      remedy:
        "It was cut off, or transferred as text, which changes bytes that look like line endings: copy it again, in binary mode "
        + "(for git, with `*.db binary` in .gitattributes), or restore a backup.")
  }

  /// Returns the folder that has the name of the database or of its log or journal; nil if there is none.
  private static func blockingFolder(_ path: String) -> String? {
    ["", "-wal", "-shm", "-journal"].map { path + $0 }.first(where: FileSystem.isFolder)
  }

  private static func message(of error: DatabaseError, _ location: ToolLocation, _ backend: ToolBackend) -> String {
    let path = backend.isServed ? "\(backend.name):\(location.path)" : location.path
    return switch error.condition {
    case .invalidKey: "the key for \(path) cannot be used"
    case .fileMissing: "there is no database at \(path)"
    case .isDirectory, .inputOutput:
      blockingFolder(location.path).map { "\($0) is a folder, not a file" } ?? "\(path) cannot be opened"
    case .permissionDenied: "access to \(path) is denied"
    case .libraryMissing:
      location.library.map { "the \(backend.title) library \($0) cannot be loaded" }
        ?? "the \(backend.title) library is not installed"
    case .libraryUnsuitable: "the \(backend.title) library cannot be used"
    case .busy: "\(path) is locked by another connection"
    default: "\(path) cannot be opened"
    }
  }

  private static func remedy(for error: DatabaseError, _ location: ToolLocation, _ backend: ToolBackend) -> String? {
    let folder = location.path.containingFolder
    return switch error.condition {
    case .wrongKey:
      "Check the key, and check that the file is a database. If an older SQLCipher created it, add "
        + "--cipher-compatibility 1, 2 or 3. If it was created with non-default cipher options, add the same options. If a newer SQLCipher "
        + "created it, give the path of that version's library with --\(backend.name)-library."
    case .plaintextDatabase: "Omit the key to use the plain database."
    case .notADatabase:
      "If it is encrypted, give its key with --key-file PATH, --key-env NAME or --key-fd N; otherwise name another file."
    case .invalidKey: error.remedy ?? "Give the key with --key-file PATH, --key-env NAME or --key-fd N."
    case .folderMissing where FileSystem.exists(folder): "Name a file in a folder."
    case .folderMissing: "Create it with `mkdir -p \(folder.shellWord)`, or name another file."
    case .fileMissing: "Check the path, or create the database with `migrate`."
    case .isDirectory where blockingFolder(location.path) != location.path,
      .inputOutput where blockingFolder(location.path) != nil:
      "The engine needs a file of that name: remove the folder, or name another database."
    case .isDirectory: "Give the path of a database file."
    case .libraryMissing where location.library != nil:
      "Check the path after --\(backend.name)-library, or omit the option to use the default library."
    case .libraryMissing: error.remedy ?? "Install it, or give its path with --\(backend.name)-library PATH."
    case .libraryUnsuitable: error.remedy ?? "Give the path of another one with --\(backend.name)-library PATH."
    case .busy: patience
    case .beingConverted: "Try again later, or wait longer with --lock-timeout SECONDS."
    default: error.remedy ?? (FileSystem.isLink(location.path) ? "Correct the link, or name the file itself." : nil)
    }
  }

  private static let patience =
    "Wait for the other program to finish, or wait longer for it with --lock-timeout SECONDS."

  /// Returns the failure for a migrations folder that cannot be used.
  ///
  /// - Parameter databaseFolder: The folder of the database on the command line; a missing migrations folder is looked
  ///   up there.
  static func folder(_ error: MigrationFolderError, toolName: String, databaseFolder: String? = nil) -> ToolFailure {
    let parts = error.problems.map { problem($0, toolName: toolName) }
    guard parts.count == 1, var failure = parts.first else {
      return ToolFailure(
        exitCode: .usage, what: "\(parts.count) problems in \(error.folder); nothing was run", parts: parts)
    }
    if error.problems[0].kind == .missingFolder, !error.folder.hasPrefix("/"),
      let remedy = missingFolderRemedy(error.folder, databaseFolder)
    {
      failure.remedy = remedy
    }
    return failure
  }

  /// Returns the remedy if a nearby folder has the name of the missing one; nil if there is none.
  private static func missingFolderRemedy(_ path: String, _ databaseFolder: String?) -> String? {
    let here = FileSystem.resolve(".")
    if here.name == FileSystem.name(of: path), FileSystem.names(in: ".").contains(where: { $0.hasSuffix(".sql") }) {
      return "The current folder is named \"\(here.name)\": change to its parent folder, or add `--migrations .`."
    }
    let places = [databaseFolder.map { ("next to the database", $0) }, ("in the parent folder", "..")]
    for (place, folder) in places.compactMap(\.self) where folder != "." {
      let near = "\(folder)/\(path)"
      guard FileSystem.isFolder(near) else { continue }
      return
        "There is a folder of that name \(place): run `cd \(folder.shellWord)`, or add `--migrations \(near.shellWord)`."
    }
    return nil
  }

  static func problem(_ problem: MigrationProblem, toolName: String) -> ToolFailure {
    let explanation = problem.explanation(toolName: toolName)
    let option = problem.path == MigratorTool.usualFolder ? "" : " --migrations \(problem.path.shellWord)"
    let creating = "create \(problem.kind == .noMigrations ? "one" : "it") with `\(toolName) new NAME\(option)`"
    let remedy =
      switch problem.kind {
      case .missingFolder, .noMigrations: "\(creating), or name another folder with --migrations DIR"
      default: explanation.remedy
      }
    let text = problem.position.flatMap { position in
      // An unreadable file has no source line.
      (try? ScriptFile.text(at: problem.path)).flatMap { ScriptFile.line(position.line, of: $0) }
    }
    return ToolFailure(
      exitCode: .usage, what: explanation.what,
      place: ToolFailure.Place(
        path: problem.path, line: problem.position?.line, column: problem.position?.column, text: text),
      why: explanation.why.isEmpty ? [] : [explanation.why], remedy: remedy.asSentence)
  }

  static func database(_ error: any Error, path: String) -> ToolFailure {
    if let failure = error as? ToolFailure { return failure }
    if case MigrationError.ledgerUnreadable(let table, let error) = error {
      return ToolFailure(
        exitCode: .cannotOpen, what: "the record of applied migrations in \(path) cannot be read",
        why: ["table \(table): \(error.reason)"],
        remedy:
          "Another program created the table, or it is damaged: restore a backup, or use another table for the record "
          + "(--ledger, or ledgerTable in Swift code).", isLocked: error.condition == .busy)
    }
    if let damage = damage(error, path: path) { return damage }
    guard let error = error as? DatabaseError else {
      return ToolFailure(exitCode: .cannotOpen, what: "\(path) cannot be used", why: [String(describing: error)])
    }
    if let file = unwritable(error, path: path) {
      return ToolFailure(
        exitCode: .cannotOpen, what: "\(path) cannot be written", why: [error.reason, "\(file) is not writable"],
        remedy: permissions)
    }
    let what =
      switch error.condition {
      case .busy: "\(path) is locked by another connection"
      case .outcomeUnknown: "it is unknown whether \(path) was changed"
      default: "\(path) cannot be used"
      }
    // Such as the definition of an object that no statement can read.
    let check = error.condition == .statement ? "Check the file with `verify`." : nil
    return ToolFailure(
      exitCode: .cannotOpen, what: what, why: [error.reason],
      remedy: error.condition == .busy ? patience : error.remedy ?? check, isLocked: error.condition == .busy)
  }

  static let permissions = "Check the owner and the permissions of the file and of its folder."

  /// Returns the file that cannot be written if that explains the error; nil if it does not.
  ///
  /// The engine's error is not sufficient: a migration that sets `PRAGMA query_only` fails as read-only, too.
  static func unwritable(_ error: DatabaseError, path: String) -> String? {
    switch error.condition {
    case .readOnly, .inputOutput, .cannotOpen, .permissionDenied: FileSystem.unwritable(database: path)
    default: nil
    }
  }
}
