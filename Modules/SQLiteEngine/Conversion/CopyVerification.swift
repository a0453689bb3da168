internal import CSQLiteLoader
internal import Migrator
internal import SQLiteDialect
internal import SQLSyntax

/// The verification of a copy: opens the copy with the new key and settings, compares it with the original, and sets
/// its journal mode.
struct CopyVerification {
  let original: EngineConnection
  let copy: ConversionCopy
  /// The form of the original, in which the copy must not open; nil when the copy may open in both forms.
  let source: (any FileForm)?
  let target: any FileForm
  let hasLog: Bool
  let monitor: ConversionMonitor

  /// Checks the copy; throws `.corrupt` when it differs from the original or is damaged.
  func run() throws {
    monitor.reach(.verifying, 0, of: 1)
    try copy.confirmPath()
    if try source?.opens(copy.path, .ofConversion()) ?? false {
      throw original.error(
        .corrupt, "the copy still opens with the old key and settings",
        remedy: "The original was not changed. Check that the new key or settings differ from the old ones.")
    }
    let connection = try target.open(copy.path, .ofConversion())
    do {
      try copy.confirmPath(openedBy: connection)
      monitor.watch(connection)
      try DatabaseComparison(original: original, copy: connection, monitor: monitor).run()
      if target.isEncrypted, target.authenticatesPages { try checkPages(of: connection) }
      monitor.unwatch(connection)
      if hasLog { try connection.setJournalMode(.wal, within: .zero) }
    } catch {
      // Report the first error; the caller removes the file.
      try? connection.close()
      throw error
    }
    try connection.close()
    if hasLog { try confirmLog() }
    // The engine removes these files when it closes the copy, but does not report if that fails.
    try copy.files.remove(copy.path + "-shm")
    for name in ["-wal", "-journal"] where copy.files.folder.status(of: copy.path + name) != nil {
      throw original.error(.inputOutput, "the engine did not remove \(copy.path + name)")
    }
  }

  /// Verifies the authentication code of each page of an encrypted file
  /// (https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check).
  private func checkPages(of connection: EngineConnection) throws(DatabaseError) {
    // SQLCipher before version 4 has no such check, but verifies each page that it reads.
    guard connection.library.cipherMajorVersion ?? 0 >= 4 else { return }
    guard let found = try connection.texts("PRAGMA main.cipher_integrity_check").first else { return }
    throw connection.error(
      .corrupt, "the encryption of the copy is damaged (\(found))", remedy: DatabaseComparison.remedy)
  }

  /// Verifies that the header of the copy contains the journal mode: the engine reports WAL mode even if it failed to
  /// write the header.
  private func confirmLog() throws(DatabaseError) {
    let connection = try target.open(copy.path, .ofConversion())
    let mode = try connection.journalMode()
    try connection.close()
    guard mode != JournalMode.wal.rawValue else { return }
    throw original.error(
      .inputOutput, "the copy could not be switched to WAL mode",
      remedy: "The original was not changed. Check the disk, and try again.")
  }
}

/// The comparison of a copy with the original database, through a separate connection to each.
private struct DatabaseComparison {
  let original: EngineConnection
  let copy: EngineConnection
  let monitor: ConversionMonitor

  static let remedy = "The original was not changed. Check it with `PRAGMA integrity_check`, and the disk."

  func run() throws {
    try compareSettings()
    let tables = try compareSchemas()
    var total: Int64 = 0
    for table in tables {
      total += try copy.integer("SELECT count(*) FROM main.\(table.quotedIdentifier)") ?? 0
    }
    var rows: Int64 = 0
    for table in tables { try compareRows(of: table, counting: &rows, of: total) }
    monitor.reach(.verifying, max(rows, 1), of: max(rows, 1))
    guard try violations(original) == violations(copy) else { throw difference("the set of foreign key violations") }
    try checkIntegrity()
  }

  private func compareSettings() throws(DatabaseError) {
    for setting in ["user_version", "application_id", "encoding", "auto_vacuum"] {
      let query = "PRAGMA main.\(setting)"
      guard try original.text(query) == copy.text(query) else { throw difference("the setting \(setting)") }
    }
  }

