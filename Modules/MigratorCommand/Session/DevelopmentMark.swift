internal import Migrator
internal import SQLSyntax

/// The mark in a database that the tool may erase it: the tool created it, or the user said so.
///
/// A table, since that survives copying, renaming and encrypting the file, and is visible to everyone. Its one row, if
/// it has any, records a rebuild that has not put back yet the rows that it was asked to keep: it is written when they
/// are erased and removed when they are back, in the same transactions, so that a killed process leaves it behind.
enum DevelopmentMark {
  static let tableName = DatabaseMigrator.developmentMark

  static func isPresent(in db: Database) throws -> Bool { try db.tableExists(tableName) }

  /// Adds the mark to a database that has none, perhaps with the name of the file whose rows are to be put back.
  static func add(to db: Database, unfinished: String? = nil) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(tableName) (
          note TEXT NOT NULL DEFAULT 'The migrator tool may erase and rebuild this database.', rowsToPutBack TEXT)
        """)
    guard let unfinished else { return }
    try db.execute(sql: "INSERT INTO \(tableName) (rowsToPutBack) VALUES (?)", arguments: [unfinished])
  }

  /// The name of the file whose rows a rebuild has not put back yet; nil when there is nothing to put back.
  static func unfinished(in db: Database) throws -> String? {
    // Marks of earlier versions have the first column only.
    guard try isPresent(in: db), try db.columns(in: tableName).contains(where: { $0.name == "rowsToPutBack" }) else {
      return nil
    }
    return try String.fetchOne(db, sql: "SELECT rowsToPutBack FROM \(tableName) WHERE rowsToPutBack IS NOT NULL")
  }

  /// Says that all rows are back, or that they are no longer wanted.
  static func forgetUnfinished(_ db: Database) throws {
    guard try unfinished(in: db) != nil else { return }
    try db.execute(sql: "DELETE FROM \(tableName)")
  }

  /// Adds the mark to a database that holds nothing at all, before migrations fill it.
  static func addIfBlank(_ writer: any DatabaseWriter) throws {
    guard try writer.read({ try $0.connection.schema().objects.isEmpty }) else { return }
    do {
      try writer.write { db in if try db.connection.schema().objects.isEmpty { try add(to: db) } }
    } catch let error as DatabaseError where error.condition == .busy {
      // Somebody else is filling the database, and has marked it if that is for them to do.
    }
  }
}

extension DatabaseMigrator {
  /// The tables that the migrator and the tool keep for themselves, in ASCII lower case.
  var ownTables: Set<String> { [ledgerTable.asciiLowercased, DevelopmentMark.tableName] }
}
