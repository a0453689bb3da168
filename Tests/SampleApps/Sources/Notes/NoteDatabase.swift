import CSQLite3
// sample
import Migrator
import SQLMigrations
import SQLiteBackend

/// The migrations in the folder `Migrations` of this target, which are inside the program.
let migrator = {
  var migrator = DatabaseMigrator()
  migrator.registerMigrations(Migrations.all)
  return migrator
}()
// end of sample

extension NoteDatabase {
  /// Adds a note.
  func add(_ text: String) throws {
    _ = try rows("INSERT INTO note (text) VALUES (?)", text)
  }

  /// Returns all notes, each with its number of words.
  func notes() throws -> [(text: String, wordCount: Int)] {
    try rows("SELECT text, word_count FROM note ORDER BY id")
  }

  private func rows(_ sql: String, _ argument: String? = nil) throws -> [(text: String, wordCount: Int)] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &prepared, nil) == SQLITE_OK else { throw failure }
    defer { sqlite3_finalize(prepared) }
    let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    if let argument { sqlite3_bind_text(prepared, 1, argument, -1, copying) }
    var rows: [(text: String, wordCount: Int)] = []
    var code = sqlite3_step(prepared)
    while code == SQLITE_ROW {
      rows.append((String(cString: sqlite3_column_text(prepared, 0)), Int(sqlite3_column_int64(prepared, 1))))
      code = sqlite3_step(prepared)
    }
    guard code == SQLITE_DONE else { throw failure }
    return rows
  }

  private var failure: Failure { .statement(String(cString: sqlite3_errmsg(connection))) }

  private enum Failure: Error {
    case statement(String)
  }
}
