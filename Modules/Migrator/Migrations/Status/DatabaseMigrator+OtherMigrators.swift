internal import SQLSyntax

extension DatabaseMigrator {
  /// The table that marks a development database, which the command-line tool may erase.
  package static let developmentMark = "migrator_development"

  /// Returns the applied or unfinished migrations that this migrator neither registers nor merges.
  ///
  /// Migrations that another migrator has adopted into its ledger do not count.
  func unknown(among applied: Set<String>, _ db: Database) throws -> Set<String> {
    let unknown = try applied.union(ledger.begunIdentifiers(db)).filter { !knows($0) }
    guard !unknown.isEmpty else { return [] }
    let entries = try ledger.entries(db, withUnfinished: true)
    let own = try withoutTakenOver(entries, db)
    return unknown.subtracting(Set(entries.map(\.identifier)).subtracting(own.map(\.identifier)))
  }

  /// Returns the entries, except unknown ones that another migrator has adopted into its ledger.
  func withoutTakenOver(_ entries: [LedgerEntry], _ db: Database) throws -> [LedgerEntry] {
    guard !entries.allSatisfy({ knows($0.identifier) }) else { return entries }
    let others = try OtherLedgers(besides: ledger, db).marks
    return others.isEmpty ? entries : entries.filter { knows($0.identifier) || !others.contains(OtherLedgers.Mark($0)) }
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
    return try OtherLedgers(besides: ledger, db).tables(holdingMoreThan: Set(own.map(OtherLedgers.Mark.init)))
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

  private let histories: [(table: String, entries: [LedgerEntry])]

  /// The objects that other migrators created and did not remove.
  let ownedObjects: Set<SchemaObject.Name>
  /// The entries of all migrations that other migrators have applied or begun.
  let marks: Set<Mark>

  init(besides own: Ledger, _ db: Database) throws {
    let tables = try db.connection.schema().ledgerTables.filter { $0.asciiLowercased != own.table.asciiLowercased }
    histories = try tables.map { ($0, try Ledger(table: $0).entries(db, withUnfinished: true)) }
    var owned: Set<SchemaObject.Name> = []
    for history in histories {
      var ofOne: Set<SchemaObject.Name> = []
      for entry in history.entries { entry.objects.apply(to: &ofOne) }
      owned.formUnion(ofOne)
    }
    ownedObjects = owned
    marks = Set(histories.flatMap(\.entries).map(Mark.init))
  }

  func tables(holdingMoreThan marks: Set<Mark>) -> [String] {
    histories.filter { history in history.entries.contains { !marks.contains(Mark($0)) } }.map(\.table)
  }
}
