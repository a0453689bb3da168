internal import Migrator

extension BackendContract {
  static let migrationChecks: [BackendCheck] = [
    .onDatabase(230, "Migrations run in order, once, and are recorded when the database is reopened.") {
      database in
      for _ in 1...2 {
        try database.withQueue { queue in
          try SampleMigrations.all.migrate(queue)
          try SampleMigrations.all.migrate(queue)
          let applied = try queue.read { db in try SampleMigrations.all.appliedMigrations(db) }
          try expect("the applied migrations", applied, is: SampleMigrations.all.migrations)
        }
      }
      try database.withConnection { try expect("the number of authors", $0.count("author"), is: 2) }
    },
    .onDatabase(231, "A failed migration leaves no changes, and earlier migrations stay applied.") { database in
      var migrator = SampleMigrations.all
      migrator.registerMigration("failing") { db in
        try db.execute(
          sql: "CREATE TABLE left(x); INSERT INTO author(id, name) VALUES (50, 'x'); SELECT * FROM nowhere")
      }
      migrator.registerMigration("after") { db in try db.execute(sql: "CREATE TABLE after(x)") }
      let all = migrator
      try database.withQueue { queue in
        let failure = try failure(of: all, on: queue, otherwise: "the run did not fail")
        try expect("the failing migration", failure.identifier, is: "failing")
      }
      let applied = try database.appliedIdentifiers(of: all)
      try expect("the applied migrations", applied, is: Set(SampleMigrations.all.migrations))
      try database.withConnection { connection in
        try expect("the number of authors", connection.count("author"), is: 2)
        try expect("the columns of the migration's table", connection.columns(in: "left"), is: nil)
        try expect("enforcesForeignKeys", connection.enforcesForeignKeys(), is: true)
      }
    },
    .onDatabase(235, "A migration fails for violations that it causes, and not for existing ones.") {
      database in
      try database.withConnection(.withoutForeignKeys) { connection in
        try connection.run(
          """
          CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(id INTEGER PRIMARY KEY, x REFERENCES parent);
          INSERT INTO child VALUES (1, 99)
          """)
      }
      var migrator = DatabaseMigrator()
      migrator.registerMigration("harmless") { db in
        try db.execute(sql: "INSERT INTO parent VALUES (1); INSERT INTO child VALUES (2, 1)")
      }
      let harmless = migrator
      migrator.registerMigration("harmful") { db in try db.execute(sql: "INSERT INTO child VALUES (3, 98)") }
      let harmful = migrator
      try database.withQueue { queue in
        try harmless.migrate(queue)
        let failure = try failure(of: harmful, on: queue, otherwise: "the second migration did not fail")
        let violations = (failure.underlying as? ForeignKeyViolationError)?.violations
        try expect("the rows of the violations", violations?.map(\.originRowID), is: [3])
      }
      try database.withConnection { try expect("the number of rows", $0.count("child"), is: 2) }
    },
    .onDatabase(236, "A migrated database matches its migrations, and a changed one does not.") { database in
      try database.withQueue { queue in
        try SampleMigrations.all.migrate(queue)
        try expect("the changes", queue.read { try SampleMigrations.all.schemaChanges($0) }, is: [])
        try queue.write { db in try db.execute(sql: "ALTER TABLE author ADD COLUMN extra") }
        let changes = try queue.read { try SampleMigrations.all.schemaChanges($0) }
        try expect("the number of changes", changes.count, is: 1)
      }
    },
    .onDatabase(
      237, "A database whose migrations changed is erased and rebuilt on request, and only then."
    ) {
      database in
      try database.withQueue { queue in
        try SampleMigrations.all.migrate(queue)
        try queue.write { db in try db.execute(sql: "INSERT INTO author(id, name) VALUES (9, 'kept')") }
        var migrator = SampleMigrations.all
        migrator.eraseDatabaseOnSchemaChange = true
        try migrator.migrate(queue)
        try expect(
          "the number of authors", queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM author") }, is: 3)
        var changed = DatabaseMigrator()
        changed.registerMigration("authors") { db in try db.execute(sql: "CREATE TABLE other(x)") }
        changed.eraseDatabaseOnSchemaChange = true
        try changed.migrate(queue)
      }
      try database.withConnection { connection in
        try expect("the tables of the old migrations", connection.columns(in: "author"), is: nil)
        try expect("the columns", connection.columns(in: "other")?.map(\.name), is: ["x"])
      }
    },
    .onDatabase(238, "Concurrent runs on two connections apply each migration once.") { database in
      let errors = Lock<[String]>([])
      let runs = (1...3).map { _ in
        BackgroundWork {
          do {
            try database.withQueue { try SampleMigrations.all.migrate($0) }
          } catch {
            errors.withLock { $0.append("\(error)") }
          }
        }
      }
      for run in runs { run.wait() }
      try expect("the errors", errors.withLock { $0 }, is: [])
      let applied = try database.appliedIdentifiers(of: SampleMigrations.all)
      try expect("the applied migrations", applied, is: Set(SampleMigrations.all.migrations))
      try database.withConnection { try expect("the number of authors", $0.count("author"), is: 2) }
    },
    .onDatabase(239, "An interrupted run leaves the database between two migrations, and can be repeated.") {
      database in
      try database.withConnection { _ = try interrupter(of: $0) }
      func withSlowMigration(countingTo last: Int) -> DatabaseMigrator {
        var migrator = SampleMigrations.all
        migrator.registerMigration("slow") { db in
          try db.execute(sql: "CREATE TABLE slow(x); INSERT INTO slow VALUES (1)")
          try db.execute(
            sql: """
              WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last))
              INSERT INTO slow SELECT max(i) FROM n
              """)
        }
        return migrator
      }
      let all = withSlowMigration(countingTo: 5_000_000)
      try database.withQueue { queue in
        try SampleMigrations.all.migrate(queue)
        let interruption = BackgroundWork(after: .milliseconds(100)) { queue.interrupt() }
        let run = Result { try failure(of: all, on: queue, otherwise: "the run was not interrupted") }
        interruption.wait()
        let condition = (try run.get().underlying as? DatabaseError)?.condition
        try expect("the error's condition", condition, is: .interrupted)
        let applied = try queue.read { try all.appliedIdentifiers($0) }
        try expect("the applied migrations", applied, is: Set(SampleMigrations.all.migrations))
        try expect("whether the table exists", queue.read { try $0.tableExists("slow") }, is: false)
        try withSlowMigration(countingTo: 10).migrate(queue)
        try expect("the number of rows", queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM slow") }, is: 2)
      }
    },
    .onDatabase(
      240, "Two migrators with separate ledgers do not see or erase each other's data."
    ) {
      database in
      var library = DatabaseMigrator(ledgerTable: "the \"library's\" history")
      library.eraseDatabaseOnSchemaChange = true
      library.registerMigration("authors") { db in try db.execute(sql: "CREATE TABLE shelf(x)") }
      let (first, second) = (SampleMigrations.all, library)
      try database.withQueue { queue in
        for _ in 1...2 {
          try first.migrate(queue)
          try second.migrate(queue)
        }
        try queue.write { db in try db.execute(sql: "INSERT INTO shelf VALUES (1); ALTER TABLE author ADD COLUMN extra")
        }
        try expect("the first one's changes", queue.read { try first.schemaChanges($0).count }, is: 1)
        try expect("the second one's changes", queue.read { try second.schemaChanges($0) }, is: [])
        var erasing = first
        erasing.eraseDatabaseOnSchemaChange = true
        do {
          try erasing.migrate(queue)
          throw BackendCheckFailure(seen: "the run erased the database, or did nothing")
        } catch MigrationError.erasureRefused(.otherMigrators(_, let others, _)) {
          try expect("the other ledgers", others, is: [second.ledgerTable])
        }
      }
      try database.withConnection { try expect("the number of rows", $0.count("shelf"), is: 1) }
    },
  ]

  /// Runs migrations, one of which must fail, and returns its failure.
  private static func failure(
    of migrator: DatabaseMigrator, on queue: DatabaseQueue, otherwise seen: String
  ) throws -> MigrationFailure {
    do {
      try migrator.migrate(queue)
    } catch MigrationError.failed(let failure) {
      return failure
    }
    throw BackendCheckFailure(seen: seen)
  }
}
