internal import SQLSyntax

extension Database {
  /// Returns the tables of the main schema in creation order, without ledgers and shadow tables.
  func userTables(leavingOut ledgerTable: String) throws -> [SchemaObject] {
    let ledger = ledgerTable.asciiLowercased
    return try connection.schema().objects.filter {
      $0.kind == .table && !$0.isShadow && $0.name.asciiLowercased != ledger && !$0.isLedger
    }
  }
}
