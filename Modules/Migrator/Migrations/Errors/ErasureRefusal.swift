/// Why a database whose migrations have changed is not erased; nothing was erased, and no migration ran.
public enum ErasureRefusal: Sendable, Hashable, CustomStringConvertible {
  /// The database also holds what other migrators made, or other tools, which have ledgers of their own.
  ///
  /// `ledgerTable` is this migrator's ledger, `others` are theirs.
  case otherMigrators(ledgerTable: String, others: [String], reasons: [SchemaChangeReason])
  /// The ledger also holds migrations that seem to be another migrator's, which uses the same ledger.
  case sharedLedger(ledgerTable: String, unknown: [String], reasons: [SchemaChangeReason])
  /// The database also holds tables that none of the ledger's migrations made.
  case otherTables(ledgerTable: String, tables: [String], reasons: [SchemaChangeReason])

  /// What would be lost, why it would be erased, and what to do.
  public var description: String {
    switch self {
    case .otherMigrators(let ledgerTable, let others, let reasons):
      "the database does not match the migrations of ledger \"\(ledgerTable)\" any more, but erasing it would also "
        + "take what other migrators or tools made, whose \(others.count == 1 ? "ledger is" : "ledgers are") "
        + "\(others.quotedList):\n\(Self.list(reasons))"
        + "Nothing was erased, and no migration ran. Call erase() on the database, or remove its file, if all of it may "
        + "go; otherwise take the change back, and add a migration instead."
    case .sharedLedger(let ledgerTable, let unknown, let reasons):
      "the database does not match the migrations of ledger \"\(ledgerTable)\" any more, but that ledger holds "
        + "migrations that seem to be another migrator's: \(unknown.quotedList). Erasing would take what that one "
        + "made:\n\(Self.list(reasons))"
        + "Nothing was erased, and no migration ran. Give each migrator a ledger of its own, "
        + "`DatabaseMigrator(ledgerTable:)`, that takes over what it has applied, `adopt(.migrator.inTable(_:))`. If "
        + "they are migrations that were removed, call erase() on the database, or remove its file."
    case .otherTables(let ledgerTable, let tables, let reasons):
      "the database does not match the migrations of ledger \"\(ledgerTable)\" any more, but erasing it would also "
        + "take what none of them made: \(tables.count == 1 ? "table" : "tables") \(tables.quotedList):\n"
        + Self.list(reasons)
        + "Nothing was erased, and no migration ran. Call erase() on the database, or remove its file, if all of it may "
        + "go; otherwise take the change back, and add a migration instead."
    }
  }

  private static func list(_ reasons: [SchemaChangeReason]) -> String {
    let more = reasons.count > 5 ? "- and \(reasons.count - 5) more\n" : ""
    return reasons.prefix(5).map { "- \($0)\n" }.joined() + more
  }
}
