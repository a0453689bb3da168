internal import Migrator
internal import SQLMigrations

/// The erasure of a database, after listing what will be lost, asking for permission, and making a backup.
struct DatabaseErasure {
  struct State {
    var contents: DatabaseContents
    var isMarked: Bool
    var ledger: [LedgerEntry]
    /// The ledgers of other migrators; this migrator would not recreate their part of the database.
    var otherLedgers: [String]
    /// The migrations of other migrators in the same ledger; set only by a command that recreates the database.
    var otherMigrations: [String] = []
    var isBlank: Bool
    /// The name of the backup whose rows an earlier rebuild has not restored; nil if there is none.
    var unfinished: String?
    var token: PlanToken
    var isEmpty: Bool { ledger.isEmpty && contents.isEmpty }
  }

  struct Erased {
    var contents: DatabaseContents
    var backup: String?
    var rowsToPutBack: String?
  }

  let context: CommandContext
  let database: DatabaseTarget
  let confirmation: PlanConfirmation
  private var migrator: DatabaseMigrator { confirmation.migrator }

  func state(_ db: Database) throws -> State {
    State(
      contents: try DatabaseContents(db, besides: migrator.ownTables),
      isMarked: try DevelopmentMark.isPresent(in: db), ledger: try migrator.history(db),
      otherLedgers: try migrator.otherLedgers(db), isBlank: try db.connection.schema().objects.isEmpty,
      unfinished: try DevelopmentMark.unfinished(in: db), token: try confirmation.token(db))
  }

  /// Backs up and erases the database in one transaction, so that the backup contains everything that is erased.
  ///
  /// - Parameters:
  ///   - known: The state of the database when the user gave permission. If more would be lost now, nothing is erased.
  ///   - earlier: The name of the backup with the rows that an earlier rebuild erased and has not restored yet.
  func erase(
    _ queue: DatabaseQueue, known: State, marking: Bool, earlier: String? = nil
  ) throws(ToolFailure) -> Erased {
    var erased: Erased?
    do throws(ToolFailure) {
      try database.catching {
        try queue.writeWithoutTransaction { db in
          try db.keepTemporaryRowsInMemory()
          try db.withoutForeignKeys {
            try db.inTransaction(.immediate) {
              let now = try state(db)
              try confirmation.require(now.token)
              guard !now.isMore(than: known) else {
                throw ToolFailure.refused(
                  "\(database.path) changed after you were asked, so nothing was erased",
                  remedy: "Run the command again, and check the new list of losses.")
              }
              erased = try keep(now.contents, of: db, earlier)
              try db.eraseInTransaction()
              if marking { try DevelopmentMark.add(to: db, unfinished: erased?.rowsToPutBack) }
              return .commit
            }
          }
        }
      }
    } catch {
      // On a server, which has no such backup, the outcome may be unknown.
      guard let backup = erased?.backup else { throw error }
      var failure = error
      failure.rolledBack = "the erasure, so nothing was erased; the backup is kept as \(backup)"
      throw failure
    }
    guard let erased else { preconditionFailure("A transaction ended without its body.") }
    return erased
  }

  /// Backs up the database before pending migrations change it.
  ///
  /// - Returns: The path of the backup; nil for a database on a server.
  func backUp(_ queue: DatabaseQueue) throws(ToolFailure) -> String? {
    try database.catching {
      try queue.write { db in
        let now = try state(db)
        return try keep(now.contents, of: db, now.unfinished).backup
      }
    }
  }

  private func keep(_ contents: DatabaseContents, of db: Database, _ earlier: String?) throws(ToolFailure) -> Erased {
    guard !contents.isEmpty else { return Erased(contents: contents, rowsToPutBack: earlier) }
    guard database.file != .served else { return Erased(contents: contents) }
    let time = UTCTime(secondsSince1970: context.output.environment.now())
    let folder = BackupFolder(ofDatabaseAt: FileSystem.resolve(database.path).path)
    let backup: String
    do {
      let made = try folder.makeBackup(
        of: db, at: "\(time.date)T\(time.time).000Z", contents, besides: migrator.ownTables, sparing: earlier)
      backup = FileSystem.path(of: made.path, besideGiven: database.path)
    } catch {
      throw .refused(
        "\(database.path) cannot be backed up, so nothing was erased or migrated",
        why: [(error as? DatabaseError)?.message ?? String(describing: error)],
        remedy: "Free up disk space, check the permissions of the folder, or move the file away yourself.")
    }
    let kept = context.arguments.contains(.keepData) ? FileSystem.name(of: backup) : nil
    return Erased(contents: contents, backup: backup, rowsToPutBack: earlier ?? kept)
  }
}

extension Database {
  /// Keeps the engine's temporary copies of rows in memory, since the system's folder for temporary files is not a safe
  /// place for private data (https://www.sqlite.org/tempfiles.html#statement_journal_files).
  func keepTemporaryRowsInMemory() throws { try execute(sql: "PRAGMA temp_store = MEMORY") }
}

