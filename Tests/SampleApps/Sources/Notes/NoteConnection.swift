// sample
import CSQLite3
import Migrator
import SQLiteBackend

/// The app's own connection to SQLite.
final class NoteDatabase {
  let connection: OpaquePointer

  init(path: String, migrator: DatabaseMigrator) throws {
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
      sqlite3_close(opened)
      throw CannotOpen(path: path)
    }
    connection = opened
    // SQLite enforces foreign keys, and migrations check them, only after this.
    sqlite3_exec(connection, "PRAGMA foreign_keys = ON", nil, nil, nil)
    try migrator.migrate(SQLite.borrowing(connection))
  }

  deinit { sqlite3_close(connection) }

  struct CannotOpen: Error {
    let path: String
  }
}
// end of sample
