import Migrator
import SQLMigrations
import TestEngines
import Testing

/// A history with the checksum of one text for each of two migrations.
struct CheckedHistory: Sendable, CustomStringConvertible {
  let description: String
  let history: AdoptedHistory
  /// The tables, and the rows of the migrations with the texts of `texts`.
  let sql: String

  /// The first ends with CR LF, the second begins with a byte order mark.
  static let texts = ["CREATE TABLE author (\r\n id INTEGER);\r\n", "\u{FEFF}CREATE TABLE book (id INTEGER);\n"]
  static let names = ["V1__authors", "V2__books"]

  static let all = [
    CheckedHistory(
      description: "sqlx", history: .sqlx,
      sql: """
        CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
          installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
          execution_time BIGINT NOT NULL);
        INSERT INTO _sqlx_migrations VALUES (1, 'authors', '', 1, x'8cc06b11a1bd2027113feac282d4db883d5ab2feb1cad1f77b6ce46b66a3f82b7c25e482a784278eee47a9be1036827d', 1), (2, 'books', '', 1, x'5fabe6bd1523806f68a84a30f2b75dad5961f571793113ac00a5fb7468d1b312f51931f20b6621e440163ef430eb4ddf', 1);
        """),
    CheckedHistory(
      description: "Prisma", history: .prisma,
      sql: """
        CREATE TABLE _prisma_migrations (id TEXT, checksum TEXT, finished_at DATETIME, migration_name TEXT, logs TEXT,
          rolled_back_at DATETIME, started_at DATETIME, applied_steps_count INTEGER);
        INSERT INTO _prisma_migrations (checksum, finished_at, migration_name) VALUES ('c8a55da5d1068032cf590c8f0c72c3b35e4217f2dbbb997b0c7f2c763527ff04', 1, 'V1__authors'),
          ('c59e2b150435d427ed235f228566b9f33e621365991ec52bbf917b1e0e186c46', 1, 'V2__books');
        """),
    CheckedHistory(
      description: "Drizzle", history: .drizzle,
      sql: """
        CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);
        INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('c59e2b150435d427ed235f228566b9f33e621365991ec52bbf917b1e0e186c46', 2), ('c8a55da5d1068032cf590c8f0c72c3b35e4217f2dbbb997b0c7f2c763527ff04', 1);
        """),
    CheckedHistory(
      description: "Atlas", history: .atlas,
      sql: """
        CREATE TABLE atlas_schema_revisions (version text, type integer, applied integer, total integer, executed_at datetime,
          error text, hash text);
        INSERT INTO atlas_schema_revisions VALUES ('1', 2, 1, 1, '', NULL, 'mC76a6W0l63rBvNXDyeFjtMF0JGMhe8L8fVTdtGQiCM='), ('2', 2, 1, 1, '', '', 'l1FVWdrCAYLLdSghLqls5MESKyQ2IEe44v9OIiecBmE=');
        """),
    CheckedHistory(
      description: "Flyway", history: .flyway,
      sql: """
        CREATE TABLE flyway_schema_history (installed_rank INT, version VARCHAR(50), type VARCHAR(20), checksum INT,
          installed_on TEXT, success BOOLEAN);
        INSERT INTO flyway_schema_history VALUES (1, '1', 'SQL', -1993004359, '', 1), (2, '2', 'SQL', -2033670809, '', 1);
        """),
  ]

  /// Returns a migrator that adopts the history.
  func migrator(_ texts: [String] = Self.texts, _ history: AdoptedHistory? = nil) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigrations(
      zip(Self.names, texts).map { SQLMigration(identifier: $0, path: $0, checksum: "", sql: $1) })
    migrator.adopt(history ?? self.history)
    return migrator
  }

  func queue(_ engine: TestEngine) throws -> DatabaseQueue {
    let dbQueue = try engine.inMemoryQueue()
    try dbQueue.write { db in
      for text in Self.texts { try db.execute(sql: text.replacing("\u{FEFF}", with: "")) }
      try db.execute(sql: sql)
    }
    return dbQueue
  }
}

@Suite("Checksums that a tool recorded")
struct RecordedChecksumTests {
  @Test("texts that match are adopted, whatever their line ends", arguments: TestEngine.allCases, CheckedHistory.all)
  func equal(engine: TestEngine, tool: CheckedHistory) throws {
    let texts = CheckedHistory.texts.map { $0.replacing("\r\n", with: "\n") }
    for texts in tool.description == "Atlas" ? [CheckedHistory.texts] : [CheckedHistory.texts, texts] {
      let dbQueue = try tool.queue(engine)
      let migrator = tool.migrator(texts)
      #expect(try dbQueue.read { try migrator.migrationsAdoptedUnchecked($0) } == [])
      try migrator.migrate(dbQueue)
      #expect(try dbQueue.read { try migrator.appliedMigrations($0) } == CheckedHistory.names)
    }
  }

  @Test("an edited text is refused, unless the caller accepts it", arguments: TestEngine.allCases, CheckedHistory.all)
  func edited(engine: TestEngine, tool: CheckedHistory) throws {
    let dbQueue = try tool.queue(engine)
    let texts = [CheckedHistory.texts[0], CheckedHistory.texts[1] + "-- edited"]
    let refusal = #expect(throws: MigrationError.self) { try tool.migrator(texts).migrate(dbQueue) }
    guard case .adoptionRefused(let reason)? = refusal else {
      Issue.record("another error")
      return
    }
    #expect(reason == .edited(history: tool.history.table, identifiers: ["V2__books"]))
    #expect(try dbQueue.read { try !$0.tableExists("migrator_history") })

    let migrator = tool.migrator(texts, tool.history.acceptingEdits())
    try migrator.migrate(dbQueue)
    #expect(try dbQueue.read { try migrator.appliedMigrations($0) } == CheckedHistory.names)
  }

  @Test("the tables of the adopted tool are recorded", arguments: TestEngine.allCases)
  func tables(engine: TestEngine) throws {
    for tool in HistorySample.all where tool.userVersion == 0 {
      let dbQueue = try tool.queue(engine)
      try tool.migrator.migrate(dbQueue)
      let tables = try dbQueue.read { try HistorySample.unaware(tool.names).adoptedTables($0) }
      #expect(tables.contains(tool.history.table.lowercased()), "\(tool)")
      #expect((tool.description == "Rails") == tables.contains("ar_internal_metadata"), "\(tool)")
    }
  }
}
