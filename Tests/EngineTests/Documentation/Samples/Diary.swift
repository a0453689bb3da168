import Migrator
import SQLCipherBackend

/// The database of an app whose file nobody can read without the passphrase.
enum Diary {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create entries") { db in
      try db.execute(
        sql: """
          CREATE TABLE entry (id INTEGER PRIMARY KEY, day TEXT NOT NULL, words TEXT NOT NULL);
          CREATE INDEX entry_on_day ON entry(day);
          """)
    }
    return migrator
  }

  /// Opens the diary with every migration applied; nil when the passphrase is not the right one.
  static func open(path: String, passphrase: String) throws -> DatabaseQueue? {
    do {
      let dbQueue = try DatabaseQueue(path: path, key: .passphrase(passphrase))
      try migrator.migrate(dbQueue)
      return dbQueue
    } catch let error as DatabaseError where error.condition == .wrongKey {
      return nil
    }
  }
}
