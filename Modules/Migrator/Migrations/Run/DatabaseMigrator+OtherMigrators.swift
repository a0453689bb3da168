extension DatabaseMigrator {
  /// The table by which the tool knows a database that it may erase.
  package static let developmentMark = "migrator_development"

  /// Of applied migrations, and of those that have begun, the ones that this migrator neither knows nor merges.
  ///
  /// What another migrator has taken over into a ledger of its own is that one's.
  func unknown(among applied: Set<String>, _ db: Database) throws -> Set<String> {
    let unknown = try applied.union(ledger.begunIdentifiers(db)).filter { !knows($0) }
    guard !unknown.isEmpty else { return [] }
    let entries = try ledger.entries(db, withUnfinished: true)
    let own = try withoutThoseOfOthers(entries, db)
    return unknown.subtracting(Set(entries.map(\.identifier)).subtracting(own.map(\.identifier)))
  }

  /// The entries without those that are not known and that another migrator has taken over into a ledger of its own.
  func withoutThoseOfOthers(_ entries: [LedgerEntry], _ db: Database) throws -> [LedgerEntry] {
    guard !entries.allSatisfy({ knows($0.identifier) }) else { return entries }
    let others = try OtherLedgers(besides: ledger, db).marks
    return others.isEmpty ? entries : entries.filter { knows($0.identifier) || !others.contains(OtherLedgers.Mark($0)) }
  }

  /// The ledgers of other migrators that have applied or begun anything in the database, those of other tools included.
  ///
  /// One whose migrations all are in this migrator's ledger, too, is what that was taken over from.
  ///
  /// - Throws: ``MigrationError/ledgerUnreadable(table:underlying:)``; ``MigrationError/adoptionRefused(_:)``;
  ///   ``DatabaseError``.
  package func otherLedgers(_ db: Database) throws -> [String] {
    let own = try begunOrTakenOver(db).filter { knows($0.identifier) }
    return try OtherLedgers(besides: ledger, db).tables(holdingMoreThan: Set(own.map(OtherLedgers.Mark.init)))
      + histories(ofToolsHoldingMoreThan: Set(own.map(\.identifier)), db)
  }

  /// The tables of other tools that remember anything which is not among the given migrations.
  private func histories(ofToolsHoldingMoreThan identifiers: Set<String>, _ db: Database) throws -> [String] {
    let owned = try ledger.ownedObjects(db)
    return try AdoptedHistory.ofTools.filter { history in
      guard !adopted.contains(where: { $0.table.asciiLowercased == history.table }),
        !owned.contains(SchemaObject.Name(kind: .table, name: history.table))
      else { return false }
      do {
        let content = try history.content(db, ledgerTable: ledgerTable)
        return try !HistoryMapping(history, self).entries(content).allSatisfy { identifiers.contains($0.version) }
      } catch MigrationError.adoptionRefused(.unrecognizedTable) {
        // A table of that name that is no such history.
        return false
      } catch MigrationError.adoptionRefused {
        return true
      }
    }
    .map(\.table)
  }

  /// The ledger's entries, those that have not ended included; while there are none, those of adopted histories.
  private func begunOrTakenOver(_ db: Database) throws -> [LedgerEntry] {
    let entries = try ledger.entries(db, withUnfinished: true)
    return entries.isEmpty ? try unwrittenHistory(db) : entries
  }

  /// Refuses to erase a database that is not this migrator's alone.
  ///
  /// - Parameter reasons: Why it would be erased.
  /// - Throws: ``MigrationError/erasureRefused(_:)``; ``MigrationError/replayFailed(_:)``; ``DatabaseError``.
  func requireSoleMigrator(_ db: Database, _ reasons: [SchemaChangeReason]) throws {
    let others = try otherLedgers(db)
    guard others.isEmpty else {
      throw MigrationError.erasureRefused(
        .otherMigrators(ledgerTable: ledgerTable, others: others, reasons: reasons))
    }
    let strangers = try strangers(db)
    guard strangers.isEmpty else {
      throw MigrationError.erasureRefused(.sharedLedger(ledgerTable: ledgerTable, unknown: strangers, reasons: reasons))
    }
    let tables = try tablesOfNobody(db)
    guard tables.isEmpty else {
      throw MigrationError.erasureRefused(
        .otherTables(ledgerTable: ledgerTable, tables: tables, reasons: reasons))
    }
  }

  /// The tables that no migration of this migrator made: the user's, or of a program that keeps no record of its work.
  ///
  /// What adopted migrations made is not known; where there are any, what the registered ones make counts as their work.
  private func tablesOfNobody(_ db: Database) throws -> [String] {
    let entries = try begunOrTakenOver(db)
    var own: Set<SchemaObject.Name> = []
    for entry in entries { entry.objects.apply(to: &own) }
    let schema = try db.connection.schema()
    // At this point all other ledgers hold what this one has taken over.
    let histories = adopted.filter { $0.format != .userVersion }.map(\.table)
    let records = Set((schema.ledgerTables + histories + [Self.developmentMark]).map(\.asciiLowercased))
    func strange() -> [String] {
      schema.objects.filter { object in
        guard object.kind == .table, let (name, _) = object.definition(leavingOut: ledgerTable.asciiLowercased) else {
          return false
        }
        return !own.contains(name) && !records.contains(name.name)
      }
      .map(\.name)
    }
    guard !strange().isEmpty, entries.contains(where: \.isOfUnknownWork) else { return strange() }
    own.formUnion(try expectedSchema(db, registered).definitions(leavingOut: ledgerTable).keys)
    return strange()
  }

  /// The migrations in this migrator's ledger that seem to be of another migrator, which uses the same one.
  ///
  /// - Throws: ``MigrationError/replayFailed(_:)``; ``DatabaseError``.
  package func strangers(_ db: Database) throws -> [String] {
    try strangers(withoutThoseOfOthers(begunOrTakenOver(db), db), db).map(\.identifier)
  }

  /// The entries that seem to be of another migrator, which uses the same ledger.
  ///
  /// An entry that is not known is of a migration that was removed or renamed, or of another migrator. One migrator that
  /// adds migrations behind others leaves entries whose positions ascend. Two of them, each of which counts from zero,
  /// do not; nor does one whose migrations were inserted among applied ones, and there the doubt counts. Where one of
  /// either has merged anything, the entry that would tell may be gone. Where there is doubt, or where no entry is known
  /// at all, what was made decides: a migrator whose migrations were renamed still makes it.
  private func strangers(_ entries: [LedgerEntry], _ db: Database) throws -> [LedgerEntry] {
    let entries = entries.filter { $0.position != LedgerEntry.neverRegistered }
    let unknown = entries.filter { !knows($0.identifier) }
    guard !unknown.isEmpty else { return [] }
    let isInDoubt =
      unknown.count == entries.count || !ascend(entries) || entries.contains { !$0.objects.replaced.isEmpty }
      || registered.contains { !$0.mergedIdentifiers.isEmpty }
    return try isInDoubt && !makesWhatWasMade(by: unknown, among: entries, db) ? unknown : []
  }

  /// Whether each entry's position is greater than those of the entries before it, pairs of known ones aside.
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

  /// Whether the registered migrations make all that some entries made, as far as it is still there and no other entry
  /// made it; false when there is no such object.
  private func makesWhatWasMade(by unknown: [LedgerEntry], among entries: [LedgerEntry], _ db: Database) throws -> Bool
  {
    var made: Set<SchemaObject.Name> = []
    for entry in unknown { entry.objects.apply(to: &made) }
    for entry in entries where knows(entry.identifier) { made.subtract(entry.objects.made) }
    made.formIntersection(try db.connection.schema().definitions(leavingOut: ledgerTable).keys)
    guard !made.isEmpty else { return false }
    return made.isSubset(of: try expectedSchema(db, registered).definitions(leavingOut: ledgerTable).keys)
  }
}
