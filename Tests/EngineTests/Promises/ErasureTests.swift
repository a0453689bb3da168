import Foundation
import Migrator
import MigratorTestKit
import TestEngines
import Testing

@Suite("Promise 8: erasing is loud and loses nothing")
struct ErasureTests {
  private let log = Log()

  private func migrator(
    _ erasure: DatabaseMigrator.Erasure, _ migrations: [(String, String)]
  ) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.eraseDatabaseOnSchemaChange = true
    migrator.erasure = erasure
    migrator.notify = { [log] in log.add($0) }
    for (name, sql) in migrations { migrator.registerMigration(name) { db in try db.execute(sql: sql) } }
    return migrator
  }

  private func migrator(_ migrations: [(String, String)]) -> DatabaseMigrator { migrator(.keepingBackup, migrations) }

  private static let author = "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)"
  private static let book =
    "CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author (id), title TEXT)"

  private func backups(_ path: String) -> [String] {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.contains(".backup-") }.sorted()
  }

  private func use(
    _ engine: TestEngine, _ body: (any DatabaseBackend, DatabaseQueue, String) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/app.db"
    let backend = engine.backend(path: path)
    let queue = try DatabaseQueue(backend)
    try body(backend, queue, path)
    try queue.close()
  }

  @Test(
    "The report names the object, the rows, the backup and the switch, in at most eight lines",
    arguments: TestEngine.allCases)
  func report(engine: TestEngine) throws {
    try use(engine) { _, queue, path throws in
      try migrator([("a", Self.author), ("b", Self.book)]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann'), (2, 'Bob')") }
      try migrator([("a", Self.author), ("b", Self.book)]).migrate(queue)
      #expect(log.texts.isEmpty)
      try migrator([("a", Self.author.replacing("name", with: "title")), ("b", Self.book)]).migrate(queue)
      let text = try #require(log.texts.first)
      #expect(log.texts.count == 1)
      #expect(text.split(separator: "\n").count <= 8, "\(text)")
      for part in [
        "app.db", "table \"author\" differs", "2 in \"author\"", ".backup-", "restore", "eraseDatabaseOnSchemaChange",
      ] {
        #expect(text.contains(part), "\(text)")
      }
      let backup = try #require(backups(path).first)
      let copy = try DatabaseQueue(engine.backend(path: path.replacing("app.db", with: backup)))
      #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM author") } == 2)
      try copy.close()
    }
  }

  @Test("Three backups are kept, none of a database in memory, and none with the policy .silent")
  func backups() throws {
    try use(.sqlite) { _, queue, path throws in
      for number in 0..<6 { try migrator([("a", "CREATE TABLE t (c\(number))")]).migrate(queue) }
      #expect(backups(path).count == 3)
      let before = log.texts.count
      try migrator(.silent, [("a", "CREATE TABLE t (silent)")]).migrate(queue)
      #expect(backups(path).count == 3)
      #expect(log.texts.count == before)
    }
    let memory = try DatabaseQueue(TestEngine.sqlite.inMemoryBackend)
    try migrator([("a", "CREATE TABLE t (a)")]).migrate(memory)
    try memory.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    try migrator(.keepingRows(), [("a", "CREATE TABLE t (b)")]).migrate(memory)
    #expect(log.texts.last?.contains("No backup is kept") == true)
  }

  @Test("A reader of events gets the report as an event")
  func event() async throws {
    let queue = try TestEngine.sqlite.temporaryQueue()
    try await migrator([("a", "CREATE TABLE t (a)")]).migrate(queue)
    var reports: [ErasureReport] = []
    for try await event in migrator([("a", "CREATE TABLE t (b)")]).migrationEvents(queue) {
      if case .erasing(let report) = event { reports.append(report) }
    }
    #expect(reports.map(\.rowCounts) == [["t": 0]])
    #expect(log.texts.isEmpty)
  }

  @Test("Rows are restored, also of renamed tables and columns; others are reported", arguments: TestEngine.allCases)
  func keepingRows(engine: TestEngine) throws {
    try use(engine) { _, queue, _ throws in
      try migrator([("a", Self.author), ("b", Self.book), ("c", "CREATE TABLE gone (x)")]).migrate(queue)
      try queue.write { db in
        try db.execute(
          sql: "INSERT INTO author VALUES (7, 'Ann'); INSERT INTO book VALUES (1, 7, 'T'); INSERT INTO gone VALUES (1)")
      }
      let renames = ["author": "writer", "book.title": "name", "nothing": "else", "author.none": "x"]
      try migrator(
        .keepingRows(renames: renames),
        [
          ("a", Self.author.replacing("author", with: "writer")),
          (
            "b",
            "CREATE TABLE book (id INTEGER PRIMARY KEY, author INTEGER REFERENCES writer (id), name TEXT, pages INTEGER)"
          ),
        ]
      ).migrate(queue)
      try queue.read { db throws in
        #expect(try String.fetchAll(db, sql: "SELECT id || name FROM writer") == ["7Ann"])
        #expect(try String.fetchAll(db, sql: "SELECT id || author || name FROM book") == ["17T"])
        #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
      }
      #expect(
        log.texts.last?.contains("the rows of table \"gone\" (1) were not kept, because the table no") == true,
        "\(log.texts)")
    }
  }

  private static let note = "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)"

  /// Creates two tables, and types two rows into one of them.
  private func typeNotes(_ queue: DatabaseQueue) throws {
    try migrator([("n", Self.note), ("t", "CREATE TABLE team (id INTEGER PRIMARY KEY)")]).migrate(queue)
    try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, '007'), (2, 'b')") }
  }

  private func notes(_ engine: TestEngine, path: String) throws -> [String] {
    let queue = try DatabaseQueue(engine.backend(path: path))
    defer { try? queue.close() }
    return try queue.read { try String.fetchAll($0, sql: "SELECT body FROM note ORDER BY id") }
  }

  @Test(
    "The only backup of rows or values that were reported as lost remains, however many follow",
    arguments: TestEngine.allCases,
    [
      ("body", "text", "the values of body were not kept"), ("TEXT", "TEXT, size INTEGER NOT NULL", "NOT NULL"),
      ("TEXT", "TEXT CHECK (body > 'a')", "(2) were not kept, because 1 row would violate a new constraint: CHECK"),
      ("TEXT", "INTEGER", "1 value of body in table \"note\" changed"), ("note", "memo", "the table no longer exists"),
      ("TEXT", "TEXT REFERENCES team (id)", "they refer to rows that no longer exist"),
    ])
  func retained(engine: TestEngine, edit: (old: String, new: String, loss: String)) throws {
    try use(engine) { _, queue, path throws in
      try typeNotes(queue)
      let edited = Self.note.replacing(edit.old, with: edit.new)
      try migrator(.keepingRows(), [("n", edited), ("t", "CREATE TABLE team (id INTEGER PRIMARY KEY)")]).migrate(queue)
      #expect(log.texts.last?.contains(edit.loss) == true, "\(log.texts)")
      let backup = try #require(backups(path).first)
      for number in 1...5 {
        // More rows than before, which are all restored.
        try queue.write { try $0.execute(sql: "INSERT INTO team (id) VALUES (NULL), (NULL), (NULL)") }
        try migrator(.keepingRows(), [("n", edited), ("t", "CREATE TABLE team (id INTEGER PRIMARY KEY, c\(number))")])
          .migrate(queue)
      }
      #expect(backups(path).count == 4)
      #expect(try notes(engine, path: path.replacing("app.db", with: backup)) == ["007", "b"])
      try queue.restore(backupAt: path.replacing("app.db", with: backup))
      #expect(FileManager.default.isWritableFile(atPath: path))
      #expect(try notes(engine, path: path) == ["007", "b"])
    }
  }

  @Test("A policy that keeps one backup also keeps those of lost rows, and the mark for the tool survives an erasure")
  func retainedByPolicy() throws {
    try use(.sqlite) { _, queue, path throws in
      try typeNotes(queue)
      try queue.write { try DevelopmentMark.add(to: $0) }
      for (number, erasure) in [DatabaseMigrator.Erasure.keepingRows(), .keepingBackup, .silent].enumerated() {
        var migrator = migrator(erasure, [("n", "CREATE TABLE note (id INTEGER PRIMARY KEY, text\(number))")])
        migrator.backup = .beforeMigrating(keep: 1)
        try migrator.migrate(queue)
        #expect(try queue.read { try DevelopmentMark.isPresent(in: $0) })
      }
      #expect(backups(path).count == 2)
      #expect(try notes(.sqlite, path: path.replacing("app.db", with: backups(path)[0])) == ["007", "b"])
    }
  }

  @Test(
    "Texts that a new type changes into other numbers are counted, and no others",
    arguments: [
      ("TEXT", "INTEGER", "'5', 'x', '', 7, NULL, x'31', '-3', '0'", 0),
      ("TEXT", "INTEGER", "'12345678901234567890', '007', '1.50', ' 5', '+5', '1e3'", 6),
      ("TEXT", "REAL", "'5', '5.0', '1.5'", 0), ("TEXT", "DECIMAL(10, 2)", "'1.50', '2'", 1),
      ("TEXT", "DATETIME", "'2026-01-31', '20260131'", 0), ("BLOB", "NUMERIC", "'007', x'303037'", 1),
      ("INTEGER", "REAL", "5, 'x'", 0), ("INTEGER", "REAL", "9007199254740993, 9007199254740992", 1),
      ("TEXT COLLATE RTRIM", "INTEGER", "'5 ', '6'", 1), ("REAL", "TEXT", "1.5, 2", 0), ("TEXT", "BLOB", "'007'", 0),
      ("TEXT", "VARCHAR(10)", "'007'", 0),
    ])
  func changedValues(old: String, new: String, values: String, count: Int) throws {
    try use(.sqlite) { _, queue, _ throws in
      try migrator([("a", "CREATE TABLE t (v \(old))")]).migrate(queue)
      try queue.write { db in
        for value in values.split(separator: ", ") { try db.execute(sql: "INSERT INTO t VALUES (\(value))") }
      }
      try migrator(.keepingRows(), [("a", "CREATE TABLE t (v \(new))")]).migrate(queue)
      let warning = log.texts.dropFirst().first ?? ""
      #expect(
        count == 0
          ? warning.isEmpty : warning.contains("\(count) value\(count == 1 ? "" : "s") of v in table \"t\" changed"),
        "\(log.texts)")
    }
  }

  @Test(
    "A pending migration that removes rows is reported, and a backup made before it has them",
    arguments: TestEngine.allCases,
    [
      ("DELETE FROM note", "removes 2 of the 2 rows of table \"note\""),
      ("DELETE FROM note WHERE id = 1", "removes 1 of the 2 rows of table \"note\""),
      ("DROP TABLE note", "drops table \"note\" with 2 rows"), ("UPDATE note SET body = ''", nil),
      (
        "CREATE TABLE new (id INTEGER PRIMARY KEY, body); INSERT INTO new SELECT * FROM note; DROP TABLE note; "
          + "ALTER TABLE new RENAME TO note", nil
      ),
      ("CREATE TABLE own (x); INSERT INTO own VALUES (1); DELETE FROM own", nil),
    ] as [(String, String?)])
  func pendingLoss(engine: TestEngine, migration: (sql: String, loss: String?)) throws {
    try use(engine) { backend, queue, path throws in
      try typeNotes(queue)
      var migrations = [("n", Self.note), ("t", "CREATE TABLE team (id INTEGER PRIMARY KEY)"), ("m", migration.sql)]
      try migrator(.keepingRows(), migrations).migrate(queue)
      #expect(log.texts.count == (migration.loss == nil ? 0 : 1), "\(log.texts)")
      let backup = try #require(backups(path).first)
      if let loss = migration.loss {
        #expect(log.texts[0].contains("migration \"m\" \(loss)") && log.texts[0].contains(backup), "\(log.texts)")
      }
      for number in 1...4 {
        try queue.write { try $0.execute(sql: "INSERT INTO team (id) VALUES (NULL), (NULL), (NULL)") }
        migrations.append(("m\(number)", "CREATE TABLE t\(number) (x)"))
        try migrator(.keepingRows(), migrations).migrate(queue)
      }
      #expect(backups(path).contains(backup) == (migration.loss != nil))
      guard migration.loss != nil else { return }
      #expect(try notes(engine, path: path.replacing("app.db", with: backup)) == ["007", "b"])
    }
  }

  @Test(
    "A loss is reported although a later migration of its transaction fails, or without a transaction",
    arguments: TestEngine.allCases)
  func committedLoss(engine: TestEngine) throws {
    let team = "CREATE TABLE team (id INTEGER PRIMARY KEY)"
    let loss = "migration \"m\" removes 2 of the 2 rows of table \"note\""
    try use(engine) { _, queue, path throws in
      try typeNotes(queue)
      var grouped = migrator([("n", Self.note), ("t", team), ("m", "DELETE FROM note"), ("x", "DELETE FROM nothing")])
      grouped.commits = .grouped
      #expect(throws: MigrationError.self) { try grouped.migrate(queue) }
      #expect(log.texts.count == 1 && log.texts.last?.contains(loss) == true, "\(log.texts)")
      #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 0)
    }
    try use(engine) { _, queue, path throws in
      try typeNotes(queue)
      var unwrapped = migrator([("n", Self.note), ("t", team)])
      unwrapped.registerUnwrappedMigration("m") { db in try db.execute(sql: "DELETE FROM note; VACUUM") }
      try unwrapped.migrate(queue)
      #expect(log.texts.count == 2 && log.texts.last?.contains(loss) == true, "\(log.texts)")
    }
    // Without a transaction, the rows are gone although the migration's entry cannot be completed.
    try use(engine) { _, queue, path throws in
      try typeNotes(queue)
      var unrecorded = migrator([("n", Self.note), ("t", team)])
      unrecorded.registerUnwrappedMigration("m") { db in
        try db.execute(
          sql: """
            DELETE FROM note;
            CREATE TRIGGER refusal BEFORE INSERT ON migrator_history BEGIN SELECT RAISE(ABORT, 'no'); END
            """)
      }
      #expect(throws: MigrationError.self) { try unrecorded.migrate(queue) }
      #expect(log.texts.count == 3 && log.texts.last?.contains(loss) == true, "\(log.texts)")
    }
  }

  @Test("No backup is made before pending migrations without rows, nor with the policy .silent, or without the switch")
  func pendingWithoutRows() async throws {
    try use(.sqlite) { _, queue, path throws in
      var migrations = [("n", Self.note)]
      try migrator(migrations).migrate(queue)
      migrations.append(("m", "CREATE TABLE a (x)"))
      try migrator(migrations).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, 'a')") }
      try migrator(migrations).migrate(queue)
      try migrator(.silent, migrations + [("s", "DELETE FROM note")]).migrate(queue)
      var released = migrator(migrations + [("s", ""), ("r", "DELETE FROM note")])
      released.eraseDatabaseOnSchemaChange = false
      try released.migrate(queue)
      #expect(backups(path).isEmpty)
      #expect(log.texts.isEmpty, "\(log.texts)")
    }
    // Without a file, the warning is all there is.
    let memory = try DatabaseQueue(TestEngine.sqlite.inMemoryBackend)
    try await migrator([("n", Self.note)]).migrate(memory)
    try await memory.write { try $0.execute(sql: "INSERT INTO note VALUES (1, 'a')") }
    try await migrator([("n", Self.note), ("m", "DELETE FROM note")]).migrate(memory)
    #expect(
      log.texts == ["migrator: warning: Rows may be lost: migration \"m\" removes 1 of the 1 row of table \"note\"."])
  }

  @Test("Rows that a failed transaction would have removed are not reported, and its backup is not retained")
  func lossRolledBack() throws {
    try use(.sqlite) { _, queue, path throws in
      try typeNotes(queue)
      var failing = migrator(
        .keepingBackup,
        [
          ("n", Self.note), ("t", "CREATE TABLE team (id INTEGER PRIMARY KEY)"), ("d", "DELETE FROM note"),
          ("x", "INSERT INTO team (id) SELECT 1 FROM note UNION ALL VALUES (1), (1)"),
        ])
      failing.commits = .allOrNothing
      #expect(throws: MigrationError.self) { try failing.migrate(queue) }
      #expect(!log.texts.contains { $0.contains("Rows may be lost") }, "\(log.texts)")
      let backup = try #require(backups(path).first)
      let mode = try FileManager.default.attributesOfItem(atPath: path.replacing("app.db", with: backup))[
        .posixPermissions]
      #expect((mode as? Int ?? 0) & 0o200 != 0)
    }
  }

  @Test("An error in an edited or a pending migration leaves the database untouched, and says so", arguments: [0, 1])
  func failing(position: Int) throws {
    try use(.sqlite) { _, queue, path throws in
      try migrator([("a", Self.author)]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann')") }
      var migrations = [("a", Self.author.replacing("name", with: "title")), ("b", Self.book)]
      migrations[position].1 = "CREATE TABEL x (y)"
      let edited = migrator(.keepingRows(), migrations)
      let error = #expect(throws: MigrationError.self) { try edited.migrate(queue) }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("nothing was erased") && text.contains("near \"TABEL\""), "\(text)")
      // That would be true of the scratch database only.
      #expect(!text.contains("applied") && !text.contains("rolled back"), "\(text)")
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name FROM author") } == ["Ann"])
      #expect(backups(path).isEmpty)
    }
  }

  @Test("A run that will be refused for a policy erases nothing, and the plan says so", arguments: [false, true])
  func refused(isPending: Bool) throws {
    try use(.sqlite) { _, queue, path throws in
      try migrator([("a", Self.author)]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann')") }
      var edited = migrator([("a", Self.author.replacing("name", with: "title"))])
      edited.commits = .allOrNothing
      edited.registerUnwrappedMigration("b") { db in try db.execute(sql: Self.book) }
      if isPending { edited.registerMigration("c") { _ in } }
      let plan = try queue.read { db in try edited.plan(db) }
      guard plan.refusals.count == 1, case .separateTransaction("b") = plan.refusals[0] else {
        Issue.record("\(plan.refusals)")
        return
      }
      let error = #expect(throws: MigrationError.self) { try edited.migrate(queue) }
      guard case .separateTransaction("b")? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name FROM author") } == ["Ann"])
      #expect(backups(path).isEmpty)
    }
  }

  @Test("If any call fails from then on, the next run finishes, and no row is lost")
  func killed() throws {
    let error = DatabaseError(.inputOutput, engine: "test", message: "an injected failure")
    let old = [("a", Self.author), ("b", Self.book)]
    let new = [("a", Self.author), ("b", Self.book.replacing("title TEXT", with: "title TEXT, pages INTEGER"))]
    var (number, isDone, restored) = (1, false, 0)
    while !isDone, number < 1000 {
      let folder = try TemporaryFolder()
      let backend = TestEngine.sqlite.backend(path: folder.path + "/app.db")
      let queue = try DatabaseQueue(backend)
      try migrator(old).migrate(queue)
      try queue.write {
        try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann'); INSERT INTO book VALUES (2, 1, 'T')")
      }
      try queue.close()
      let failing = FailingBackend(backend, failingCall: number, .fromThenOn, with: error)
      do {
        let queue = try DatabaseQueue(FailingFile(failing: failing))
        try migrator(.keepingRows(), new).migrate(queue)
        isDone = failing.failedCall == nil
      } catch {}
      let next = try DatabaseQueue(backend)
      if try next.read({ try $0.tableExists("migrator_development") }) { restored += 1 }
      try migrator(.keepingRows(), new).migrate(next)
      try next.read { db throws in
        #expect(try String.fetchAll(db, sql: "SELECT name FROM author") == ["Ann"], "call \(number)")
        #expect(try String.fetchAll(db, sql: "SELECT title FROM book WHERE pages IS NULL") == ["T"], "call \(number)")
        #expect(try String.fetchAll(db, sql: "SELECT rowsToPutBack FROM migrator_development") == [], "call \(number)")
      }
      try next.close()
      number += TestTier.pick(9, full: 3, soak: 1)
    }
    #expect(isDone && number > 50)
    #expect(restored > 0)
  }

  @Test("If a call fails, erased is reported only if it is true, and otherwise the error says that nothing was erased")
  func failedErasure() async throws {
    let error = DatabaseError(.full, engine: "test", message: "an injected failure")
    let edited = [("a", Self.author.replacing("name", with: "title"))]
    var (number, isDone, notErased) = (1, false, 0)
    while !isDone, number < 1000 {
      let folder = try TemporaryFolder()
      let backend = TestEngine.sqlite.backend(path: folder.path + "/app.db")
      let queue = try DatabaseQueue(backend)
      try await migrator([("a", Self.author)]).migrate(queue)
      try await queue.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann')") }
      try queue.close()
      let failing = FailingBackend(backend, failingCall: number, .fromThenOn, with: error)
      var (isReported, claimsErasure, text) = (false, false, "")
      do {
        let queue = try DatabaseQueue(FailingFile(failing: failing))
        for try await event in migrator(edited).migrationEvents(queue) {
          if case .erasing = event { isReported = true }
          if case .erased = event { claimsErasure = true }
        }
        isDone = failing.failedCall == nil
      } catch {
        text = "\(error)"
      }
      let next = try DatabaseQueue(backend)
      let isErased = try await next.read { db in
        try !(db.connection.columns(in: "author") ?? []).contains { $0.name == "name" }
      }
      try next.close()
      #expect(claimsErasure == isErased, "call \(number)")
      if isReported, !isErased {
        notErased += 1
        #expect(text.contains("Nothing was erased"), "call \(number): \(text)")
      }
      number += TestTier.pick(3, full: 1)
    }
    #expect(isDone && notErased > TestTier.pick(0, full: 2))
  }

  @Test("An empty table and a column without values are no loss; a column that is no longer generated keeps its values")
  func nothingLost() throws {
    try use(.sqlite) { _, queue, _ throws in
      let player = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, nick TEXT, folded TEXT AS (lower(name)))"
      try migrator([("a", player), ("b", "CREATE TABLE empty (x)")]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO player (id, name) VALUES (1, 'Ann')") }
      let edited = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, folded TEXT)"
      try migrator(.keepingRows(), [("a", edited)]).migrate(queue)
      #expect(log.texts.count == 1, "\(log.texts)")
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name || folded FROM player") } == ["Annann"])
      // A column that is generated now computes other values.
      try migrator(.keepingRows(), [("a", player.replacing("lower", with: "upper"))]).migrate(queue)
      #expect(log.texts.last?.contains("the values of folded were not kept") == true, "\(log.texts)")
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT folded FROM player") } == ["ANN"])
    }
  }

  @Test("Nothing is erased if the backup cannot be made, or the file cannot be written", arguments: TestEngine.allCases)
  func refused(engine: TestEngine) throws {
    try use(engine) { backend, queue, path throws in
      try migrator([("a", Self.author)]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann')") }
      var edited = migrator([("a", Self.author.replacing("name", with: "title"))])
      var configuration = Configuration()
      configuration.readonly = true
      let reader = try DatabaseQueue(backend, configuration: configuration)
      let readOnly = #expect(throws: DatabaseError.self) { try edited.migrate(reader) }
      #expect(readOnly?.condition == .readOnly, "\(String(describing: readOnly))")
      try reader.close()
      edited.backup = .beforeMigrating(keep: 1, folder: path + "-nowhere")
      let noFolder = #expect(throws: DatabaseError.self) { try edited.migrate(queue) }
      #expect(noFolder?.condition == .folderMissing, "\(String(describing: noFolder))")
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name FROM author") } == ["Ann"])
      #expect(log.texts.isEmpty, "\(log.texts)")
      #expect(backups(path).isEmpty)
    }
  }

  @Test(
    "With a write-ahead log, another connection reads the old rows until it is done", arguments: TestEngine.allCases)
  func reading(engine: TestEngine) throws {
    try use(engine) { backend, queue, _ throws in
      _ = try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") }
      try migrator([("a", Self.author)]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann')") }
      let other = try DatabaseQueue(backend)
      try other.read { db throws in
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM author") == 1)
        try migrator(.keepingRows(), [("a", Self.author.replacing(")", with: ", born INTEGER)"))]).migrate(queue)
        #expect(try String.fetchAll(db, sql: "SELECT name FROM author") == ["Ann"])
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT born FROM author") }
      }
      #expect(try other.read { try String.fetchAll($0, sql: "SELECT name FROM author WHERE born IS NULL") } == ["Ann"])
      try other.close()
    }
  }

  // MARK: Rows of migrations

  @Test(
    "Edited rows of a migration are a change; an equal text in another order is none", arguments: TestEngine.allCases)
  func editedRows(engine: TestEngine) throws {
    try use(engine) { _, queue, _ throws in
      let table = "CREATE TABLE kind (name TEXT, size INTEGER); "
      func run(_ inserts: String) throws -> [SchemaChangeReason] {
        let migrator = migrator([("a", table + inserts)])
        let reasons = try queue.read(migrator.schemaChanges)
        try migrator.migrate(queue)
        return reasons
      }
      let change = [SchemaChangeReason.differentRows(table: "kind")]
      #expect(try run("INSERT INTO kind VALUES ('a', 1), ('b', 2)") == [])
      #expect(try run("INSERT INTO kind VALUES ('b', 2), ('a', 1)") == [])
      #expect(try run("INSERT INTO kind VALUES ('a', 1), ('b', 3)") == change)
      #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT sum(size) FROM kind") } == 4)
      #expect(try run("INSERT INTO kind VALUES ('a', 1), ('b', 3); UPDATE kind SET size = 5") == change)
      #expect(try run("INSERT INTO kind VALUES ('a', 5), ('b', 5)") == [])
      #expect(try run("INSERT INTO kind VALUES ('a', 5), ('b', '5')") == [])
      #expect(try run("INSERT INTO kind VALUES ('a', 5), ('b', '5x')") == change)
      #expect(try run("") == change)
    }
  }

  @Test("The user's rows are no change, nor is the time; random rows are left out, and that is said once")
  func changingRows() throws {
    try use(.sqlite) { _, queue, _ throws in
      let tables = """
        CREATE TABLE stamped (id INTEGER PRIMARY KEY, name TEXT, made TEXT DEFAULT CURRENT_TIMESTAMP, day REAL);
        CREATE TABLE token (value); CREATE TABLE mine (x);
        INSERT INTO token VALUES (random());
        """
      func migrator(_ name: String) -> DatabaseMigrator {
        self.migrator([
          ("a", tables + "INSERT INTO stamped (name, day) VALUES ('\(name)', julianday('now'))")
        ])
      }
      try migrator("x").migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO mine VALUES (1); UPDATE stamped SET name = 'user'") }
      #expect(try queue.read(migrator("x").schemaChanges) == [])
      for _ in 1...3 { try migrator("x").migrate(queue) }
      #expect(log.texts.count == 1, "\(log.texts)")
      #expect(log.texts.first?.contains("\"token\"") == true)
      #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM mine") } == 1)
      #expect(try queue.read(migrator("y").schemaChanges) == [.differentRows(table: "stamped")])
    }
  }

  @Test("Rows into which migrations now insert others are not replaced by the old ones, and that is said")
  func editedAndKept() throws {
    try use(.sqlite) { _, queue, _ throws in
      let kind = "CREATE TABLE kind (name TEXT); CREATE TABLE own (x); INSERT INTO kind VALUES ("
      try migrator([("a", kind + "'a')")]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO kind VALUES ('typed'); INSERT INTO own VALUES (1)") }
      try migrator(.keepingRows(), [("a", kind + "'b')")]).migrate(queue)
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name FROM kind") } == ["b"])
      #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT x FROM own") } == [1])
      #expect(log.texts.last?.contains("now insert different rows") == true, "\(log.texts)")
      // Since then, no row was typed.
      let count = log.texts.count
      try migrator(.keepingRows(), [("a", kind + "'c')")]).migrate(queue)
      #expect(log.texts.count == count + 1, "\(log.texts)")
      #expect(try queue.read { try String.fetchAll($0, sql: "SELECT name FROM kind") } == ["c"])
    }
  }

  // MARK: Restoring

  @Test(
    "A restored backup has the old rows, and the replaced file is kept", arguments: TestEngine.allCases,
    ["DELETE", "WAL"])
  func restore(engine: TestEngine, mode: String) throws {
    try use(engine) { backend, queue, path throws in
      _ = try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)") }
      try migrator([("a", Self.author)]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO author VALUES (1, 'Ann')") }
      try migrator([("a", Self.author.replacing("name", with: "title"))]).migrate(queue)
      try queue.write { try $0.execute(sql: "INSERT INTO author VALUES (2, 'new')") }
      let backup = path.replacing("app.db", with: try #require(backups(path).first))
      if mode == "WAL" {
        let other = try DatabaseQueue(backend)
        _ = try other.read { try $0.tableExists("author") }
        #expect(throws: DatabaseError.self) { try queue.restore(backupAt: backup) }
        try other.close()
        // A backup that cannot be made: the file, its journal mode and the queue are as before.
        try FileManager.default.createDirectory(atPath: path + ".restore", withIntermediateDirectories: true)
        #expect(throws: DatabaseError.self) { try queue.restore(backupAt: backup) }
        try FileManager.default.removeItem(atPath: path + ".restore")
        let mode = try queue.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
      }
      // A backup that was cut off is no backup.
      for length in [0, 600] {
        let cut = backup + "-cut"
        try Data(contentsOf: URL(filePath: backup)).prefix(length).write(to: URL(filePath: cut))
        #expect(throws: DatabaseError.self) { try queue.restore(backupAt: cut) }
      }
      #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM author") } == [2])
      let kept = try #require(try queue.restore(backupAt: backup))
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
      let restored = try DatabaseQueue(backend)
      #expect(try restored.read { try String.fetchAll($0, sql: "SELECT name FROM author") } == ["Ann"])
      try restored.close()
      let old = try DatabaseQueue(engine.backend(path: kept))
      #expect(try old.read { try Int.fetchAll($0, sql: "SELECT id FROM author") } == [2])
      try old.close()
    }
  }

  @Test("A write-ahead log that is beside a backup is restored with it", arguments: TestEngine.allCases)
  func restoreWithLog(engine: TestEngine) throws {
    try use(engine) { _, queue, path throws in
      try migrator([("a", Self.author)]).migrate(queue)
      try queue.backup(to: path + ".copy")
      let other = try DatabaseQueue(engine.backend(path: path + ".copy"))
      try other.writeWithoutTransaction { db in
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        try db.execute(sql: "INSERT INTO author VALUES (1, 'Ann')")
      }
      for end in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + ".copy" + end, toPath: path + ".backup" + end)
      }
      try other.close()
      try queue.restore(backupAt: path + ".backup")
      let restored = try DatabaseQueue(engine.backend(path: path))
      #expect(try restored.read { try String.fetchAll($0, sql: "SELECT name FROM author") } == ["Ann"])
      try restored.close()
    }
  }

  /// A failing backend whose backups can be opened.
  private struct FailingFile: FileBackend {
    let failing: FailingBackend
    var label: String { failing.label }
    var isShared: Bool { failing.isShared }

    func connect(_ options: ConnectionOptions) throws(DatabaseError) -> any DatabaseConnection {
      try failing.connect(options)
    }

    func scratch() throws(DatabaseError) -> any DatabaseBackend { try failing.scratch() }

    func forCopy(at path: String) -> any DatabaseBackend { TestEngine.sqlite.backend(path: path) }
  }

  private final class Log: Sendable {
    private let list = Lock<[String]>([])
    var texts: [String] { list.withLock { $0 } }
    func add(_ text: String) { list.withLock { $0.append(text) } }
  }
}
