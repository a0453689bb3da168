// sample
import GRDB
import SQLiteBackend
import struct Migrator.DatabaseMigrator

let migrator = {
  var migrator = DatabaseMigrator()
  migrator.registerMigration("Create players") { db in
    try db.create(table: "player") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
    }
  }
  migrator.registerMigration("Add scores") { db in
    try db.alter(table: "player") { t in t.add(column: "score", .integer).notNull().defaults(to: 0) }
  }
  migrator.adopt(.grdb)
  return migrator
}()
// end of sample

// swift-format-ignore: NeverForceUnwrap
func migrate(_ dbPool: DatabasePool) throws {
  // sample
  try dbPool.barrierWriteWithoutTransaction { db in
    try migrator.migrate(SQLite.borrowing(db.sqliteConnection!))
    db.clearSchemaCache()
    try db.notifyChanges(in: .fullDatabase)
  }
  // end of sample
}
