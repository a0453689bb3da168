internal import Migrator
internal import SQLMigrations

/// Erases a database after everything that has to come before: saying what is lost, asking, keeping the old file.
struct DatabaseErasure {
  struct State {
    var contents: DatabaseContents
    var isMarked: Bool
    var ledger: [LedgerEntry]
    /// The ledgers of other migrators, which would not make their part of the database again.
    var otherLedgers: [String]
    /// The migrations of other migrators in the same ledger, for a command that recreates the database.
    var otherMigrations: [String] = []
    var isBlank: Bool
    /// The name of the file whose rows an earlier rebuild has not put back; nil when there is none.
    var unfinished: String?
    var isEmpty: Bool { ledger.isEmpty && contents.isEmpty }
  }

  struct Erased {
    var contents: DatabaseContents
    var backup: String?
    var rowsToPutBack: String?
  }

  let context: CommandContext
  let database: DatabaseTarget
  let migrator: DatabaseMigrator

  func state(_ db: Database) throws -> State {
    State(
      contents: try DatabaseContents(db, besides: migrator.ownTables),
      isMarked: try DevelopmentMark.isPresent(in: db), ledger: try migrator.history(db),
      otherLedgers: try migrator.otherLedgers(db), isBlank: try db.connection.schema().objects.isEmpty,
      unfinished: try DevelopmentMark.unfinished(in: db))
  }

  /// Keeps the file and erases the database, in one transaction: what is kept is what is erased.
  /// - Parameters:
  ///   - known: The database as it was when the permission was given. Whatever has come since is not erased with it.
  ///   - earlier: The name of the file with the rows that an earlier rebuild has erased, and that are to be put back.
  func erase(
    _ queue: DatabaseQueue, known: State, marking: Bool, earlier: String? = nil
  ) throws(ToolFailure) -> Erased {
    try database.catching {
      try queue.writeWithoutTransaction { db in
        try db.withoutForeignKeys {
          var erased: Erased?
          try db.inTransaction(.immediate) {
            let now = try state(db)
            let surplus = now.surplus(over: known)
            guard surplus.isEmpty else {
              throw ToolFailure.refused(
                "\(database.path) has changed since it was looked at, and nothing was erased",
                why: ["there is more to lose now: \(listed(surplus))"],
                remedy: "Run the command again; it says anew what would be lost.")
            }
            erased = try keep(now.contents, of: db, earlier)
            try db.eraseInTransaction()
            if marking { try DevelopmentMark.add(to: db, unfinished: erased?.rowsToPutBack) }
            return .commit
          }
          guard let erased else { preconditionFailure("A transaction ended without its body.") }
          return erased
        }
      }
    }
  }

  private func keep(_ contents: DatabaseContents, of db: Database, _ earlier: String?) throws(ToolFailure) -> Erased {
    guard !contents.isEmpty else { return Erased(contents: contents, rowsToPutBack: earlier) }
    let time = UTCTime(secondsSince1970: context.output.environment.now())
    let backup = try DatabaseBackup(target: database, ownTables: migrator.ownTables, time: time, sparing: earlier)
      .make(of: db, contents)
    let kept = context.arguments.contains(.keepData) ? FileSystem.name(of: backup) : nil
    return Erased(contents: contents, backup: backup, rowsToPutBack: earlier ?? kept)
  }
}

extension DatabaseErasure {
  /// Returns when the database may be erased, having said what would be lost; else throws a refusal.
  func obtainPermission(_ state: State, _ question: String) throws(ToolFailure) {
    let contents = state.contents
    guard !contents.isEmpty else { return }
    let parts = contents.tables.map { "\($0.name): \($0.rows.map(String.init) ?? "?")" }
    let loss = contents.tables.isEmpty ? "its views and triggers" : "\(contents.summary) (\(listed(parts)))"
    let removal = "\(context.command) would remove \(loss)"
    if !context.arguments.contains(.forceForeign) { try requireOwnership(state, removal) }
    let fate = context.arguments.contains(.keepData) ? "erased, and put back where it still fits" : "lost"
    let losses = ["This will be \(fate): \(contents.summary)"] + contents.lines(style: context.output.style)
    try confirm(question, losses, refusal: removal)
  }

