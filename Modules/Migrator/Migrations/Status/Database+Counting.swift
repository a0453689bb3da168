internal import SQLSyntax

extension Database {
  /// Returns the tables of the main schema in creation order, without ledgers and shadow tables.
  func userTables(leavingOut ledgerTable: String) throws -> [SchemaObject] {
    let ledger = ledgerTable.asciiLowercased
    return try connection.schema().objects.filter {
      $0.kind == .table && !$0.isShadow && $0.name.asciiLowercased != ledger && !$0.isLedger
    }
  }

  /// Returns the number of rows in a table; nil for a virtual table that cannot count its rows.
  package func rowCount(of table: SchemaObject) throws -> Int? {
    do {
      return try Int.fetchOne(self, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)")
    } catch let error as DatabaseError where table.isVirtual && !error.concernsEverything {
      // The module is missing, or cannot return rows.
      return nil
    }
  }
}
