internal import SQLSyntax

extension Database {
  /// Returns a cursor over the foreign key violations in the whole database.
  ///
  /// - Throws: ``DatabaseError``, for example if a foreign key refers to columns that are not unique in their table.
  public func foreignKeyViolations() throws -> ForeignKeyViolationCursor {
    ForeignKeyViolationCursor(try violations(in: nil), db: self)
  }

  /// Returns a cursor over the violations of the foreign keys that one table declares.
  ///
  /// - Throws: ``DatabaseError`` with the condition `.notFound` if there is no such table.
  public func foreignKeyViolations(in table: String) throws -> ForeignKeyViolationCursor {
    // The engine finds no violation in a table that does not exist, so a misspelled name would look like a clean table.
    _ = try columns(in: table)
    return ForeignKeyViolationCursor(try violations(in: table), db: self)
  }

  /// Checks all foreign keys of the database, in all tables and rows.
  ///
  /// - Throws: ``ForeignKeyViolationError`` if there are violations.
  public func checkForeignKeys() throws { try refuse(foreignKeyViolations()) }

  /// Checks the foreign keys that one table declares, in all its rows, as ``checkForeignKeys()`` does.
  public func checkForeignKeys(in table: String) throws { try refuse(foreignKeyViolations(in: table)) }

  /// Checks all foreign keys, as ``checkForeignKeys()`` does, but accepts any foreign key of a table without rows.
  ///
  /// Such a foreign key may refer to columns that are not unique in their table.
  package func checkForeignKeysOfRows() throws {
    do {
      try checkForeignKeys()
    } catch let error as DatabaseError where error.condition == .statement {
      for table in try connection.schema().objects where table.kind == .table && !table.isVirtual {
        if try hasRows(in: table.name) { try checkForeignKeys(in: table.name) }
      }
    }
  }

  /// Returns whether a table of the main schema has rows.
  package func hasRows(in table: String) throws -> Bool {
    try Bool.fetchOne(self, sql: "SELECT EXISTS (SELECT * FROM main.\(table.quotedIdentifier))") ?? false
  }

  /// Returns the tables, in creation order, whose rows the engine deletes or changes when it drops a table while
  /// foreign keys are enforced (https://www.sqlite.org/foreignkeys.html#fk_schemacommands).
  func tablesChangedByDropping(_ table: String) throws -> [String] {
    try connection.schema().objects.filter { object in
      guard object.kind == .table, !object.isVirtual, !object.name.isSameName(as: table) else { return false }
      let isChanged = try connection.foreignKeys(on: object.name).contains {
        $0.destinationTable.isSameName(as: table) && $0.changesRowsUponDeletion
      }
      guard isChanged else { return false }
      return try hasRows(in: object.name)
    }.map(\.name)
  }

  /// Returns the foreign keys of tables that refer to a table or a column that does not exist, in order.
  package func keysWithoutParent(of tables: some Sequence<String>) throws -> [KeyWithoutParent] {
    try tables.flatMap { table in
      try connection.foreignKeys(on: table).compactMap { key in
        guard let columns = try connection.columns(in: key.destinationTable) else {
          return KeyWithoutParent(table: table, key: key)
        }
        let known = Set(columns.map(\.name.asciiLowercased)).union(SQLIdentifier.rowIDNames)
        return key.destinationColumns.first { !known.contains($0.asciiLowercased) }
          .map { KeyWithoutParent(table: table, key: key, missingColumn: $0) }
      }
    }
  }

  /// Throws "foreign key mismatch" if a key of a table without rows refers to columns that are not unique; the rows of other
  /// tables were checked when they were written.
  func requireUniqueParents(of tables: [String]) throws {
    for table in tables where try !connection.foreignKeys(on: table).isEmpty && !hasRows(in: table) {
      _ = try violations(in: table)
    }
  }

  private func violations(in table: String?) throws -> () throws(DatabaseError) -> ForeignKeyViolation? {
    do {
      return try connection.foreignKeyViolations(in: table)
    } catch {
      throw ended(by: error)
    }
  }

  /// Returns the error to throw when `error` ended a check: `CancellationError` if the task was canceled, or `error`.
  func ended(by error: DatabaseError) -> any Error {
    error.condition == .interrupted && context.cancellation.isRequested ? CancellationError() : error
  }

  private func refuse(_ violations: ForeignKeyViolationCursor) throws {
    if let error = try ForeignKeyViolationError(violations, db: self) { throw error }
  }
}

/// A foreign key that refers to a table or a column that does not exist.
package struct KeyWithoutParent: Sendable, Equatable, CustomStringConvertible {
  /// The table that declares the key.
  package let table: String
  /// The key.
  package let key: ForeignKeyDescription
  /// The referenced column that does not exist; nil if the table does not exist.
  package var missingColumn: String?

  /// The fault, as a sentence without a period.
  package var description: String {
    let columns = key.originColumns.quotedList
    let missing =
      missingColumn.map { "column \"\($0)\" of table \"\(key.destinationTable)\"" }
      ?? "table \"\(key.destinationTable)\""
    return "the foreign key on \(columns) of table \"\(table)\" refers to \(missing), which does not exist"
  }
}

/// A cursor over foreign key violations, valid during the access that created it.
public final class ForeignKeyViolationCursor: Cursor {
  private let nextViolation: () throws(DatabaseError) -> ForeignKeyViolation?
  private let db: Database

  init(_ nextViolation: @escaping () throws(DatabaseError) -> ForeignKeyViolation?, db: Database) {
    self.nextViolation = nextViolation
    self.db = db
  }

  /// Returns the next violation; nil after the last.
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