  private func confirm(_ question: String, _ losses: [String], refusal: String) throws(ToolFailure) {
    let output = context.output
    guard !context.arguments.contains(.yes) else { return output.lines(losses) }
    let backup = "the previous file is kept as \(database.path).backup-<time>"
    guard output.environment.isInputTerminal else {
      output.lines(losses)
      throw .refused(
        refusal, why: ["there is no terminal on which to ask"],
        remedy: "Add --yes if that is what you want; \(backup).")
    }
    // A question needs what it is about, also where nothing else is printed.
    for line in losses { output.complain(line) }
    output.complain(backup.asSentence)
    output.ask("\(question) [y/N]")
    let answer = SignalHub.shared.leavingAtOnce { output.environment.readLine()?.lowercased() ?? "" }
    if answer.isEmpty { output.environment.writeError("\n") }
    guard ["y", "yes"].contains(answer) else {
      throw .refused("not confirmed, and nothing was changed", remedy: "Answer y, or add --yes.")
    }
  }

  private func requireOwnership(_ state: State, _ removal: String) throws(ToolFailure) {
    let command = context.command
    let path = database.path
    guard state.isMarked else {
      throw .refused(
        "\(path) was not created by this tool", why: [removal],
        remedy: "To keep the data, write a new migration instead. If it may be erased, add --force-foreign"
          + (command == "rebuild" ? ", once: the rebuilt database counts as the tool's own." : "."))
    }
    // `erase` makes nothing again that another ledger is needed for.
    guard state.otherLedgers.isEmpty || command == "erase" else {
      throw .refused(
        "\(path) also holds what other migrators or tools made, whose record is in \(listed(state.otherLedgers))",
        why: [removal],
        remedy:
          "To keep the data, write a new migration instead. If it may be erased, add --force-foreign, and run the "
          + "other migrations again.")
    }
    guard state.otherMigrations.isEmpty else {
      throw .refused(
        "\(path) also holds what another migrator made, which has recorded \(listed(state.otherMigrations)) in the same ledger",
        why: [removal],
        remedy:
          "Give each migrator a ledger of its own, with --ledger. If these are migrations that were removed, or may be "
          + "erased, add --force-foreign.")
    }
  }
}

extension DatabaseErasure.State {
  /// The contents that the database did not have when it was looked at before; empty when there is no more to lose.
  ///
  /// More rows in a table that had some are no more than was said, since an application that goes on writing would
  /// never let its database be erased, and they are in the file that is kept. Rows in a table that was empty are.
  fileprivate func surplus(over earlier: Self) -> [String] {
    let rows = Dictionary(earlier.contents.tables.map { ($0.name, $0.rows) }) { $1 }
    var surplus: [String] = []
    for table in contents.tables {
      switch rows[table.name] {
      case nil: surplus.append("the table \(table.name)")
      case .some(.some(0)) where table.rows != 0: surplus.append("rows in \(table.name)")
      case .some: break
      }
    }
    if contents.otherObjects > earlier.contents.otherObjects { surplus.append("a view or a trigger") }
    surplus += otherLedgers.filter { !earlier.otherLedgers.contains($0) }.map { "what is recorded in \($0)" }
    let applied = Set(earlier.ledger.map(\.identifier))
    surplus += ledger.map(\.identifier).filter { !applied.contains($0) }.map { "what \($0) made" }
    if earlier.isMarked, !isMarked { surplus.append("a database that the tool did not create") }
    if let unfinished, unfinished != earlier.unfinished {
      surplus.append("the note that the rows in \(unfinished) are to be put back")
    }
    return surplus
  }
}
