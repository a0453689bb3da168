import Migrator

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The samples of "Getting started".
enum GettingStarted {
  // sample
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create authors") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
    }
    migrator.registerMigration("Create books") { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
        t.column("title", .text).notNull()
      }
    }
    return migrator
  }
  // end of sample

  static func use(_ dbQueue: DatabaseQueue) throws -> [String] {
    // sample
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO author (name) VALUES (?)", arguments: ["Herman Melville"])
      let author = db.lastInsertedRowID
      try db.execute(literal: "INSERT INTO book (authorId, title) VALUES (\(author), \("Moby-Dick"))")
    }
    let titles = try dbQueue.read { db in
      try String.fetchAll(db, sql: "SELECT title FROM book ORDER BY title")
    }
    // end of sample
    return titles
  }

  static func later(_ migrator: inout DatabaseMigrator) {
    // sample
    migrator.registerMigration("Add book.year") { db in
      try db.alter(table: "book") { t in
        t.add(column: "year", .integer)
      }
    }
    // end of sample
  }

  static func look(_ dbQueue: DatabaseQueue) throws -> (isReady: Bool, isNewer: Bool) {
    // sample
    let (isReady, isNewer) = try dbQueue.read { db in
      (try migrator.hasCompletedMigrations(db), try migrator.hasBeenSuperseded(db))
    }
    // end of sample
    return (isReady, isNewer)
  }

  static func failing(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> String? {
    // sample
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.failed(let failure) {
      // "migration "Create books" (2 of 2 pending) failed: …", the statement, what was undone, and what to do.
      print(failure)
      return failure.identifier
    }
    // end of sample
    return nil
  }

  static func events(_ dbQueue: DatabaseQueue) async throws -> [String] {
    var committed: [String] = []
    // sample
    for try await event in migrator.migrationEvents(dbQueue) {
      switch event {
      case .started(let identifier, let index, let count): print("\(index) of \(count): \(identifier)")
      case .progress(_, let fraction?, _): print("\(Int(fraction * 100)) %")
      case .committed(let identifier, _, _, _): committed.append(identifier)
      default: break
      }
    }
    // end of sample
    return committed
  }

  static func development(_ original: DatabaseMigrator) -> DatabaseMigrator {
    var migrator = original
    // sample
    #if DEBUG
      migrator.eraseDatabaseOnSchemaChange = true
    #endif
    // end of sample
    return migrator
  }

  static func loop(_ original: DatabaseMigrator) -> DatabaseMigrator {
    var migrator = original
    // sample
    #if DEBUG
      migrator.eraseDatabaseOnSchemaChange = true
      migrator.erasure = .keepingRows()
    #endif
    // end of sample
    // sample
    migrator.erasure = .keepingRows(renames: ["team": "guild", "player.nick": "name"])
    // end of sample
    return migrator
  }

  static func changes(_ dbQueue: DatabaseQueue) throws -> [SchemaChangeReason] {
    // sample
    let reasons = try dbQueue.read { db in try migrator.schemaChanges(db) }
    for reason in reasons { print(reason) }
    // end of sample
    return reasons
  }
}
