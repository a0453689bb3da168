internal import SQLSyntax

extension ForeignKeyViolation {
  /// The tables, columns and the referring row with its values: "FOREIGN KEY constraint violation - from
  /// player(teamId) to team(id), in [id:1 teamId:2 name:"O'Brien" score:1000]".
  ///
  /// Shows the row's values; do not write it to logs that others read.
  public func failureDescription(_ db: Database) throws -> String {
    let row = try originRow(db).map { ", in \($0)" } ?? ""
    return try keyDescription(db) + row
  }

  /// The violation as an error of the engine.
  ///
  /// The row's values are in it only where ``Configuration/publicStatementArguments`` is set; the rowid is otherwise.
  public func databaseError(_ db: Database) -> DatabaseError {
    // An error must come of this, even where the schema cannot be read any more.
    let message =
      db.configuration.publicStatementArguments ? try? failureDescription(db) : try? placeDescription(db)
    return DatabaseError(
      .constraint(.foreignKey), engine: db.engine.name, resultCode: 19, message: message ?? description,
      remedy: "Insert the row referred to, or correct or delete the referring row.")
  }

  /// The tables, columns and rowid, without values.
  func placeDescription(_ db: Database) throws -> String {
    try keyDescription(db) + (originRowID.map { ", in rowid \($0)" } ?? "")
  }

  private func keyDescription(_ db: Database) throws -> String {
    guard let key = try db.connection.foreignKeys(on: originTable).first(where: { $0.id == foreignKeyId }) else {
      return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)"
    }
    var destination = key.destinationColumns
    if destination.isEmpty, try db.tableExists(destinationTable) {
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

extension Database {
  /// A name of the rowid that no column of the table hides (https://www.sqlite.org/lang_createtable.html#rowid).
  func rowIDName(of table: String) throws -> String? {
    let names = Set(try columns(in: table).map(\.name.asciiLowercased))
    return ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
  }
}

extension Database {
  /// The columns of a table's primary key in the key's order, asked of the engine alone; empty when there is none.
  func keyColumns(of table: String) throws -> [String] {
    (try connection.columns(in: table) ?? []).filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
  }
}