extension DatabaseErasure {
  /// Lists what would be lost and asks for permission to erase the database; throws a refusal if the user declines.
  func obtainPermission(_ state: State, _ question: String) throws(ToolFailure) {
    let contents = state.contents
    guard !contents.isEmpty || confirmation.typed != nil || context.requiresPlan else { return }
    let parts = contents.tables.map { "\($0.rows.map(String.init) ?? "?") in \"\($0.name)\"" }
    let loss = contents.tables.isEmpty ? "the database's views and triggers" : "\(contents.summary) (\(listed(parts)))"
    if !context.arguments.contains(.forceForeign) {
      try requireOwnership(state, "`\(context.command)` would remove \(loss)")
    }
    let fate = context.arguments.contains(.keepData) ? "erased, and restored where it still fits" : "lost"
    let losses = ["This will be \(fate): \(contents.summary)"] + contents.lines(style: context.output.style)
    // Compared again under the lock.
    try confirmation.require(state.token)
    guard confirmation.typed == nil else { return context.output.lines(losses) }
    try confirm(
      question, losses, state.token,
      refusal: "`\(context.command)` needs confirmation, because it would remove \(loss)")
  }

  private func confirm(
    _ question: String, _ losses: [String], _ token: PlanToken, refusal: String
  ) throws(ToolFailure) {
    let output = context.output
    guard !context.arguments.contains(.yes) || context.requiresPlan else { return output.lines(losses) }
    let backup =
      database.file == .served
      ? "no backup is kept, because the database is on a server"
      : "a backup is kept as \(database.path.oneLine).backup-<time>; \(context.restoreAdvice)"
    guard output.environment.isInputTerminal, !context.requiresPlan else {
      output.lines(losses)
      // Each rebuild of `watch` is another state.
      let exact =
        context.command == ToolCommand.watch.name
        ? nil : "`\(context.confirmedCommand(token))`, which does it only if nothing but the rows has changed"
      let ways = [context.requiresPlan ? nil : "add --yes", exact.map { "run " + $0 }].compactMap(\.self)
      var failure = ToolFailure.refused(
        refusal,
        why: [
          context.requiresPlan
            ? context.reasonForToken : "the command cannot ask for confirmation without a terminal"
        ], remedy: "To confirm, \(ways.joined(separator: ", or ")). " + backup.asSentence)
      if exact != nil { failure.token = token.text }
      throw failure
    }
    // The user needs this list to answer the question, even with --quiet or --json.
    for line in losses { output.complain(line) }
    output.complain(backup.asSentence)
    try context.confirm(question)
  }

  private func requireOwnership(_ state: State, _ reason: String) throws(ToolFailure) {
    let command = context.command
    let path = database.path
    guard state.isMarked else {
      throw .refused(
        "`\(command)` will not touch \(path): it is not marked as a development database",
        why: ["`rebuild` and `watch` mark those that they create, and `erase` removes the mark", reason],
        remedy: "To keep the data, write a new migration instead. To erase it anyway, add --force-foreign"
          + (command == "rebuild"
            ? ". You need this option only once: the rebuilt database is marked as a development database." : "."))
    }
    // `erase` does not recreate anything, so it makes no difference whether other ledgers exist.
    guard state.otherLedgers.isEmpty || command == "erase" else {
      throw .refused(
        "`\(command)` will not touch \(path): other migrators or tools also use it, and keep their history in "
          + listed(state.otherLedgers),
        why: [reason],
        remedy:
          "To keep the data, write a new migration instead. To erase it anyway, add --force-foreign, then run the "
          + "migrations of the other tools again.")
    }
    guard state.otherMigrations.isEmpty else {
      throw .refused(
        "\(path) also contains objects of another migrator, which recorded \(listed(state.otherMigrations)) in the same ledger",
        why: [reason],
        remedy:
          "Give each migrator a separate ledger with --ledger. If these migrations were removed, or if you want to erase "
          + "their objects, add --force-foreign.")
    }
  }
}

extension DatabaseErasure.State {
  /// Whether the schema, the history or the note about rows to restore has changed since an earlier state, or whether a table
  /// has rows that was empty.
  ///
  /// If rows counted in every table, the database of an application that keeps writing could not be erased. The backup
  /// contains the additional rows.
  fileprivate func isMore(than earlier: Self) -> Bool {
    let empty = Set(earlier.contents.tables.filter { $0.rows == 0 }.map(\.name))
    return token != earlier.token || unfinished != nil && unfinished != earlier.unfinished
      || contents.tables.contains { $0.rows != 0 && empty.contains($0.name) }
  }
}

extension DatabaseContents {
  /// Returns one aligned line per table, with its number of rows; if there are too many tables, only those with the
  /// most rows.
  fileprivate func lines(style: Style) -> [String] {
    let limit = 12
    var table = TextTable()
    let shown =
      tables.count > limit + 1 ? Array(tables.sorted { ($0.rows ?? 0) > ($1.rows ?? 0) }.prefix(limit)) : tables
    for entry in shown {
      let rows = entry.rows.map { counted($0, "row") } ?? "cannot be counted"
      table.add([.init(text: entry.name), .init(text: rows, isRightAligned: true)])
    }
    var lines = table.lines(style: style)
    if shown.count < tables.count { lines.append("  and \(tables.count - shown.count) more tables") }
    return lines
  }
}
