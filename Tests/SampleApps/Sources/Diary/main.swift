import Foundation
import Migrator
import SQLCipherBackend

// Diary PATH [TEXT ...]: adds entries to an encrypted database, and prints all of them.
//
// The passphrase comes from the variable DIARY_KEY here; in an app, from the keychain or from the user.
let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, let passphrase = ProcessInfo.processInfo.environment["DIARY_KEY"] else {
  print("usage: DIARY_KEY=PASSPHRASE Diary PATH [TEXT ...]")
  exit(2)
}

var migrator = DatabaseMigrator()
migrator.registerMigration("Create entries") { db in
  try db.create(table: "entry") { t in
    t.autoIncrementedPrimaryKey("id")
    t.column("text", .text).notNull()
  }
}
migrator.registerMigration("Refuse empty entries") { db in
  try db.alter(table: "entry") { t in t.change(column: "text") { c in c.check(sql: "text <> ''") } }
}
let dbQueue = try DatabaseQueue(path: path, key: .passphrase(passphrase))
try migrator.migrate(dbQueue)
try dbQueue.write { db in
  for text in arguments.dropFirst() { try db.execute(sql: "INSERT INTO entry (text) VALUES (?)", arguments: [text]) }
}
for text in try dbQueue.read({ db in try String.fetchAll(db, sql: "SELECT text FROM entry ORDER BY id") }) {
  print(text)
}
