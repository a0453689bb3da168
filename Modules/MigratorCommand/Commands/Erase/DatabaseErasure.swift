internal import Migrator
internal import SQLMigrations

/// Erases a database after everything that has to come before: saying what is lost, asking, keeping the old file.
struct DatabaseErasure {
  /// What is in a database before it is erased.
  struct State {
    var contents: DatabaseContents
    /// Whether the tool may erase it.
    var isMarked: Bool
    var ledger: [LedgerEntry]
    /// The ledgers of other migrators, which would not make their part of the database again.
    var otherLedgers: [String]
    /// The migrations of other migrators in the same ledger, for a command that recreates the database.
    var otherMigrations: [String] = []
    var isBlank: Bool
    /// The name of the file whose rows an earlier rebuild has not put back; nil when there is none.
    var unfinished: String?
  }

  struct Erased {
    var contents: DatabaseContents
    /// The path of the previous file; nil when it held nothing.
    var backup: String?
    /// The name of the file whose rows are to be put back; nil for none.
    var rowsToPutBack: String?
  }

  /// Whose rows are to be put back into a database after it is erased.
  enum RowsToPutBack {
    case none
    case erased
    /// Those that an earlier rebuild has erased and kept in a file of this name.
    case earlier(String)

    fileprivate func name(backup: String?) -> String? {
      switch self {
      case .none: nil
      case .erased: backup
      case .earlier(let name): name
      }
    }
  }

  /// The command line and where words go.
  let context: CommandContext
  let database: DatabaseTarget
  /// The migrator, whose ledger does not count as the user's.
  let migrator: DatabaseMigrator

  func state(_ db: Database) throws -> State {
    State(
      contents: try DatabaseContents(db, ledgerTable: migrator.ledgerTable),
      isMarked: try DevelopmentMark.isPresent(in: db), ledger: try migrator.history(db),
      otherLedgers: try migrator.otherLedgers(db), isBlank: try db.connection.schema().objects.isEmpty,
      unfinished: try DevelopmentMark.unfinished(in: db))
  }

  /// Keeps the file and erases the database, in one transaction: what is kept is what is erased.
  ///
  /// - Parameters:
  ///   - known: What the database held when the permission was given. Whatever has come since is not erased with it.
  ///   - marking: Whether the erased database bears the mark of a development database.
  ///   - rows: What the mark says is to be put back.
  func erase(
    _ queue: DatabaseQueue, known: State, marking: Bool, puttingBack rows: RowsToPutBack = .none
  ) throws(ToolFailure) -> Erased {
    try database.catching {
      try queue.writeWithoutTransaction { db in
        try db.withoutForeignKeys {
          var erased: Erased?
          try db.inTransaction(.immediate) {
            let now = try state(db)
            try refuse(now.surplus(over: known))
            erased = try keep(now.contents, of: db, rows)
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

  private func refuse(_ surplus: [String]) throws(ToolFailure) {
    guard !surplus.isEmpty else { return }
    throw .refused(
      "\(database.path) has changed since it was looked at, and nothing was erased",
      why: ["there is more to lose now: \(listed(surplus))"],
      remedy: "Run the command again; it says anew what would be lost.")
  }

  private func keep(_ contents: DatabaseContents, of db: Database, _ rows: RowsToPutBack) throws(ToolFailure) -> Erased
  {
    guard !contents.isEmpty else { return Erased(contents: contents, rowsToPutBack: rows.name(backup: nil)) }
    let time = UTCTime(secondsSince1970: context.output.environment.now())
    let backup = try DatabaseBackup(
      target: database, ledgerTable: migrator.ledgerTable, time: time, sparing: rows.name(backup: nil)
    ).make(of: db, contents)
    return Erased(
      contents: contents, backup: backup, rowsToPutBack: rows.name(backup: FileSystem.name(of: backup)))
  }
}

extension DatabaseErasure.State {
  /// What the database holds that it did not hold when it was looked at before; empty when there is no more to lose.
  ///
  /// More rows in a table that had some are no more than was said, since an application that goes on writing would never
  /// let its database be erased, and they are in the file that is kept. Rows in a table that was empty are.
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
    let ledgers = Set(earlier.otherLedgers)
    surplus += otherLedgers.filter { !ledgers.contains($0) }.map { "what is recorded in \($0)" }
    let applied = Set(earlier.ledger.map(\.identifier))
    surplus += ledger.map(\.identifier).filter { !applied.contains($0) }.map { "what \($0) made" }
    if earlier.isMarked, !isMarked { surplus.append("a database that the tool did not create") }
    if let unfinished, unfinished != earlier.unfinished {
      surplus.append("the note that the rows in \(unfinished) are to be put back")
    }
    return surplus
  }
}
