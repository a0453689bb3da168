/// The ledgers that other migrators keep in the same database, such as those of libraries.
struct OtherLedgers {
  /// What tells an entry from all others.
  ///
  /// Two migrators may use one identifier, but hardly at one moment and to make the same objects. The moment alone is not
  /// enough, since all entries of a dump have the same one.
  struct Mark: Hashable {
    let identifier: String
    let appliedAt: String
    let objects: String

    init(_ entry: LedgerEntry) {
      (identifier, appliedAt, objects) = (entry.identifier, entry.appliedAt, entry.objectsText)
    }
  }

  private let histories: [(table: String, entries: [LedgerEntry])]

  /// The objects that other migrators made and did not remove.
  let ownedObjects: Set<SchemaObject.Name>

  /// All that other migrators have applied or begun.
  let marks: Set<Mark>

  /// Reads all ledgers but one.
  ///
  /// - Throws: ``MigrationError/ledgerUnreadable(table:underlying:)``; ``DatabaseError``.
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

  /// The tables that hold anything which is not among the given marks.
  func tables(holdingMoreThan marks: Set<Mark>) -> [String] {
    histories.filter { history in history.entries.contains { !marks.contains(Mark($0)) } }.map(\.table)
  }
}

extension SchemaSnapshot {
  /// The tables in which migrators remember what they have applied, whatever their names.
  package var ledgerTables: [String] { objects.filter(\.isLedger).map(\.name) }
}

extension SchemaObject {
  /// Whether the object is a table in which a migrator remembers what it has applied, whatever its name.
  var isLedger: Bool {
    guard kind == .table, !isVirtual, let sql, sql.contains("applied_at"), sql.contains("fingerprint") else {
      return false
    }
    // What cannot be read was not written by a migrator.
    guard let syntax = try? SQLSyntax(parsing: sql), case .createTable(let table) = syntax.statement else {
      return false
    }
    return Ledger.columns.allSatisfy { table.column(named: $0) != nil }
  }
}
