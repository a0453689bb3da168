internal import SQLSyntax

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error that contains foreign key violations: all of them, up to 100,000.
public struct ForeignKeyViolationError: Error, Sendable, CustomStringConvertible {
  /// The maximum number of violations in an error, which limits the memory that a failure uses.
  package static let capacity = 100_000
  /// The violations, in the order in which the engine found them: at least one, and at most 100,000.
  public let violations: [ForeignKeyViolation]
  /// The number of violations found, including those that the error does not contain.
  public let violationCount: Int
  /// The tables, columns and rowids of the first ten violations; no other data from the rows.
  package let places: [String]
  /// The referenced tables that do not exist, in order; violations of foreign keys to these tables cannot be fixed by
  /// adding rows.
  package let missingTables: [String]
  /// The tables, in order, with a violated foreign key whose ON DELETE action would have deleted or changed the
  /// referring rows if the key had been enforced.
  package let tablesWithActions: [String]
  /// The first violation as a database error.
  public let databaseError: DatabaseError

  /// Creates an error from at least one violation.
  ///
  /// The database must still be in the state in which the violations were found.
  init(_ violations: [ForeignKeyViolation], count: Int? = nil, db: Database) throws {
    guard let first = violations.first else { preconditionFailure("An error needs a violation.") }
    self.violations = Array(violations.prefix(Self.capacity))
    violationCount = count ?? violations.count
    // The error is needed even if the schema can no longer be read.
    places = violations.prefix(10).map { violation in (try? violation.placeDescription(db)) ?? violation.description }
    databaseError = first.databaseError(db)
    // As for the places: tables that cannot be read are left out.
    missingTables = Set(violations.map(\.destinationTable)).sorted().filter { (try? $0.isMissing(db)) ?? false }
    tablesWithActions = Set(violations.map(\.originTable)).sorted().filter { table in
      let violated = Set(violations.lazy.filter { $0.originTable == table }.map(\.foreignKeyId))
      let keys = (try? db.connection.foreignKeys(on: table)) ?? []
      return keys.contains { violated.contains($0.id) && $0.changesRowsUponDeletion }
    }
  }

  /// Creates an error from the violations of a cursor; nil if there are none.
  init?(_ violations: ForeignKeyViolationCursor, db: Database) throws {
    var found: [ForeignKeyViolation] = []
    var count = 0
    while let violation = try violations.next() {
      count += 1
      if found.count < Self.capacity { found.append(violation) }
    }
    guard count > 0 else { return nil }
    try self.init(found, count: count, db: db)
  }

  /// The first violation in full, and the locations of up to nine more.
  public var description: String {
    guard violationCount > 1 else { return databaseError.description }
    let listed = places.dropFirst().map { "\n  \($0)" }.joined()
    let rest = violationCount > places.count ? "\n  and \(violationCount - places.count) more" : ""
    return "\(databaseError)\n\(violationCount - 1) more:\(listed)\(rest)"
  }
}

/// The text that alerts and logs show with `localizedDescription`: rows by their rowids, without their values.
extension ForeignKeyViolationError: LocalizedError {
  /// The location of the first violation, and the number of other violations.
  public var errorDescription: String? {
    let more = violationCount > 1 ? " \(violationCount - 1) more." : ""
    return "\(databaseError.engine): \(places.first ?? "a foreign key is violated").\(more)"
  }

  /// A sentence that says how to fix the violation.
  public var recoverySuggestion: String? { databaseError.remedy }
}

extension ForeignKeyViolation {
  /// Returns a text with the tables, the columns and the referring row: "FOREIGN KEY constraint violation - from
  /// player(teamId) to team(id), in [id:1 teamId:2 name:"O'Brien" score:1000]".
  ///
  /// The text contains the row's values; do not write it to shared logs.
  public func failureDescription(_ db: Database) throws -> String {
    let row = try originRow(db).map { ", in \($0)" } ?? ""
    return try keyDescription(db) + row
  }

  /// Returns the violation as a database error.
  ///
  /// The error contains the row's values only if ``Configuration/publicStatementArguments`` is set; otherwise, it
  /// contains the rowid.
  public func databaseError(_ db: Database) -> DatabaseError {
    // The error is needed even if the schema can no longer be read.
    let message =
      db.configuration.publicStatementArguments ? try? failureDescription(db) : try? placeDescription(db)
    return DatabaseError(
      .constraint(.foreignKey), engine: db.engine.name, resultCode: Self.resultCode, message: message ?? description,
      remedy: (try? destinationTable.isMissing(db)) ?? false
        ? "Table \"\(destinationTable)\" does not exist. \(Self.orderOfRecreation)"
        : "Insert the missing row, or correct or delete the referring row.")
  }

  // https://www.sqlite.org/lang_altertable.html#otheralter
  private static let orderOfRecreation =
    "To recreate a table, create the new one under another name, copy the rows, drop the old table and rename the new one, in "
    + "this order: renaming the old one would make the foreign keys of other tables refer to its new name."

  /// `SQLITE_CONSTRAINT_FOREIGNKEY` (https://www.sqlite.org/rescode.html#constraint_foreignkey).
  private static let resultCode: Int32 = 787

  func placeDescription(_ db: Database) throws -> String {
    try keyDescription(db) + (originRowID.map { ", in rowid \($0)" } ?? "")
  }

  private func keyDescription(_ db: Database) throws -> String {
    guard let key = try db.connection.foreignKeys(on: originTable).first(where: { $0.id == foreignKeyId }) else {
      return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)"
    }
    var destination = key.destinationColumns
    if destination.isEmpty, try db.tableExists(destinationTable, in: "main") {
      destination = try db.keyColumns(of: destinationTable)
    }
    let columns = destination.isEmpty ? "" : "(\(destination.joined(separator: ", ")))"
    return "FOREIGN KEY constraint violation - from \(originTable)(\(key.originColumns.joined(separator: ", "))) "
      + "to \(destinationTable)\(columns)"
  }

  private func originRow(_ db: Database) throws -> Row? {
    guard let originRowID, let rowID = try db.rowIDName(of: originTable) else { return nil }
    return try Row.fetchOne(
      db, sql: "SELECT * FROM main.\(originTable.quotedIdentifier) WHERE \(rowID) = ?", arguments: [originRowID])
  }
}

extension String {
  fileprivate func isMissing(_ db: Database) throws -> Bool { try !db.tableExists(self, in: "main") }
}

extension Database {
  /// Returns a name for the rowid that no column of the table hides
  /// (https://www.sqlite.org/lang_createtable.html#rowid); nil if there is none.
  func rowIDName(of table: String) throws -> String? {
    SQLIdentifier.rowIDName(besides: try (connection.columns(in: table) ?? []).map(\.name))
  }

  /// Returns the columns of a table's primary key in key order, as the engine reports them; empty if there is no key.
  package func keyColumns(of table: String) throws -> [String] {
    (try connection.columns(in: table) ?? []).filter { $0.primaryKeyIndex > 0 }
      .sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }.map(\.name)
  }
}
