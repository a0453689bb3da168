internal import Migrator

/// The sign inside a database that the tool may erase it: it was created by the tool, or somebody said so.
///
/// A table, since that survives copying, renaming and encrypting the file, and can be seen by whoever looks.
enum DevelopmentMark {
  /// The table's name.
  static let tableName = "migrator_development"

  /// Whether the database bears the mark.
  static func isPresent(in db: Database) throws -> Bool { try db.tableExists(tableName) }

  /// Adds the mark to a database that has none.
  static func add(to db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(tableName) (
          note TEXT NOT NULL DEFAULT 'The migrator tool may erase and rebuild this database.')
        """)
  }

  /// Adds the mark to a database that holds nothing at all, before migrations fill it.
  static func addIfBlank(_ writer: any DatabaseWriter) throws {
    guard try writer.read({ try $0.connection.schema().objects.isEmpty }) else { return }
    do {
      try writer.write { db in
        if try db.connection.schema().objects.isEmpty { try add(to: db) }
      }
    } catch let error as DatabaseError where error.condition == .busy {
      // Somebody else is filling the database, and has marked it if that is for them to do.
    }
  }
}
