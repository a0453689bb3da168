import Migrator
import SQLSyntax
import TestEngines
import Testing

/// Names in which Swift's characters differ from the engine's: a quote and the mark that combines with it form one
/// `Character`, but must still be quoted as two.
@Suite("Awkward names")
struct AwkwardNamesTests {
  private static let names = [
    "x\"\u{301}; DROP TABLE victim; --", "x'\u{301}; DROP TABLE victim; --", "`\u{308}]\u{301}[", "a\"\"b\"", "\"",
    "\u{1}\u{7F}\u{1B}[31m", "line\r\nend\u{301}\ttab", "%0A\u{301}%25", "🙂\u{200D}\"\u{FE0F}", "\u{301}", "naïve – 表",
  ]

  @Test(
    "tables, columns, indexes, views and triggers of any name are created, changed, rebuilt, renamed and erased",
    arguments: TestEngine.allCases, names)
  func everyChange(engine: TestEngine, name: String) throws {
    let queue = try engine.inMemoryQueue()
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE victim(a)")
      try db.create(table: name) { t in
        t.primaryKey(name + "id", .integer)
        t.column(name, .text).defaults(to: name)
        t.column("other", .integer).references(name)
      }
      try db.create(index: name + "i", on: name, columns: [name])
      try db.create(view: name + "v", as: "SELECT \(name.quotedIdentifier) AS value FROM \(name.quotedIdentifier)")
      try db.create(
        trigger: name + "t", .after, .insert, on: name,
        statements: "UPDATE \(name.quotedIdentifier) SET \"other\" = NULL WHERE \(name.quotedIdentifier) = 'none';")
      try db.execute(sql: "INSERT INTO \(name.quotedIdentifier) DEFAULT VALUES")
    }
    try queue.write { db in
      try db.alter(table: name) { t in
        t.add(column: name + "added", .text).defaults(to: name)
        t.rename(column: name, to: name + "renamed")
      }
      try db.drop(view: name + "v")
      try db.drop(trigger: name + "t")
    }
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.inTransaction(.immediate) {
        try db.alter(table: name) { t in t.change(column: name + "added") { $0.notNull() } }
        try db.rename(table: name, to: name + "new")
        try db.alter(table: name + "new") { t in t.drop(column: "other") }
        return .commit
      }
    }
    let text = try queue.read { db in
      #expect(
        try db.columns(in: name + "new").map(\.name) == [name + "id", name + "renamed", name + "added"])
      let sql = "SELECT \((name + "renamed").quotedIdentifier) FROM \((name + "new").quotedIdentifier)"
      #expect(try String.fetchAll(db, sql: sql) == [name])
      #expect(try db.tableExists("victim"))
      return try db.schema().sql()
    }
    let copy = try engine.inMemoryQueue()
    try copy.write { db in
      try db.execute(sql: text)
      #expect(try db.schema().sql() == text)
    }
    try queue.erase()
    #expect(try queue.read { try $0.schema().objects.isEmpty })
  }
}
