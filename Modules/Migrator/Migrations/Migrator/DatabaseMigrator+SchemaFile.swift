extension DatabaseMigrator {
  /// The schema as a script that creates it in an empty database, with the history of this migrator if wanted.
  ///
  /// With the history, a database that is made from the script takes the same migrations for applied. The moments and
  /// durations are left out, so that the same migrations give the same script wherever they ran.
  ///
  /// - Parameter includesHistory: Whether the script creates and fills the ledger.
  public func schemaDump(_ db: Database, includesHistory: Bool = true) throws -> String {
    let schema = try db.connection.schema()
    let entries = try ledger.entries(db)
    guard includesHistory, !entries.isEmpty else { return schema.sql(leavingOut: [ledgerTable]) }
    let rows = entries.map { entry in
      let text = { (text: String?) in text.map { DatabaseValue.text($0) } ?? .null }
      let values: [DatabaseValue] = [
        text(entry.identifier), .integer(Int64(entry.position)), text("1970-01-01T00:00:00.000Z"), .real(0),
        text(entry.fingerprint), text(entry.checksum), text(entry.objects.text),
      ]
      return """
        INSERT INTO \(ledgerTable.quotedIdentifier) \
        (identifier, position, applied_at, duration, fingerprint, checksum, objects) \
        VALUES (\(values.map(\.sqlLiteral).joined(separator: ", ")));

        """
    }
    return schema.sql() + "\n" + rows.joined()
  }
}
