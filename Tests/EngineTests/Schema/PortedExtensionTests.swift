import Migrator
import TestEngines
import Testing

extension TableDefinition {
  fileprivate func timestamps() {
    column("createdAt", .datetime).notNull().defaults(sql: "CURRENT_TIMESTAMP")
    column("updatedAt", .datetime).stamp()
  }

  @discardableResult
  fileprivate func owned(
    by table: String, onDelete: Database.ForeignKeyAction? = .cascade
  ) -> ForeignKeyDefinition {
    belongsTo(table, onDelete: onDelete).notNull()
  }
}

extension ColumnDefinition {
  @discardableResult
  fileprivate func stamp(onConflict: Database.ConflictResolution? = nil, collation: Database.CollationName = .nocase)
    -> Self
  {
    notNull(onConflict: onConflict).defaults(to: "").collate(collation)
  }
}

extension TableAlteration {
  fileprivate func addTag(_ name: String, _ type: Database.ColumnType = .text) {
    add(column: name, type).notNull().defaults(to: "")
  }
}

extension FTS5TableDefinition {
  fileprivate func searchable() { column("title") }
}

@Suite("Extensions that an app wrote for GRDB")
struct PortedExtensionTests {
  @Test("extensions of the closure arguments compile and have their effect", arguments: TestEngine.allCases)
  func extensionsOfDefinitions(engine: TestEngine) throws {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      try db.create(table: "author") { t in t.autoIncrementedPrimaryKey("id") }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.owned(by: "author")
        t.timestamps()
      }
      try db.alter(table: "book") { t in t.addTag("tag") }
      #expect(try db.columns(in: "book").map(\.name) == ["id", "authorId", "createdAt", "updatedAt", "tag"])
      #expect(try db.foreignKeys(on: "book").map(\.onDelete) == [.cascade])
      guard db.engine.abilities.contains(.fts5) else { return }
      try db.create(virtualTable: "book_text", using: FTS5()) { t in t.searchable() }
      #expect(try db.tableExists("book_text"))
    }
  }
}
