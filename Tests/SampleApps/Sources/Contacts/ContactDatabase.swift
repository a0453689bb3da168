// sample
import Migrator
import SQLite
import SQLiteBackend

func openContacts(path: String) throws -> Connection {
  var migrator = DatabaseMigrator()
  migrator.registerMigration("Create users") { db in
    try db.execute(sql: "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)")
  }
  migrator.registerMigration("Add users.name") { db in
    try db.alter(table: "users") { t in t.add(column: "name", .text) }
  }
  // At user_version 1 the first is applied, at 2 both.
  migrator.adopt(.userVersion(ladder: ["Create users", "Add users.name"]))

  let db = try Connection(path)
  // SQLite enforces foreign keys, and migrations check them, only after this.
  try db.execute("PRAGMA foreign_keys = ON")
  try migrator.migrate(SQLite.borrowing(db.handle))
  return db
}
// end of sample
