extension Database {
  /// The violations of foreign keys in the whole database, read one at a time.
  ///
  /// - Throws: ``DatabaseError``, also when a key refers to columns that are not unique in their table.
  public func foreignKeyViolations() throws -> ForeignKeyViolationCursor {
    ForeignKeyViolationCursor(try connection.foreignKeyViolations(in: nil))
  }

  /// The violations of foreign keys that one table declares, read one at a time.
  ///
  /// - Throws: ``DatabaseError``, as notFound when there is no such table.
  public func foreignKeyViolations(in table: String) throws -> ForeignKeyViolationCursor {
    // An engine finds no violation in a table that does not exist, and a misspelt name would look like a clean table.
    _ = try columns(in: table)
    return ForeignKeyViolationCursor(try connection.foreignKeyViolations(in: table))
  }

  /// Checks all foreign keys of the database, in all tables and rows.
  ///
  /// - Throws: ``ForeignKeyViolationError`` with all violations.
  public func checkForeignKeys() throws { try require(foreignKeyViolations().all()) }

  /// Checks the foreign keys that one table declares, in all its rows.
  ///
  /// - Throws: ``ForeignKeyViolationError`` with all violations.
  public func checkForeignKeys(in table: String) throws { try require(foreignKeyViolations(in: table).all()) }

  private func require(_ violations: [ForeignKeyViolation]) throws {
    guard !violations.isEmpty else { return }
    throw try ForeignKeyViolationError(violations, db: self)
  }
}

/// Violations of foreign keys, for use within the access that asked for them.
public final class ForeignKeyViolationCursor: Cursor {
  private let nextViolation: () throws(DatabaseError) -> ForeignKeyViolation?

  init(_ nextViolation: @escaping () throws(DatabaseError) -> ForeignKeyViolation?) {
    self.nextViolation = nextViolation
  }

  /// The next violation, nil when there is no more.
  public func next() throws -> ForeignKeyViolation? { try nextViolation() }
}
