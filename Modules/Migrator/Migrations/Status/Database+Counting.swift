internal import SQLSyntax

extension Database {
  /// Runs `body` on one state of the database, which no other connection changes meanwhile; nothing can be written
  /// unless a transaction was open before.
  func onOneState<Value>(_ body: () throws -> Value) throws -> Value {
    guard !isInsideTransaction else { return try body() }
    return try reading { _ in try body() }
  }

  /// The tables of the main schema in the order of their creation, without ledgers, and without the tables in which
  /// virtual tables keep their rows.
  func userTables(leavingOut ledgerTable: String) throws -> [SchemaObject] {
    let ledger = ledgerTable.asciiLowercased
    return try schema().objects.filter {
      $0.kind == .table && !$0.isShadow && $0.name.asciiLowercased != ledger && !$0.isLedger
    }
  }

  /// The number of a table's rows; nil for a virtual table that cannot count them.
  package func rowCount(of table: SchemaObject) throws -> Int? {
    do {
      return try Int.fetchOne(self, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)")
    } catch let error as DatabaseError where table.isVirtual && !error.concernsEverything {
      // Its module is missing, or has no rows to give.
      return nil
    }
  }
}

extension DatabaseError {
  /// Whether what went wrong has nothing to do with the object at hand, so that going on with others makes no sense.
  var concernsEverything: Bool {
    switch condition {
    case .interrupted, .full, .outOfMemory, .inputOutput, .busy, .stale, .misuse, .fileReplaced, .beingConverted,
      .readOnly:
      true
    default: false
    }
  }
}
