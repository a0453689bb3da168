internal import SQLSyntax

extension Database {
  /// Returns the tables of the main schema in creation order, without ledgers and shadow tables.
  func userTables(leavingOut ledgerTable: String) throws -> [SchemaObject] {
    let ledger = ledgerTable.asciiLowercased
    return try connection.schema().objects.filter {
      $0.kind == .table && !$0.isShadow && $0.name.asciiLowercased != ledger && !$0.isLedger
    }
  }

  /// Returns the number of rows in a table; nil if this connection cannot read them, because the module of a virtual
  /// table, or a collation or function that only an app registers, is missing.
  package func rowCount(of table: SchemaObject) throws -> Int? {
    do {
      return try Int.fetchOne(self, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)")
    } catch let error as DatabaseError
      where error.condition == .statement || table.isVirtual && !error.concernsEverything
    {
      return nil
    }
  }
}
