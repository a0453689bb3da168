internal import Migrator
internal import SQLMigrations

extension ToolCommand {
  static let restore = ToolCommand(
    name: "restore",
    operand: Operand(placeholder: "BACKUP", isOptional: true, isFile: true),
    summary: "list the backups of the database, or put one back",
    details: [
      "Without BACKUP, lists the backups next to the database, the newest first, with their time, size and last migration. With a "
        + "name from that list, or `newest`, replaces the database with a copy of that backup.",
      "Keeps the current file as another backup, then replaces it in one step, together with its journals. First reads the backup "
        + "with the key of the database. Asks for confirmation; without a terminal, --yes is required. Close the programs that use "
        + "the database first.",
      "A write-protected backup contains rows or values that were reported as lost. It stays until you delete it.",
    ],
    examples: [
      Example("restore --database dev.sqlite", "list the backups"),
      Example("restore newest --database dev.sqlite", "put the newest backup back"),
    ]
  ) { context throws(ToolFailure) in try RestoreCommand(context: context).run() }
}

extension CommandContext {
  /// A clause that names the command that restores backups.
  var restoreAdvice: String { "`\(commandLine(.restore, ["newest"]))` puts it back" }

  /// Returns the names of a database's backups, those of the ledger that the command line names last.
  ///
  /// - Parameter path: The path of the file itself, not of a link.
  func backups(ofDatabaseAt path: String) -> [String] {
    let (usual, own) = (DatabaseMigrator().ledgerTable, ownMigrator.ledgerTable)
    let names = BackupFolder(ofDatabaseAt: path).backups
    return own == usual ? names : names + BackupFolder(ofDatabaseAt: path, ledgerTable: own).backups
  }
}

struct RestoreCommand {
  let context: CommandContext

  func run() throws(ToolFailure) -> ExitCode {
    let database = try DatabaseTarget(context, creates: false)
    try database.requireFile("has no backups", remedy: "Use the backups of the server.")
    let migrator = context.ownMigrator
    let place = FileSystem.resolve(database.path)
    let names = context.backups(ofDatabaseAt: place.path)
    let folder = place.folder
    let backups = names.reversed().map { read($0, in: folder, database, migrator) }
    guard let wanted = context.arguments.operands.first else {
      list(backups, database)
      context.json(Report(backups: backups), database)
      return .done
    }
    let name = wanted == "newest" ? backups.first?.name : FileSystem.name(of: wanted)
    guard !backups.isEmpty else {
      throw .usage("\(database.path) has no backups", remedy: "`rebuild`, `erase` and `restore` make them.")
    }
    guard let name, let backup = backups.first(where: { $0.name == name }) else {
      throw .usage(
        "\(database.path) has no backup named \(wanted)",
        remedy: "Omit the name to list the backups.")
    }
    if database.file == .missing { try database.requireExisting("Copy \(backup.name) to that path.") }
    if !context.arguments.contains(.yes) {
      guard context.output.environment.isInputTerminal else {
        throw .refused(
          "`restore` needs confirmation, because it would replace \(database.path)",
          why: ["the command cannot ask for confirmation without a terminal"],
          remedy: "To confirm, add --yes; the current file is kept as another backup.")
      }
      try context.confirm("Replace \(database.path.oneLine) with \(backup.name.oneLine)?")
    }
    let queue = try database.open()
    let kept = try restore(backup, in: folder, queue, database)
      .map { FileSystem.path(of: $0, besideGiven: database.path) }
    context.output.line("Restored \(database.path.oneLine) from \(backup.name.oneLine).")
    if let kept { context.output.line("A backup of the replaced file is kept as \(kept.oneLine).") }
    context.json(Report(backups: backups, restored: name, kept: kept), database)
    return .done
  }

  private func restore(
    _ backup: Backup, in folder: String, _ queue: DatabaseQueue, _ database: DatabaseTarget
  ) throws(ToolFailure) -> String? {
    try database.catching {
      do {
        return try queue.restore(backupAt: folder + "/" + backup.name)
      } catch let error as DatabaseError
        where [.wrongKey, .plaintextDatabase, .notADatabase].contains(error.condition)
      {
        throw ToolFailure(
          exitCode: .cannotOpen,
          what: "\(backup.name) does not open in the same way as \(database.path)",
          why: [error.reason],
          remedy:
            "Nothing was changed. A backup opens only with the key that the database had when the backup was made, or with "
            + "none if it was plain then. To put it back, first give the database that key with `rekey`, `encrypt` or "
            + "`decrypt`. If the key has not changed since, the backup is damaged: choose another one.")
      }
    }
  }

  private func read(
    _ name: String, in folder: String, _ database: DatabaseTarget, _ migrator: DatabaseMigrator
  ) -> Backup {
    let path = folder + "/" + name
    var backup = Backup(name: name, sizeInBytes: (try? FileSystem.status(of: path))?.size ?? 0)
    do {
      let queue = try database.open(backup: path)
      (backup.lastMigration, backup.rows) = try queue.read { db in
        (try migrator.history(db).last?.identifier, try DatabaseContents(db, besides: migrator.ownTables).rowCount)
      }
      try queue.close()
    } catch {
      backup.problem = "cannot be read with this key"
    }
    return backup
  }

  private func list(_ backups: [Backup], _ database: DatabaseTarget) {
    guard !backups.isEmpty else { return context.output.line("\(database.path.oneLine) has no backups.") }
    var table = TextTable()
    for backup in backups {
      table.add([
        .init(text: backup.name), .init(text: "\(max(1, backup.sizeInBytes / 1024)) KiB", isRightAligned: true),
        .init(text: backup.rows.map { counted($0, "row") } ?? "?", isRightAligned: true),
        .init(text: backup.problem ?? backup.lastMigration ?? "no migrations"),
      ])
    }
    context.output.lines(table.lines(style: context.output.style))
  }

  struct Backup: Encodable {
    /// The file's name, which contains the time in UTC.
    var name: String
    var sizeInBytes: Int
    var rows: Int?
    var lastMigration: String?
    var problem: String?
  }

  private struct Report: Encodable {
    var backups: [Backup]
    var restored: String?
    var kept: String?
  }
}
