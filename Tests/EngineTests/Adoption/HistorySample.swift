import Migrator
import TestEngines

/// A database as another tool leaves it, with two of three migrations applied.
///
/// The tables are those that the tools create in SQLite.
struct HistorySample: Sendable, CustomStringConvertible {
  /// The tool.
  let description: String
  /// The history to adopt.
  let history: AdoptedHistory
  /// The tables and rows of its history.
  let sql: String
  /// The three migrations, as registered.
  var names = ["1_authors", "2_books", "3_shelves"]
  var userVersion: Int32 = 0

  /// A migrator that adopts the history; each migration fails when it runs a second time.
  var migrator: DatabaseMigrator {
    var migrator = Self.unaware(names)
    migrator.adopt(history)
    return migrator
  }

  /// Returns a migrator that adopts nothing.
  static func unaware(_ names: [String]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for (name, table) in zip(names, ["author", "book", "shelf"]) {
      migrator.registerMigration(name) { db in try db.execute(sql: "CREATE TABLE \(table) (id INTEGER)") }
    }
    return migrator
  }

  /// Creates the tool's database.
  func install(_ writer: any DatabaseWriter) throws {
    try writer.write { db in
      try db.execute(sql: "CREATE TABLE author (id INTEGER); INSERT INTO author VALUES (7)")
      try db.execute(sql: "CREATE TABLE book (id INTEGER)")
      try db.execute(sql: sql)
      if userVersion != 0 { try db.setUserVersion(userVersion) }
    }
  }

  /// Returns the tool's database, in memory.
  func queue(_ engine: TestEngine) throws -> DatabaseQueue {
    let dbQueue = try engine.inMemoryQueue()
    try install(dbQueue)
    return dbQueue
  }

  /// Returns all contents except this package's ledger and the table of the third migration.
  static func content(_ db: Database) throws -> [String] {
    var content = ["user_version \(try db.userVersion)"]
    for object in try db.schema().objects where !["migrator_history", "shelf"].contains(object.tableName) {
      content.append("\(object.name): \(object.sql ?? "")")
      guard object.kind == .table else { continue }
      for row in try Row.fetchAll(db, sql: "SELECT * FROM \(object.name)") { content.append("\(row.databaseValues)") }
    }
    return content
  }
}

extension HistorySample {
  private static let stamps = ["20260101000001_authors", "20260101000002_books", "20260101000003_shelves"]

  static let grdb = HistorySample(
    description: "GRDB", history: .grdb,
    sql: """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('1_authors'), ('2_books');
      """)

  static let golangMigrate = HistorySample(
    description: "golang-migrate", history: .schemaMigrations,
    sql: """
      CREATE TABLE schema_migrations (version uint64,dirty bool);
      CREATE UNIQUE INDEX version_unique ON schema_migrations (version);
      INSERT INTO schema_migrations VALUES (2, 0);
      """,
    names: ["000001_authors", "000002_books", "000003_shelves"])

  static let sqlx = HistorySample(
    description: "sqlx", history: .sqlx,
    sql: """
      CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
        installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL,
        execution_time BIGINT NOT NULL);
      INSERT INTO _sqlx_migrations VALUES (20260101000001, 'authors', '2026-01-01 10:20:30', 1, x'01', 4711),
        (20260101000002, 'books', '2026-01-01 10:20:31', 1, x'02', 4711);
      """,
    names: stamps)

  static let goose = HistorySample(
    description: "goose", history: .goose,
    sql: """
      CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL,
        is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
      INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1), (2, 1), (3, 1), (3, 0), (2, 0), (2, 1);
      """,
    names: ["00001_authors", "00002_books", "00003_shelves"])

  static let ladder = HistorySample(
    description: "user_version", history: .userVersion(ladder: ["authors", "books", "shelves"]), sql: "",
    names: ["authors", "books", "shelves"], userVersion: 2)

  static let all = [grdb, golangMigrate, sqlx, goose, ladder] + lists

