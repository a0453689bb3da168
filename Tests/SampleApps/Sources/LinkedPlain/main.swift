import AppSQLite
import Foundation
import Migrator
import MigratorTestKit
import SQLiteBackend

// LinkedPlain FOLDER: SQLite is linked statically into this program, and nothing is loaded.
guard let folder = CommandLine.arguments.dropFirst().first else {
  print("usage: LinkedPlain FOLDER")
  exit(2)
}

var migrator = DatabaseMigrator()
migrator.registerMigration("Create authors") { db in
  try db.create(table: "author") { t in t.autoIncrementedPrimaryKey("id") }
}
let sqlite = EngineSource.linked(app_sqlite())
let dbQueue = try DatabaseQueue(path: "\(folder)/library.db", engine: sqlite)
try migrator.migrate(dbQueue)
print(try dbQueue.read { db in try migrator.appliedMigrations(db) })

// The contract of the backend, as an author of one would check it.
var backend = BackendUnderTest(name: "linked SQLite", folder: folder) { path in
  path.map { SQLite(path: $0, engine: sqlite) } ?? SQLite.inMemory(engine: sqlite)
}
backend.failureStep = 67
let results = BackendContract.run(on: backend)
for result in results where result.failure != nil { print(result) }
print("\(results.count { $0.failure == nil }) of \(results.count) rules")
