/// The reason why a database whose migrations have changed is not erased; nothing was erased, and no migration ran.
public enum ErasureRefusal: Sendable, Equatable, CustomStringConvertible {
  /// The database also contains the work of other migrators or tools, which have separate ledgers.
  ///
  /// `ledgerTable` is this migrator's ledger, `others` are the other ledgers.
  case otherMigrators(ledgerTable: String, others: [String], reasons: [SchemaChangeReason])
  /// The ledger also contains migrations, `unknown`, that seem to belong to another migrator that uses the same ledger.
  case sharedLedger(ledgerTable: String, unknown: [String], reasons: [SchemaChangeReason])
  /// The database also contains `tables` that none of the ledger's migrations created.
  case otherTables(ledgerTable: String, tables: [String], reasons: [SchemaChangeReason])

  /// The data that would be lost, the reasons for erasing the database, and how to fix the problem.
  public var description: String {
    switch self {
    case .otherMigrators(let ledgerTable, let others, let reasons):
      "the database no longer matches the migrations of ledger \"\(ledgerTable)\", but erasing it would also "
        + "delete the work of other migrators or tools, whose \(others.count == 1 ? "ledger is" : "ledgers are") "
        + "\(others.quotedList):\n\(Self.list(reasons))"
        + "Nothing was erased, and no migration ran. If you need none of the data, call erase() on the database or "
        + "delete its file; otherwise undo the change, and add a migration instead."
    case .sharedLedger(let ledgerTable, let unknown, let reasons):
      "the database no longer matches the migrations of ledger \"\(ledgerTable)\", but that ledger contains "
        + "migrations that seem to belong to another migrator: \(unknown.quotedList). Erasing would also delete that "
        + "migrator's work:\n\(Self.list(reasons))"
        + "Nothing was erased, and no migration ran. Give each migrator a separate ledger, "
        + "`DatabaseMigrator(ledgerTable:)`, and let it adopt the migrations that it applied with "
        + "`adopt(.migrator.inTable(_:))`. If these migrations were removed, call erase() on the database, or delete "
        + "its file."
    case .otherTables(let ledgerTable, let tables, let reasons):
      "the database no longer matches the migrations of ledger \"\(ledgerTable)\", but erasing it would also "
        + "delete data that none of them created: \(tables.count == 1 ? "table" : "tables") \(tables.quotedList):\n"
        + Self.list(reasons)
        + "Nothing was erased, and no migration ran. If you need none of the data, call erase() on the database or "
        + "delete its file; otherwise undo the change, and add a migration instead."
    }
  }

  private static func list(_ reasons: [SchemaChangeReason]) -> String {
    let more = reasons.count > 5 ? "- and \(reasons.count - 5) more\n" : ""
    return reasons.prefix(5).map { "- \($0)\n" }.joined() + more
  }
}
