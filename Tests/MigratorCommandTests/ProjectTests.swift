import Foundation
import TestEngines
import Testing

@testable import MigratorCommand

/// Folders as five tools and their users write them, from a checkout to a successful `check`.
@Suite("Projects of other tools")
struct ProjectTests {
  struct Project: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let files: [String: String]
    /// The rules whose findings the project accepts, since the tool writes the files.
    var accepted: [String] = []
  }

  @Test(
    "The check of a project succeeds once the findings are accepted as the message says", arguments: projects,
    TestEngine.allCases)
  func green(project: Project, engine: TestEngine) throws {
    // SQLite before 3.23 has no FALSE, which drizzle-kit and Prisma write.
    guard engine != .sqlCipher3 || project.accepted.isEmpty else { return }
    let trial = try ToolTrial(engine, project.files)
    let check = trial.run("check", usesDatabase: false)
    #expect(check.exitCode == (project.accepted.isEmpty ? 0 : 1), "\(check)")
    let lint = trial.run("lint --json", usesDatabase: false)
    let findings = try lint.json()["findings"] as? [[String: Any]] ?? []
    #expect(Set(findings.compactMap { $0["rule"] as? String }) == Set(project.accepted), "\(lint)")
    if !project.accepted.isEmpty {
      let advice = "add the line `allow RULE REASON` to \(trial.migrations)/.migrator-lint"
      for outcome in [check, trial.run("lint", usesDatabase: false)] {
        #expect(outcome.text.contains(advice), "\(outcome)")
      }
      try trial.write(project.accepted.map { "allow \($0) the tables are small\n" }.joined(), to: ".migrator-lint")
    }
    let again = trial.run("check", usesDatabase: false)
    #expect(again.exitCode == 0, "\(again)")
    #expect(trial.run("migrate").exitCode == 0)
    #expect(trial.run("verify").exitCode == 0)
  }

  static let projects: [Project] = [
    Project(testDescription: "Drizzle", files: drizzle, accepted: ["unindexed-foreign-key"]),
    Project(testDescription: "Prisma", files: prisma, accepted: ["unindexed-foreign-key"]),
    Project(testDescription: "sqlx", files: sqlx), Project(testDescription: "dbmate", files: dbmate),
    Project(testDescription: "Flyway", files: flyway),
  ]

  private static let breakpoint = "--> statement-breakpoint\n"

  private static let drizzle = [
    "meta/_journal.json": """
    {"version": "7", "dialect": "sqlite", "entries": [
      {"idx": 0, "version": "6", "when": 1718000000000, "tag": "0000_quick_hulk", "breakpoints": true},
      {"idx": 1, "version": "6", "when": 1718100000000, "tag": "0001_lazy_storm", "breakpoints": true},
      {"idx": 2, "version": "6", "when": 1718200000000, "tag": "0002_blue_thor", "breakpoints": true}]}
    """,
    "meta/0000_snapshot.json": "{}",
    "0000_quick_hulk.sql": """
    CREATE TABLE `users` (
    \t`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    \t`email` text NOT NULL,
    \t`name` text,
    \t`created_at` integer DEFAULT (unixepoch()) NOT NULL
    );
    \(breakpoint)CREATE TABLE `posts` (
    \t`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    \t`title` text NOT NULL,
    \t`author_id` integer NOT NULL,
    \tFOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
    );
    \(breakpoint)CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);
    """,
    "0001_lazy_storm.sql": "ALTER TABLE `posts` ADD `published` integer DEFAULT false NOT NULL;",
    "0002_blue_thor.sql": """
    PRAGMA foreign_keys=OFF;\(breakpoint)CREATE TABLE `__new_users` (
    \t`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
    \t`email` text NOT NULL,
    \t`name` text DEFAULT 'anonymous' NOT NULL,
    \t`created_at` integer DEFAULT (unixepoch()) NOT NULL
    );
    \(breakpoint)INSERT INTO `__new_users`("id", "email", "name", "created_at") SELECT "id", "email", "name", "created_at" FROM `users`;\(breakpoint)DROP TABLE `users`;\(breakpoint)ALTER TABLE `__new_users` RENAME TO `users`;\(breakpoint)PRAGMA foreign_keys=ON;\(breakpoint)CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);
    """,
  ]

  private static let prisma = [
    "migration_lock.toml": "provider = \"sqlite\"\n",
    "20240601101500_init/migration.sql": """
    -- CreateTable
    CREATE TABLE "User" (
        "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        "email" TEXT NOT NULL,
        "name" TEXT
    );

    -- CreateTable
    CREATE TABLE "Post" (
        "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        "title" TEXT NOT NULL,
        "published" BOOLEAN NOT NULL DEFAULT false,
        "authorId" INTEGER NOT NULL,
        CONSTRAINT "Post_authorId_fkey" FOREIGN KEY ("authorId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
    );

    -- CreateTable
    CREATE TABLE "_PostToTag" (
        "A" INTEGER NOT NULL,
        "B" INTEGER NOT NULL,
        CONSTRAINT "_PostToTag_A_fkey" FOREIGN KEY ("A") REFERENCES "Post" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
        CONSTRAINT "_PostToTag_B_fkey" FOREIGN KEY ("B") REFERENCES "Tag" ("id") ON DELETE CASCADE ON UPDATE CASCADE
    );

    -- CreateTable
    CREATE TABLE "Tag" (
        "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        "name" TEXT NOT NULL
    );

    -- CreateIndex
    CREATE UNIQUE INDEX "User_email_key" ON "User"("email");

    -- CreateIndex
    CREATE UNIQUE INDEX "_PostToTag_AB_unique" ON "_PostToTag"("A", "B");

    -- CreateIndex
    CREATE INDEX "_PostToTag_B_index" ON "_PostToTag"("B");
    """,
    "20240702083000_role/migration.sql": """
    -- RedefineTables
    PRAGMA defer_foreign_keys=ON;
    PRAGMA foreign_keys=OFF;
    CREATE TABLE "new_User" (
        "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        "email" TEXT NOT NULL,
        "name" TEXT,
        "role" TEXT NOT NULL DEFAULT 'USER'
    );
    INSERT INTO "new_User" ("email", "id", "name") SELECT "email", "id", "name" FROM "User";
    DROP TABLE "User";
    ALTER TABLE "new_User" RENAME TO "User";
    CREATE UNIQUE INDEX "User_email_key" ON "User"("email");
    PRAGMA foreign_keys=ON;
    PRAGMA defer_foreign_keys=OFF;
    """,
  ]

  private static let sqlx = [
    "20240501120000_create_accounts.sql": """
    -- Add migration script here
    CREATE TABLE IF NOT EXISTS accounts (
        id BLOB PRIMARY KEY NOT NULL,
        email TEXT NOT NULL UNIQUE,
        password_hash TEXT NOT NULL,
        created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
        updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
    );

    CREATE TRIGGER accounts_updated_at AFTER UPDATE ON accounts
    BEGIN
        UPDATE accounts SET updated_at = CURRENT_TIMESTAMP WHERE id = OLD.id;
    END;
    """,
    "20240503090000_create_sessions.sql": """
    -- Add migration script here
    CREATE TABLE sessions (
        token TEXT PRIMARY KEY NOT NULL,
        account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
        expires_at DATETIME NOT NULL
    );
    CREATE INDEX idx_sessions_account_id ON sessions (account_id);
    """,
    "20240611150000_add_display_name.sql": """
    ALTER TABLE accounts ADD COLUMN display_name TEXT;
    UPDATE accounts SET display_name = email WHERE display_name IS NULL;
    """,
  ]

  private static let dbmate = [
    "20240210080000_create_tasks.sql": """
    -- migrate:up
    CREATE TABLE lists (id INTEGER PRIMARY KEY, name VARCHAR(255) NOT NULL);
    CREATE TABLE tasks (
      id INTEGER PRIMARY KEY,
      list_id INTEGER NOT NULL REFERENCES lists (id),
      title TEXT NOT NULL,
      done BOOLEAN NOT NULL DEFAULT 0
    );
    CREATE INDEX tasks_list_id ON tasks (list_id);

    -- migrate:down
    DROP TABLE tasks;
    DROP TABLE lists;
    """,
    "20240215080000_seed.sql": """
    -- migrate:up
    INSERT INTO lists (id, name) VALUES (1, 'Inbox'), (2, 'Later');

    -- migrate:down
    DELETE FROM lists;
    """,
    "20240301080000_due.sql": """
    -- migrate:up transaction:false
    ALTER TABLE tasks ADD COLUMN due_on DATE;
    CREATE VIEW overdue AS SELECT id, title FROM tasks WHERE due_on < DATE('now') AND NOT done;

    -- migrate:down
    DROP VIEW overdue;
    """,
  ]

  private static let flyway = [
    "V1__create_customers.sql": """
    CREATE TABLE customer (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name VARCHAR(100) NOT NULL,
      country CHAR(2) DEFAULT 'DE'
    );
    """,
    "V1.1__create_orders.sql": """
    CREATE TABLE orders (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      customer_id INTEGER NOT NULL,
      total NUMERIC(10, 2) NOT NULL,
      CONSTRAINT fk_orders_customer FOREIGN KEY (customer_id) REFERENCES customer (id)
    );
    CREATE INDEX ix_orders_customer ON orders (customer_id);
    """,
    "release_2/V2__order_lines.sql": """
    CREATE TABLE order_line (order_id INTEGER NOT NULL REFERENCES orders (id), position INTEGER NOT NULL, article TEXT NOT NULL,
      PRIMARY KEY (order_id, position));
    """,
    "release_2/V2.1__rename_total.sql": """
    CREATE TABLE orders_new (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      customer_id INTEGER NOT NULL,
      amount NUMERIC(10, 2) NOT NULL,
      CONSTRAINT fk_orders_customer FOREIGN KEY (customer_id) REFERENCES customer (id)
    );
    INSERT INTO orders_new (id, customer_id, amount) SELECT id, customer_id, total FROM orders;
    DROP TABLE orders;
    ALTER TABLE orders_new RENAME TO orders;
    CREATE INDEX ix_orders_customer ON orders (customer_id);
    """,
    "U1.1__create_orders.sql": "DROP TABLE orders;\n",
  ]
}
