internal import SQLSyntax

extension DatabaseMigrator {
  /// The table that marks a development database, which the command-line tool may erase.
  package static let developmentMark = "migrator_development"

  /// Returns the applied or unfinished migrations that this migrator neither registers nor merges, sorted
  /// by name.
  ///
  /// Migrations that another migrator has adopted into its ledger do not count.
  func unknown(_ db: Database) throws -> [String] {
    try ownHistory(db, withUnfinished: true).map(\.identifier).filter { !knows($0) }.sorted()
  }

  /// Returns the ledger's entries as ``history(_:withUnfinished:leavingOut:)`` does, except unknown ones that another
  /// migrator has adopted into its ledger.
  func ownHistory(_ db: Database, withUnfinished: Bool = false) throws -> [LedgerEntry] {
    let entries = try history(db, withUnfinished: withUnfinished)
    let unknown = Set(entries.lazy.map(\.identifier).filter { !knows($0) })
    guard !unknown.isEmpty else { return entries }
    let others = try OtherLedgers(besides: ledger, db).marks(db)
    guard !others.isEmpty else { return entries }
    return try history(db, withUnfinished: withUnfinished) { others.contains(OtherLedgers.Mark($0)) }
  }

  /// Returns the ledgers of other migrators that have applied or begun any migration in the database, including the
  /// history tables of other tools.
  ///
  /// A ledger does not count if all of its migrations are in this migrator's ledger: this migrator has adopted them.
  ///
  /// - Throws: ``MigrationError/ledgerUnreadable(table:underlying:)``; ``MigrationError/adoptionRefused(_:)``;
  ///   ``DatabaseError``.
  package func otherLedgers(_ db: Database) throws -> [String] {
    let own = try history(db, withUnfinished: true).filter { knows($0.identifier) }
    return try OtherLedgers(besides: ledger, db).tables(db, holdingMoreThan: Set(own.map(OtherLedgers.Mark.init)))
      + histories(ofToolsHoldingMoreThan: Set(own.map(\.identifier)), db)
  }

  /// Returns the history tables of other tools that contain a migration other than the given ones.
  private func histories(ofToolsHoldingMoreThan identifiers: Set<String>, _ db: Database) throws -> [String] {
    let owned = try ledger.ownedObjects(db)
    return try AdoptedHistory.ofTools.filter { history in
      guard !adopted.contains(where: { $0.table.asciiLowercased == history.table }),
        !owned.contains(SchemaObject.Name(kind: .table, name: history.table))
      else { return false }
      do {
        let content = try history.content(db, ledgerTable: ledgerTable)
        return try !ToolHistoryMapping(history.acceptingEdits(), self).entries(content).allSatisfy {
          identifiers.contains($0.version)
        }
      } catch MigrationError.adoptionRefused(.unrecognizedTable) {
        // A table of that name that is not the tool's history.
        return false
      } catch MigrationError.adoptionRefused {
        return true
      }
    }
    .map(\.table)
  }
}

/// The ledgers of other migrators in the same database, such as the ledgers of libraries.
struct OtherLedgers {
  /// The properties that together distinguish an entry from all others.
  ///
  /// Two migrators may use the same identifier, but are unlikely to do so at the same time and for the same objects.
  /// The time alone is not enough, since all entries of a dump have the same time.
  struct Mark: Hashable {
    let identifier: String
    let appliedAt: String
    let objects: String

    init(_ entry: LedgerEntry) {
      (identifier, appliedAt, objects) = (entry.identifier, entry.appliedAt, entry.objectsText)
    }
  }

  private let ledgers: [Ledger]

  init(besides own: Ledger, _ db: Database) throws {
    ledgers = try db.connection.schema().ledgerTables
      .filter { $0.asciiLowercased != own.table.asciiLowercased }
      .map { Ledger(table: $0) }
  }

  /// Returns the objects that other migrators created and did not remove.
  func ownedObjects(_ db: Database) throws -> Set<SchemaObject.Name> {
    try ledgers.reduce(into: []) { $0.formUnion(try $1.ownedObjects(db)) }
  }

  /// Returns the entries of all migrations that other migrators have applied or begun.
  func marks(_ db: Database) throws -> Set<Mark> {
    try ledgers.reduce(into: []) { $0.formUnion(try $1.entries(db, withUnfinished: true).map(Mark.init)) }
  }

  /// Returns the ledgers with an entry other than the given ones.
  func tables(_ db: Database, holdingMoreThan marks: Set<Mark>) throws -> [String] {
    try ledgers.filter { try !$0.entries(db, withUnfinished: true).allSatisfy { marks.contains(Mark($0)) } }
      .map(\.table)
  }
}
