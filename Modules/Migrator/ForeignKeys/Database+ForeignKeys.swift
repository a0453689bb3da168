internal import SQLSyntax

extension Database {
  /// The violations of foreign keys in the whole database, read one at a time.
  ///
  /// - Throws: ``DatabaseError``, also when a key refers to columns that are not unique in their table.
  public func foreignKeyViolations() throws -> ForeignKeyViolationCursor {
    ForeignKeyViolationCursor(try violations(in: nil), db: self)
  }

  /// The violations of foreign keys that one table declares, read one at a time.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table.
  public func foreignKeyViolations(in table: String) throws -> ForeignKeyViolationCursor {
    // An engine finds no violation in a table that does not exist, and a misspelt name would look like a clean table.
    _ = try columns(in: table)
    return ForeignKeyViolationCursor(try violations(in: table), db: self)
  }

  /// Checks all foreign keys of the database, in all tables and rows.
  ///
  /// - Throws: ``ForeignKeyViolationError`` with all violations.
  public func checkForeignKeys() throws { try refuse(foreignKeyViolations()) }

  /// Checks the foreign keys that one table declares, in all its rows, as ``checkForeignKeys()`` does.
  public func checkForeignKeys(in table: String) throws { try refuse(foreignKeyViolations(in: table)) }

  /// The tables, in order, whose rows the engine deletes or changes when it drops a table while foreign keys are enforced
  /// (https://www.sqlite.org/foreignkeys.html#fk_schemacommands).
  func tablesChangedByDropping(_ table: String) throws -> [String] {
    try connection.schema().objects.filter { object in
      guard object.kind == .table, !object.isVirtual, !object.name.isSameName(as: table) else { return false }
      let isChanged = try connection.foreignKeys(on: object.name).contains {
        $0.destinationTable.isSameName(as: table) && $0.changesRowsUponDeletion
      }
      guard isChanged else { return false }
      return try Bool.fetchOne(self, sql: "SELECT EXISTS (SELECT * FROM main.\(object.name.quotedIdentifier))") ?? false
    }.map(\.name)
  }

  private func violations(in table: String?) throws -> () throws(DatabaseError) -> ForeignKeyViolation? {
    do {
      return try connection.foreignKeyViolations(in: table)
    } catch {
      throw ended(by: error)
    }
  }

  /// The error that ends a check: that of the cancelled task when it was interrupted for that.
  func ended(by error: DatabaseError) -> any Error {
    error.condition == .interrupted && context.cancellation.isRequested ? CancellationError() : error
  }

  private func refuse(_ violations: ForeignKeyViolationCursor) throws {
    if let error = try ForeignKeyViolationError(violations, db: self) { throw error }
  }
}

/// Violations of foreign keys, for use within the access that asked for them.
public final class ForeignKeyViolationCursor: Cursor {
  private let nextViolation: () throws(DatabaseError) -> ForeignKeyViolation?
  private let db: Database

  init(_ nextViolation: @escaping () throws(DatabaseError) -> ForeignKeyViolation?, db: Database) {
    self.nextViolation = nextViolation
    self.db = db
  }

  /// The next violation, nil when there is no more.
  public func next() throws -> ForeignKeyViolation? {
    do {
      return try nextViolation()
    } catch {
      throw db.ended(by: error)
    }
  }
}

extension ForeignKeyDescription {
  /// Whether the engine deletes or changes the referring rows when the row that they refer to is deleted.
  var changesRowsUponDeletion: Bool { onDelete != .noAction && onDelete != .restrict }
}