  /// Compares the stored definitions as text, and returns the names of the tables that store rows.
  private func compareSchemas() throws -> [String] {
    // The order is ignored: an edit of `sqlite_schema` can produce an order that no statements can.
    let query = """
      SELECT type, name, tbl_name, sql, CASE WHEN rootpage THEN 1 ELSE 0 END FROM main.sqlite_master
      ORDER BY type, name, tbl_name
      """
    var tables: [String] = []
    try compare(query, "definitions") { row in
      "the definition of \(row.text(at: 1))"
    } then: { row in
      if row.text(at: 0) == "table", row.integer(at: 4) == 1 { tables.append(row.text(at: 1)) }
    }
    return tables
  }

  private func compareRows(of table: String, counting rows: inout Int64, of total: Int64) throws {
    let columns = try original.columns(in: table) ?? []
    let rowID = try original.hasRowID(table) ? SQLIdentifier.rowIDName(besides: columns.map(\.name)) : nil
    let stored = columns.filter { !$0.isGenerated }.map { $0.name.quotedIdentifier }
    let list = ([rowID] + stored).compactMap(\.self)
    // NOT INDEXED makes the engine read the table itself: an index must not be the only source of the rows.
    let query = """
      SELECT \(list.joined(separator: ", ")) FROM main.\(table.quotedIdentifier) NOT INDEXED\
      \(rowID.map { " ORDER BY \($0)" } ?? "")
      """
    try compare(query, "rows of \(table)") { _ in
      "a row of \(table)"
    } then: { _ in
      rows += 1
      guard rows & 1023 == 0 else { return }
      try monitor.check()
      monitor.reach(.verifying, rows, of: max(total, rows + 1))
    }
  }

  /// Compares the rows of a query in both databases, by types and bytes, and passes those that are equal to `note`.
  private func compare(
    _ query: String, _ rows: String, name: (EngineStatement) -> String, then note: (EngineStatement) throws -> Void
  ) throws {
    let (one, other) = (try original.ownStatement(query), try copy.ownStatement(query))
    while try one.step() {
      guard try other.step(), areEqual(one, other) else { throw difference(name(one)) }
      try note(one)
    }
    guard try !other.step() else { throw difference("the number of \(rows)") }
  }

  private func areEqual(_ one: EngineStatement, _ other: EngineStatement) -> Bool {
    withUnsafePointer(to: one.functions) {
      csqlite_different_column($0, one.statement, other.statement, Int32(one.columnCount))
    } < 0
  }

  /// Counts the foreign key violations by table, referenced table and foreign key number; returns nil if the engine
  /// cannot check foreign keys, because a foreign key refers to a missing table or column.
  ///
  /// Ignores the rowids of the violating rows: the comparison of the rows includes all rowids, and old engines report
  /// them incorrectly here (https://www.sqlite.org/pragma.html#pragma_foreign_key_check).
  private func violations(_ connection: EngineConnection) throws(DatabaseError) -> [String: Int]? {
    var counts: [String: Int] = [:]
    do throws(DatabaseError) {
      try connection.forEachRow("PRAGMA main.foreign_key_check") { (row: any DatabaseStatement) throws(DatabaseError) in
        counts["\(row.integer(at: 3)) \(row.text(at: 0)) \(row.text(at: 2))", default: 0] += 1
      }
    } catch {
      guard error.condition == .statement else { throw error }
      return nil
    }
    return counts
  }

  /// Checks the integrity of the copy; problems of indexes or constraints are allowed if the original has them, too.
  private func checkIntegrity() throws(DatabaseError) {
    let query = "PRAGMA main.integrity_check"
    let found = try copy.texts(query)
    guard found != ["ok"] else { return }
    let known = Set(try original.texts(query))
    guard let new = found.first(where: { !known.contains($0) }) else { return }
    throw copy.error(.corrupt, "the copy is damaged (\(new))", remedy: Self.remedy)
  }

  private func difference(_ what: String) -> DatabaseError {
    copy.error(.corrupt, "the copy is not equal to the original: \(what) differs", remedy: Self.remedy)
  }
}