  private static let lists = [
    HistorySample(
      description: "SQLiteMigrationManager.swift", history: .schemaMigrations,
      sql: """
        CREATE TABLE "schema_migrations" ("version" INTEGER NOT NULL UNIQUE);
        INSERT INTO schema_migrations VALUES (1), (2);
        """),
    HistorySample(
      description: "dbmate", history: .schemaMigrations,
      sql: """
        CREATE TABLE "schema_migrations" (version varchar(128) primary key);
        INSERT INTO schema_migrations VALUES ('20260101000001'), ('20260101000002');
        """,
      names: stamps),
    HistorySample(
      description: "Rails", history: .schemaMigrations,
      sql: """
        CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
        CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar,
          "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
        INSERT INTO schema_migrations VALUES ('20260101000002'), ('20260101000001');
        """,
      names: stamps),
    HistorySample(
      description: "Rails before 5", history: .schemaMigrations,
      sql: """
        CREATE TABLE "schema_migrations" ("version" varchar(255) NOT NULL);
        CREATE UNIQUE INDEX "unique_schema_migrations" ON "schema_migrations" ("version");
        INSERT INTO schema_migrations VALUES ('20260101000001'), ('20260101000002');
        """,
      names: stamps),
    HistorySample(
      description: "Ecto", history: .schemaMigrations,
      sql: """
        CREATE TABLE "schema_migrations" ("version" INTEGER PRIMARY KEY, "inserted_at" TEXT);
        INSERT INTO schema_migrations VALUES (20260101000001, '2026-01-01T10:20:30'), (20260101000002, NULL);
        """,
      names: stamps),
    HistorySample(
      description: "diesel", history: .diesel,
      sql: """
        CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL,
          run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
        INSERT INTO __diesel_schema_migrations (version) VALUES ('20260101000001'), ('20260101000002');
        """,
      names: ["2026-01-01-000001_authors", "2026-01-01-000002_books", "2026-01-01-000003_shelves"]),
    HistorySample(
      description: "refinery", history: .refinery,
      sql: """
        CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY, name VARCHAR(255), applied_on VARCHAR(255),
          checksum VARCHAR(255));
        INSERT INTO refinery_schema_history VALUES (1, 'authors', '2026-01-01T05:20:30.5-05:00', '13384621929958573416'),
          (2, 'books', NULL, '6')
        """,
      names: ["V1__authors", "V2__books", "V3__shelves"]),
    HistorySample(
      description: "yoyo", history: .yoyo,
      sql: """
        CREATE TABLE "_yoyo_migration" ("migration_hash" VARCHAR(64), "migration_id" VARCHAR(255),
          "applied_at_utc" TIMESTAMP, PRIMARY KEY ("migration_hash"));
        INSERT INTO _yoyo_migration VALUES ('735b9f3d', '0001.authors', '2026-01-01T10:20:30.783391'),
          ('7c597416', '0002.books', '2026-01-01T10:20:31.786474');
        """,
      names: ["0001.authors", "0002.books", "0003.shelves"]),
    HistorySample(
      description: "sql-migrate", history: .sqlMigrate,
      sql: """
        CREATE TABLE "gorp_migrations" ("id" varchar(255) not null primary key, "applied_at" datetime);
        INSERT INTO gorp_migrations VALUES ('1_authors.sql', '2026-01-01 10:20:30.94584652+00:00'), ('2_books.sql', NULL);
        """),
    HistorySample(
      description: "Prisma", history: .prisma,
      sql: """
        CREATE TABLE "_prisma_migrations" ("id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME,
          "migration_name" TEXT NOT NULL, "logs" TEXT, "rolled_back_at" DATETIME,
          "started_at" DATETIME NOT NULL DEFAULT current_timestamp, "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0);
        INSERT INTO _prisma_migrations VALUES ('a', 'x', 1767262830000, '20260101000001_authors', NULL, NULL, 1767262829000, 1),
          ('b', 'x', NULL, '20260101000002_books', 'failed', 1767262831000, 1767262830000, 0),
          ('c', 'x', 1767262832000, '20260101000002_books', NULL, NULL, 1767262831500, 1);
        """,
      names: stamps),
    HistorySample(
      description: "Drizzle", history: .drizzle,
      sql: """
        CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);
        INSERT INTO __drizzle_migrations ("hash", "created_at") VALUES ('aa', 1767262831000), ('bb', 1767262832000);
        """,
      names: ["0000_authors", "0001_books", "0002_shelves"]),
    HistorySample(
      description: "Drizzle with names", history: .drizzle,
      sql: """
        CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (id INTEGER PRIMARY KEY, hash text NOT NULL, created_at numeric,
          name text, applied_at TEXT);
        INSERT INTO __drizzle_migrations (hash, created_at, name) VALUES ('bb', 2, '20260101000002_books'),
          ('aa', 1, '20260101000001_authors');
        """,
      names: stamps),
    HistorySample(
      description: "Atlas", history: .atlas,
      sql: """
        CREATE TABLE `atlas_schema_revisions` (`version` text NOT NULL, `description` text NOT NULL,
          `type` integer NOT NULL DEFAULT 2, `applied` integer NOT NULL DEFAULT 0, `total` integer NOT NULL DEFAULT 0,
          `executed_at` datetime NOT NULL, `execution_time` integer NOT NULL, `error` text NULL, `error_stmt` text NULL,
          `hash` text NOT NULL, `partial_hashes` json NULL, `operator_version` text NOT NULL, PRIMARY KEY (`version`));
        INSERT INTO atlas_schema_revisions VALUES
          ('.atlas_cloud_identifier', 'x', 0, 0, 0, '2026-01-01 10:20:30', 0, NULL, NULL, '', NULL, 'Atlas CLI v0.30'),
          ('20260101000002', 'books', 1, 0, 0, '2026-01-01 10:20:30', 0, NULL, NULL, '', NULL, 'Atlas CLI v0.30');
        """,
      names: stamps),
    HistorySample(
      description: "Flyway", history: .flyway,
      sql: """
        CREATE TABLE "flyway_schema_history" ("installed_rank" INT NOT NULL PRIMARY KEY, "version" VARCHAR(50),
          "description" VARCHAR(200) NOT NULL, "type" VARCHAR(20) NOT NULL, "script" VARCHAR(1000) NOT NULL, "checksum" INT,
          "installed_by" VARCHAR(100) NOT NULL, "installed_on" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f','now')),
          "execution_time" INT NOT NULL, "success" BOOLEAN NOT NULL);
        CREATE INDEX "flyway_schema_history_s_idx" ON "flyway_schema_history" ("success");
        INSERT INTO flyway_schema_history (installed_rank, version, description, type, script, installed_by, execution_time, success)
          VALUES (1, '1.2', '<< Flyway Baseline >>', 'BASELINE', '', '', 0, 1), (2, '1.10', 'books', 'SQL', '', '', 0, 1),
          (3, '2', 'shelves', 'SQL', '', '', 0, 1), (4, NULL, 'views', 'SQL', 'R__views.sql', '', 0, 1),
          (5, '2', 'shelves', 'UNDO_SQL', '', '', 0, 1), (6, '1.10', 'books', 'UNDO_SQL', '', '', 0, 1),
          (7, '1.10', 'books', 'SQL', '', '', 0, 1);
        """,
      names: ["V1_2__authors", "V1.10__books", "V2__shelves"]),
    HistorySample(
      description: "a table of file names", history: .table("Changes", column: "File"),
      sql: """
        CREATE TABLE changes (file TEXT PRIMARY KEY, at TEXT) WITHOUT ROWID;
        INSERT INTO changes VALUES ('db/1_authors.sql', ''), ('2_books.up.sql', '');
        """),
    HistorySample(
      description: "a table of the last number", history: .table("version", column: "number"),
      sql: "CREATE TABLE version (number TEXT); INSERT INTO version VALUES ('002')"),
    HistorySample(
      description: "user_version with gaps",
      history: .userVersion(ladder: [10: "authors", 20: "books", 30: "shelves"]), sql: "",
      names: ["authors", "books", "shelves"], userVersion: 25),
  ]
}
