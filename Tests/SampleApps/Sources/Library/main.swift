import AppDatabase
import Migrator
import SQLiteBackend

// Library PATH: prints the authors, after the migrations that the tool app-database has not applied yet.
precondition(CommandLine.arguments.count == 2, "usage: Library PATH")
let dbQueue = try DatabaseQueue(path: CommandLine.arguments[1])
try AppDatabase.migrator.migrate(dbQueue)
for name in try dbQueue.read({ db in try String.fetchAll(db, sql: "SELECT name FROM author ORDER BY id") }) {
  print(name)
}
