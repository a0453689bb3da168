internal import Foundation
internal import Migrator
internal import MigratorCommand
internal import MigratorTestKit
internal import SQLCipherBackend
internal import SQLiteBackend

// Runs one walk through the code for Tools/checks/walks, which runs this program twice in a build that counts the calls
// of each function: once with only the preparation, once with the walk. Functions with a higher count the second time
// are on the walk.
//
// Arguments: the walk, an empty folder, SQLCipher's library, and `walk` unless only the preparation runs.

let arguments = CommandLine.arguments.dropFirst()
let (walk, folder, library) = (arguments[1], arguments[2], arguments[3])
let isWalked = arguments.last == "walk"
let database = "\(folder)/library.sqlite"

/// Returns two migrations with typical foreign keys and rows.
func migrator() -> DatabaseMigrator {
  var migrator = DatabaseMigrator()
  migrator.registerMigration("Create authors") { db in
    try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
  }
  migrator.registerMigration("Create books") { db in
    try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author, title TEXT)")
    try db.execute(sql: "CREATE INDEX book_by_author ON book (author)")
    try db.execute(sql: "INSERT INTO author VALUES (1, 'Ursula')")
  }
  return migrator
}

switch walk {
case "migrate":
  // The database is open; the walk is one call of `migrate` that applies two migrations.
  let queue = try DatabaseQueue(path: database)
  let migrator = migrator()
  if isWalked { try migrator.migrate(queue) }
case "alter":
  // The tables exist and the transaction is open; the walk is one change that SQLite supports and one that needs a
  // rebuild.
  var configuration = Configuration()
  configuration.foreignKeysEnabled = false
  let queue = try DatabaseQueue(path: database, configuration: configuration)
  try migrator().migrate(queue)
  try queue.write { db in
    try db.execute(sql: "INSERT INTO book VALUES (1, 1, 'Dispossessed')")
    guard isWalked else { return }
    try db.alter(table: "author") { t in t.add(column: "born", .integer) }
    try db.alter(table: "book") { t in t.change(column: "title") { t in t.notNull() } }
  }
case "tool":
  // The walk is `migrator migrate` on a folder of two files, until the core begins to write.
  guard isWalked else { break }
  let migrations = "\(folder)/migrations"
  try FileManager.default.createDirectory(atPath: migrations, withIntermediateDirectories: true)
  for (name, table) in [("1_authors", "author"), ("2_books", "book")] {
    try "CREATE TABLE \(table) (id INTEGER PRIMARY KEY);\n".write(
      toFile: "\(migrations)/\(name).sql", atomically: true, encoding: .utf8)
  }
  let backend = ToolBackend(name: "sqlite", title: "SQLite") { location in
    InterceptedBackend(SQLite(path: location.path), interceptor: LastCall())
  }
  exit(
    MigratorTool(backends: [backend]).run(arguments: ["migrate", "--database", database, "--migrations", migrations]))
case "encrypt":
  // The walk is the encryption of a file that no connection has open.
  try migrator().migrate(DatabaseQueue(path: database))
  if isWalked {
    try SQLCipher.encrypt(
      database, key: .passphrase("correct horse battery staple"), options: ConversionOptions(engine: .library(library)))
  }
default:
  print("There is no walk \(walk).")
  exit(2)
}

/// Ends the process when the core begins to write: the following calls belong to the core's walk.
final class LastCall: CallInterceptor {
  func note(_ call: BorderCall) {}

  func admit(_ call: BorderCall) throws(DatabaseError) {
    if case .begin(.immediate) = call { exit(0) }
  }
}
