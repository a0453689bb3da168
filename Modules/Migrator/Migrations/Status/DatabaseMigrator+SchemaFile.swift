internal import SQLSyntax

extension DatabaseMigrator {
  /// Returns the schema as a script that creates it in an empty database, optionally with the history of its
  /// migrations.
  ///
  /// With the history, the migrations that are applied in this database also count as applied in a database that the
  /// script creates, for this migrator and for other migrators with a ledger in this database. Dates and durations are
  /// left out, so that the same migrations produce the same script wherever they ran.
  ///
  /// - Parameter includesHistory: Whether the script creates and fills the ledgers.
  package func schemaDump(_ db: Database, includesHistory: Bool = true) throws -> String {
    let schema = try db.connection.schema()
    let tables = schema.ledgerTables.filter { $0.asciiLowercased != ledgerTable.asciiLowercased } + [ledgerTable]
    guard includesHistory else { return schema.sql(leavingOut: Set(tables)) }
    let histories = try tables.sorted().map { table in (table, try Ledger(table: table).entries(db)) }
    let rows = histories.flatMap { table, entries in Self.statements(inserting: entries, into: table) }
    let empty = Set(histories.filter { _, entries in entries.isEmpty }.map(\.0))
    return schema.sql(leavingOut: empty) + (rows.isEmpty ? "" : "\n") + rows.joined()
  }

  private static func statements(inserting entries: [LedgerEntry], into table: String) -> [String] {
    entries.map { entry in
      let text = { (text: String?) in text.map { DatabaseValue.text($0) } ?? .null }
      let values: [DatabaseValue] = [
        text(entry.identifier), .integer(Int64(entry.position)), text("1970-01-01T00:00:00.000Z"), .real(0),
        text(entry.fingerprint), text(entry.checksum), text(entry.objects.text),
      ]
      return """
        INSERT INTO \(table.quotedIdentifier) \
        (identifier, position, applied_at, duration, fingerprint, checksum, objects) \
        VALUES (\(values.map(\.sqlLiteral).joined(separator: ", ")));

        """
    }
  }
}
