import AppSQLCipher
import Foundation
import Migrator
import SQLCipherBackend
import SQLiteBackend

// Linked FOLDER: SQLCipher is linked statically into this program, and SQLite is loaded.
guard let folder = CommandLine.arguments.dropFirst().first else {
  print("usage: Linked FOLDER")
  exit(2)
}

var migrator = DatabaseMigrator()
migrator.registerMigration("Create authors") { db in
  try db.create(table: "author") { t in
    t.autoIncrementedPrimaryKey("id")
    t.column("name", .text).notNull()
  }
  try db.execute(sql: "INSERT INTO author (name) VALUES ('Ursula')")
}
migrator.registerMigration("Refuse empty names") { db in
  try db.alter(table: "author") { t in t.change(column: "name") { c in c.check(sql: "name <> ''") } }
}

func names(in reader: some DatabaseReader) throws -> String {
  try reader.read { db in try String.fetchAll(db, sql: "SELECT name FROM author").joined(separator: " ") }
}

/// The version of SQLite that runs a database.
func version(of reader: some DatabaseReader) throws -> String {
  try reader.read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "" }
}

// sample
let sqlCipher = EngineSource.linked(app_sqlcipher())
let key = EncryptionKey.passphrase("sesame")
let pool = try DatabasePool(path: "\(folder)/diary.db", key: key, engine: sqlCipher)
try migrator.migrate(pool)
// end of sample
print("pool: \(try names(in: pool)), SQLite \(try version(of: pool))")

// The app's own connection to the same file, through the same SQLCipher; both may be open.
var connection: OpaquePointer?
guard sqlite3_open("\(folder)/diary.db", &connection) == SQLITE_OK, let connection,
  sqlite3_exec(connection, "PRAGMA key = 'sesame'", nil, nil, nil) == SQLITE_OK
else { fatalError("The app's connection does not open.") }
migrator.registerMigration("Add years") { db in try db.alter(table: "author") { t in t.add(column: "born", .integer) } }
// sample
try migrator.migrate(SQLCipher.borrowing(connection, engine: sqlCipher))
// end of sample
print("borrowed: \(try pool.read { db in try migrator.hasCompletedMigrations(db) })")
sqlite3_close(connection)
try pool.close()

// A plain database that the loaded SQLite creates is encrypted by the linked SQLCipher, and gets another key.
let plain = "\(folder)/library.db"
let dbQueue = try DatabaseQueue(path: plain)
try migrator.migrate(dbQueue)
print("plain: \(try names(in: dbQueue)), SQLite \(try version(of: dbQueue))")
try dbQueue.close()
// sample
let options = ConversionOptions(engine: sqlCipher)
try SQLCipher.encrypt(plain, key: key, options: options)
// end of sample
let newKey = EncryptionKey.passphrase("open sesame")
try SQLCipher.rekey(plain, from: key, to: newKey, options: options)
let encrypted = try DatabaseQueue(path: plain, key: newKey, engine: sqlCipher)
print("encrypted: \(try names(in: encrypted)), SQLite \(try version(of: encrypted))")
try encrypted.close()
do {
  _ = try DatabaseQueue(path: plain)
} catch let error as DatabaseError {
  print("plain again: \(error.condition)")
}
