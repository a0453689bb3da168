internal import SQLSyntax

extension DatabaseMigrator {
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

  /// Throws an error if the database is not used by this migrator alone, and so must not be erased.
  func requireSoleMigrator(_ db: Database, _ reasons: [SchemaChangeReason]) throws {
    let others = try otherLedgers(db)
    guard others.isEmpty else {
      throw MigrationError.erasureRefused(.otherMigrators(ledgerTable: ledgerTable, others: others, reasons: reasons))
    }
    let shared = try migrationsOfAnotherMigrator(db)
    guard shared.isEmpty else {
      throw MigrationError.erasureRefused(.sharedLedger(ledgerTable: ledgerTable, unknown: shared, reasons: reasons))
    }
    let tables = try tablesOfNoMigration(db)
    guard tables.isEmpty else {
      throw MigrationError.erasureRefused(.otherTables(ledgerTable: ledgerTable, tables: tables, reasons: reasons))
    }
  }

  private func tablesOfNoMigration(_ db: Database) throws -> [String] {
    try objectsOfNoMigration(db).filter { $0.kind == .table }.map(\.name)
  }

  /// Returns the objects that no migration of this migrator created: the user's objects, or those of another program.
  ///
  /// The records of migrators and of other migration tools do not count. The ledger does not record the objects of adopted
  /// migrations. If there are adopted migrations, every object that the registered migrations create is therefore left out.
  package func objectsOfNoMigration(_ db: Database) throws -> [SchemaObject] {
    let entries = try history(db, withUnfinished: true)
    var own = try ledger.ownedObjects(db)
    for entry in try unwrittenHistory(db) { entry.objects.apply(to: &own) }
    let schema = try db.connection.schema()
    // At this point all other ledgers contain the entries that this one has adopted.
    let histories = adopted.filter { $0.format != .userVersion }.map(\.table)
    let records = Set((schema.ledgerTables + histories + [DevelopmentMark.tableName]).map(\.asciiLowercased))
    func others() -> [SchemaObject] {
      schema.objects.filter { object in
        guard let (name, _) = object.definition(leavingOut: ledgerTable.asciiLowercased) else { return false }
        return !own.contains(name) && !records.contains(object.tableName.asciiLowercased)
      }
    }
    guard !others().isEmpty, entries.contains(where: \.isOfUnknownWork) else { return others() }
    own.formUnion(try replayed(db, registered).schema.definitions(leavingOut: ledgerTable).keys)
    return others()
  }

  /// Returns the migrations in this migrator's ledger that seem to belong to another migrator that uses the same
  /// ledger.
  package func migrationsOfAnotherMigrator(_ db: Database) throws -> [String] {
    try entriesOfAnotherMigrator(among: ownHistory(db, withUnfinished: true), db).map(\.identifier)
  }

  /// Returns the entries that seem to belong to another migrator that uses the same ledger.
  ///
  /// An unknown entry belongs to a migration that was removed or renamed, or to another migrator. If a single migrator
  /// adds migrations only at the end, the positions of its entries ascend. The positions of two migrators do not, since
  /// each counts from zero; nor do the positions of a single migrator with migrations inserted between applied ones. If
  /// the positions do not ascend, if migrations were merged, or if no entry is known, the created objects decide: a
  /// migrator whose migrations were renamed still creates the same objects.
  private func entriesOfAnotherMigrator(among all: [LedgerEntry], _ db: Database) throws -> [LedgerEntry] {
    let entries = all.filter { $0.position != LedgerEntry.neverRegistered }
    let unknown = entries.filter { !knows($0.identifier) }
    guard !unknown.isEmpty else { return [] }
    let isInDoubt =
      unknown.count == entries.count || !ascend(entries) || entries.contains { !$0.objects.replaced.isEmpty }
      || registered.contains { !$0.mergedIdentifiers.isEmpty }
    return try isInDoubt && !makesWhatWasMade(by: unknown, among: entries, db) ? unknown : []
  }

  /// Returns whether each entry's position is greater than those of earlier entries, ignoring pairs of known entries.
  private func ascend(_ entries: [LedgerEntry]) -> Bool {
    var (highest, highestUnknown) = (-1, -1)
    for entry in entries {
      let isKnown = knows(entry.identifier)
      guard entry.position > (isKnown ? highestUnknown : highest) else { return false }
      highest = max(highest, entry.position)
      if !isKnown { highestUnknown = max(highestUnknown, entry.position) }
    }
    return true
  }

  /// Returns whether the registered migrations create all objects that the `unknown` entries created.
  ///
  /// Objects that no longer exist, or that another entry created, are ignored; if no other objects remain, returns
  /// false.
  private func makesWhatWasMade(by unknown: [LedgerEntry], among entries: [LedgerEntry], _ db: Database) throws -> Bool
  {
    var made: Set<SchemaObject.Name> = []
    for entry in unknown { entry.objects.apply(to: &made) }
    for entry in entries where knows(entry.identifier) { made.subtract(entry.objects.made) }
    made.formIntersection(try db.connection.schema().definitions(leavingOut: ledgerTable).keys)
    guard !made.isEmpty else { return false }
    return made.isSubset(of: try replayed(db, registered).schema.definitions(leavingOut: ledgerTable).keys)
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
