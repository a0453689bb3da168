internal import SQLSyntax

/// The mark of a database that the tool may erase: a development command created the database, or the user agreed.
///
/// The mark is a table, so it survives when the file is copied, renamed or encrypted, and everyone can see it. A row in
/// the table means that a rebuild has erased rows and has not restored them yet. The transaction that erases the rows
/// inserts this row, and the transaction that restores them deletes this row, so that it remains after a crash.
package enum DevelopmentMark {
  /// The table's name.
  package static let tableName = "migrator_development"

  /// Returns whether the database has the mark.
  package static func isPresent(in db: Database) throws -> Bool {
    try db.connection.schema().object(.table, named: tableName).map { !$0.isVirtual } ?? false
  }

  /// Marks a database, unless it is already marked.
  ///
  /// - Parameter unfinished: The name of the backup whose rows are to be restored; nil if there is none.
  package static func add(to db: Database, unfinished: String? = nil) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(tableName) (
          note TEXT NOT NULL DEFAULT 'The migrator tool may erase and rebuild this database.', rowsToPutBack TEXT)
        """)
    guard let unfinished else { return }
    try db.execute(sql: "INSERT INTO \(tableName) (rowsToPutBack) VALUES (?)", arguments: [unfinished])
  }

  /// Returns the name of the backup whose rows are still to be restored; nil if there is none.
  ///
  /// Also nil if the table has other columns, or the name is not that of a backup: the database may come from
  /// elsewhere, and must not make the tool open other files.
  package static func unfinished(in db: Database) throws -> String? {
    guard try isPresent(in: db), try db.columns(in: tableName).contains(where: { $0.name == "rowsToPutBack" }) else {
      return nil
    }
    let name = try String.fetchOne(db, sql: "SELECT rowsToPutBack FROM \(tableName) WHERE rowsToPutBack IS NOT NULL")
    return name.flatMap { BackupFolder.isBackup($0) ? $0 : nil }
  }

  /// Records that all rows have been restored, or are no longer wanted.
  package static func forgetUnfinished(_ db: Database) throws {
    guard try isPresent(in: db) else { return }
    try db.execute(sql: "DELETE FROM \(tableName)")
  }

  /// Marks a database if it is empty, before migrations fill it.
  package static func addIfBlank(_ writer: any DatabaseWriter) throws {
    guard try writer.read({ try $0.connection.schema().objects.isEmpty }) else { return }
    do {
      try writer.write { db in if try db.connection.schema().objects.isEmpty { try add(to: db) } }
    } catch let error as DatabaseError where error.condition == .busy {
      // Another process is filling the database; it marked the database first, if necessary.
    }
  }
}

extension DatabaseMigrator {
  /// The migrator's and the tool's own tables, in ASCII lower case.
  package var ownTables: Set<String> { [ledgerTable.asciiLowercased, DevelopmentMark.tableName] }
}
