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

extension DatabaseError {
  /// Returns the result of a query that may be impossible for the object that it names; nil if it is.
  ///
  /// - Throws: An interruption, a lack of memory, or an error that is not the database's.
  package static func ifPossible<Value, Failure: Error>(
    _ query: () throws(Failure) -> Value
  ) throws(Failure) -> Value? {
    do {
      return try query()
    } catch {
      if let error = error as? DatabaseError, !error.isUnrelatedToStatement { return nil }
      throw error
    }
  }

  /// Whether the error concerns more than the current object, so that there is no point in continuing with other
  /// objects.
  var concernsEverything: Bool {
    switch condition {
    case .interrupted, .full, .outOfMemory, .inputOutput, .busy, .stale, .misuse, .fileReplaced, .beingConverted,
      .readOnly, .connectionLost, .outcomeUnknown:
      true
    default: false
    }
  }

  /// Whether the statement could have succeeded: it was interrupted, or the process has no memory.
  package var isUnrelatedToStatement: Bool { condition == .interrupted || condition == .outOfMemory }
}
