import Migrator
internal import SQLSyntax

/// The samples of "Plans and policies".
enum PlansAndPolicies {
  static func plan(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> MigrationPlan {
    // sample
    let plan = try dbQueue.read { db in try migrator.plan(db) }
    print(plan)
    for refusal in plan.refusals { print("migrate would throw:", refusal) }
    // end of sample
    return plan
  }

  static func confirmed(
    _ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue, _ isAccepted: (MigrationPlan) -> Bool
  ) throws {
    // sample
    let plan = try dbQueue.read { db in try migrator.plan(db) }
    guard isAccepted(plan) else { return }
    try migrator.migrate(dbQueue, confirming: plan)
    // end of sample
  }

  static func rehearsal(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> MigrationRehearsal {
    // sample
    let rehearsal = try dbQueue.read { db in try migrator.rehearse(db, copying: .allRows) }
    if let failure = rehearsal.failure { print("would fail:", failure) }
    for statement in rehearsal.destructiveStatements { print("destroys something:", statement) }
    for table in rehearsal.rowCounts where table.before != table.after { print("rows of \(table.table) change") }
    // end of sample
    return rehearsal
  }

  static func policies() -> DatabaseMigrator {
    // sample
    var migrator = DatabaseMigrator()
    migrator.unknownMigrations = .refuse
    migrator.outOfOrder = .refuse
    migrator.commits = .grouped
    migrator.foreignKeyScope = .database
    migrator.lockTimeout = .seconds(10)
    // end of sample
    return migrator
  }

  static func refused(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> [String] {
    // sample
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.superseded(let unknown) {
      // An older app on a newer database. Nothing was done.
      return unknown
    }
    // end of sample
    return []
  }

  static func vacuum(_ migrator: inout DatabaseMigrator) {
    // sample
    migrator.registerUnwrappedMigration("Reclaim the space of deleted rows") { db in
      try db.execute(sql: "VACUUM")
    }
    // end of sample
  }

  static func batches(_ migrator: inout DatabaseMigrator) {
    // sample
    migrator.registerBatchedMigration("Fold names") { db, cursor in
      let start = Int64.fromDatabaseValue(cursor) ?? 0
      try db.execute(
        sql: "UPDATE player SET folded = lower(name) WHERE id > ? AND id <= ?", arguments: [start, start + 1000])
      let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM player") ?? 0
      return start + 1000 < last ? .next(from: start + 1000, fraction: Double(start) / Double(last)) : .done
    }
    // end of sample
  }

  static func merging(_ migrator: inout DatabaseMigrator) {
    // sample
    migrator.registerMigration("Create the library", merging: ["Create authors", "Create books"]) { db, applied in
      if !applied.contains("Create authors") {
        try db.execute(sql: "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
      }
      if !applied.contains("Create books") {
        try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
      }
    }
    // end of sample
  }

  static func library() -> DatabaseMigrator {
    // sample
    var library = DatabaseMigrator(ledgerTable: "library_history")
    library.registerMigration("Create the cache") { db in
      try db.execute(sql: "CREATE TABLE cache (url TEXT PRIMARY KEY, body BLOB)")
    }
    // end of sample
    return library
  }

  static func separateLibrary() -> DatabaseMigrator {
    // sample
    var library = DatabaseMigrator(ledgerTable: "library_history")
    library.adopt(.migrator)
    // end of sample
    return library
  }

  static func sharing(_ migrator: DatabaseMigrator, _ dbQueue: DatabaseQueue) throws -> Bool {
    // sample
    do {
      try migrator.migrate(dbQueue)
    } catch MigrationError.erasureRefused(let refusal) {
      // Which ledgers or tables there are, why the database would be erased, and what to do.
      print(refusal)
    }
    // end of sample
    return try dbQueue.read { db in try migrator.hasCompletedMigrations(db) }
  }

  static func backups(_ migrator: inout DatabaseMigrator) {
    // sample
    migrator.backup = .beforeMigrating(keep: 3)
    // end of sample
  }

  static func backup(_ dbQueue: DatabaseQueue, to path: String) throws {
    // sample
    try dbQueue.backup(to: path)
    // end of sample
  }
}
