import Foundation
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

/// The way in which a tool writes the part that undoes a migration.
struct UndoConvention: Sendable, CustomTestStringConvertible {
  let tool: String
  let files: [String: String]
  /// The identifiers of the migrations.
  var identifiers: [String] = []

  var testDescription: String { tool }

  private static let up = "CREATE TABLE a (b);"
  private static let down = "DROP TABLE a;"
  private static let rows = "UPDATE a SET b = 1;"
  private static let otherRows = "UPDATE a SET b = 2;"
  /// Rebuilds of the table `a`: with a new table that takes its name, and with the old one set aside.
  static let rebuild = "CREATE TABLE n (b); INSERT INTO n SELECT b FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a;"
  private static let renaming =
    "ALTER TABLE a RENAME TO o; CREATE TABLE a (b); INSERT INTO a SELECT b FROM o; DROP TABLE o;"

  private static func oneFile(_ tool: String, _ text: String) -> UndoConvention {
    UndoConvention(tool: tool, files: ["1_a.sql": text], identifiers: ["1_a"])
  }

  private static func twoFiles(_ tool: String, _ forward: String, _ backward: String, _ identifier: String)
    -> UndoConvention
  {
    UndoConvention(tool: tool, files: [forward: up, backward: down], identifiers: [identifier])
  }

  /// Headings in other languages above statements that need not undo anything.
  static let inOtherLanguages = [
    "Zur\u{fc}ck", "R\u{fc}ckg\u{e4}ngig", "Annuler", "Deshacer", "Abajo", "Desfazer", "Annulla", "Terugdraaien",
    "\u{41e}\u{442}\u{43a}\u{430}\u{442}", "Cofnij", "Zp\u{11b}t", "Fortryd", "Kumoa", "\u{56de}\u{6eda}", "\u{4e0b}",
    "\u{30ed}\u{30fc}\u{30eb}\u{30d0}\u{30c3}\u{30af}", "\u{b864}\u{bc31}", "R\u{fc}ckg\u{e4}ngig machen",
    "Abw\u{e4}rtsmigration", "Annuler la migration", "Hacia abajo", "Desfazer altera\u{e7}\u{f5}es", "Torna indietro",
    "Ongedaan maken", "\u{41e}\u{442}\u{43a}\u{430}\u{442} \u{43c}\u{438}\u{433}\u{440}\u{430}\u{446}\u{438}\u{438}",
    "Geri al", "\u{56de}\u{6eda}\u{811a}\u{672c}", "\u{30ed}\u{30fc}\u{30eb}\u{30d0}\u{30c3}\u{30af}\u{7528}",
    "\u{ff35}\u{ff2e}\u{ff24}\u{ff2f}", "Ro\u{ad}ll\u{200b}back",
    "\u{ff32}\u{ff4f}\u{ff4c}\u{ff4c}\u{3000}\u{ff42}\u{ff41}\u{ff43}\u{ff4b}",
  ].flatMap { heading in
    [
      oneFile("\(heading) below Up", "-- Up\n\(up)\n\(rows)\n-- \(heading)\n\(otherRows)"),
      oneFile("\(heading) alone", "\(up)\n\(rows)\n-- \(heading):\n\(otherRows)"),
    ]
  }

  /// Pairs of comments that differ only in the direction, above statements of which the second one undoes the first.
  private static let counterparts: [UndoConvention] = [
    ("exports.up = (knex) =>", "exports.down = (knex) =>"), ("def up do", "def down do"),
    ("public function up(): void", "public function down(): void"), ("SQL_UP = u\"", "SQL_DOWN = u\""),
    ("Running upgrade 7 -> 8", "Running downgrade 8 -> 7"), ("await up(queryRunner)", "await down(queryRunner)"),
    ("\u{2B06}\u{FE0F}", "\u{2B07}\u{FE0F}"), ("\u{25B2} 7", "\u{25BC} 7"), ("Migrating up", "Migrating down"),
    ("Write your migrate up statements here", "Write your migrate down statements here."),
    ("rambler up", "ramblr down"), ("do: copy the rows", "undo: copy the rows"),
    ("to install the view", "to uninstall the view"),
  ].flatMap { forward, backward in
    [
      ("UPDATE a SET b = 5 WHERE c = 1;", "UPDATE a SET b = 4 WHERE c = 1;"),
      ("DROP VIEW v;", "CREATE VIEW v AS SELECT 1;"), ("ALTER TABLE a RENAME TO c;", "ALTER TABLE c RENAME TO a;"),
      ("CREATE TABLE c AS SELECT 1; DROP TABLE a;", "CREATE TABLE a AS SELECT * FROM c; DROP TABLE c;"),
      ("ALTER TABLE a DROP COLUMN c;", "ALTER TABLE a ADD COLUMN c;"),
    ].map { oneFile("\(forward): \($0)", "-- \(forward)\n\($0)\n-- \(backward)\n\($1)") }
  }

  /// The conventions that are read; each file makes a table, and its part that undoes it drops the table.
  static let read: [UndoConvention] = [
    oneFile("node-sqlite", "-- Up\n\(up)\n\n-- Down\n\(down)"),
    oneFile(
      "node-sqlite with rulers",
      "-----------------\n-- Up\n-----------------\n\(up)\n-----------------\n-- Down\n-----------------\n\(down)"),
    oneFile("node-sqlite with titles", "-- Up: make the table\n\(up)\n-- Down: remove the table\n\(down)"),
    oneFile("node-pg-migrate", "-- Up Migration\n\(up)\n-- Down Migration\n\(down)"),
    oneFile("node-pg-migrate, longer", "-- Up migration for a\n\(up)\n-- Down migration for a\n\(down)"),
    oneFile("dbmate", "-- migrate:up\n\(up)\n-- migrate:down\n\(down)"),
    oneFile("dbmate, in other letters", "-- migrate:up\n\(up)\n-- Migrate:Down\n\(down)"),
    oneFile("dbmate, with a space", "--migrate:up\n\(up)\n-- migrate: down\n\(down)"),
    oneFile("dbmate, with a space before the colon", "-- migrate :up\n\(up)\n-- migrate :down\n\(down)"),
    oneFile("goose", "-- +goose Up\n\(up)\n-- +goose Down\n\(down)"),
    oneFile("Coast, in mixed case", "-- uP\n\(up)\n-- dOwN\n\(down)"),
    oneFile("node-pg-migrate, in mixed case", "-- Up migraTion\n\(up)\n-- dOWN miGration\n\(down)"),
    oneFile("aerich, in capitals", "-- UPGRADE --\n\(up)\n-- DOWNGRADE --\n\(down)"),
    oneFile("goose, in capitals, with a space", "-- +GOOSE UP\n\(up)\n-- + goose DOWN\n\(down)"),
    oneFile("sql-migrate", "-- +migrate Up\n\(up)\n-- +migrate Down\n\(down)"),
    oneFile("aerich", "-- upgrade --\n\(up)\n-- downgrade --\n\(down)"),
    oneFile("migrations of Go programs", "-- +up\n\(up)\n\n-- +down\n\(down)"),
    oneFile("goose, with a remark", "-- +goose Up\n\(up)\n-- as before the downgrade of May\n-- +goose Down\n\(down)"),
    oneFile("rambler", "-- rambler up\n\(up)\n-- rambler down\n\(down)"),
    oneFile("Drift", "-- drift:up\n\(up)\n-- drift:down\n\(down)"),
    oneFile("Drift, with its older words", "-- drift:migrate\n\(up)\n-- drift:rollback\n\(down)"),
    oneFile("a heading after a semicolon", "-- Up\nCREATE TABLE a (b)\n; /* Down */\nDROP TABLE a;"),
    oneFile("Mojo", "-- 1 up\n\(up)\n-- 1 down\n\(down)"),
    oneFile("Mojo with words", "-- 1 up (makes a)\n\(up)\n-- 1 down (drops a)\n\(down)"),
    oneFile("tern", "\(up)\n\n---- create above / drop below ----\n\n\(down)"),
    oneFile("tern, in other letters", "\(up)\n-- Create above / Drop below\n\(down)"),
    oneFile("MyBatis", "-- // make a\n\(up)\n\n-- //@UNDO\n-- SQL to undo the change goes here.\n\(down)"),
    oneFile("Play", "-- !Ups\n\(up)\n-- !Downs\n\(down)"),
    oneFile("Coast", "-- up\n\(up)\n-- down\n\(down)"),
    oneFile("postgres-migrations with rulers", "-- ====  UP  ====\n\(up)\n-- ==== DOWN ====\n\(down)"),
    oneFile("migration-collection", "--------------UP\n\(up)\n--------------DOWN\n\(down)"),
    oneFile("at signs", "-- @UP\n\(up)\n-- @DOWN\n\(down)"),
    oneFile("number signs", "-- #UP\n\(up)\n-- #DOWN\n\(down)"),
    oneFile("semicolons", "--;; up\n\(up)\n--;; down\n\(down)"),
    oneFile("block comments", "/* up */\n\(up)\n/*****\n * DOWN\n *****/\n\(down)"),
    oneFile("no semicolon before the heading", "-- Up\nCREATE TABLE a (b)\n-- Down\nDROP TABLE a"),
    oneFile("a string in the part below that is not closed", "-- Up\n\(up)\n-- Down\nDROP TABLE 'a"),
    oneFile("Liquibase", "--liquibase formatted sql\n--changeset a:1\n\(up)\n--rollback \(down)"),
    twoFiles("golang-migrate", "1_a.up.sql", "1_a.down.sql", "1_a"),
    twoFiles("yoyo", "1.a.sql", "1.a.rollback.sql", "1.a"),
    twoFiles("postgrator", "001.do.a.sql", "001.undo.a.sql", "001.a"),
    twoFiles("postgrator without a title", "001.do.sql", "001.undo.sql", "001"),
    twoFiles("do-migrate", "1_a.do.sql", "1_a.undo.sql", "1_a"),
    twoFiles("a number and a direction", "1.up.a.sql", "1.down.a.sql", "1.a"),
    twoFiles("reverts", "1_a.sql", "1_a.revert.sql", "1_a"),
    twoFiles("undo files", "1_a.sql", "1_a.undo.sql", "1_a"),
    twoFiles("node-db-migrate", "20240101-a-up.sql", "20240101-a-down.sql", "20240101-a-up"),
    twoFiles("node-db-migrate, one suffix", "1_a.sql", "1_a_down.sql", "1_a"),
    twoFiles("a word after the number", "2_a.sql", "2_undo_a.sql", "2_a"),
    twoFiles("another word after the number", "2_a.sql", "2_rollback_a.sql", "2_a"),
    twoFiles("rollback suffixes", "1_a.sql", "1_a_rollback.sql", "1_a"),
    twoFiles("capital letters", "1_usersUp.sql", "1_usersDown.sql", "1_usersUp"),
    twoFiles("prefixes", "up_1_a.sql", "down_1_a.sql", "up_1_a"),
    twoFiles("Flyway", "V1__a.sql", "U1__a.sql", "V1__a"),
    twoFiles("Flyway, in small letters", "v1__a.sql", "u1__a.sql", "v1__a"),
    twoFiles("a suffix of two words", "1_a.sql", "1_a_roll_back.sql", "1_a"),
    twoFiles("another suffix of two words", "1_a.sql", "1_a_back_out.sql", "1_a"),
    twoFiles("diesel", "1_a/up.sql", "1_a/down.sql", "1_a"),
    twoFiles("Prisma", "1_a/migration.sql", "1_a/down.sql", "1_a"),
    twoFiles("a folder of rollbacks", "1_a.sql", "rollback/1_a.sql", "1_a"),
  ]

  /// Comments that are headings, whatever the statements.
  private static let headings =
    [
      "-- Down", "-- down:", "--down", "-- DOWN --", "-- [down]", "-- <DOWN>", "-- @down", "-- #down",
      "-- Down Migration",
      "-- DOWN Migration (Rollback)", "-- migration down", "-- migrate down", "-- migration:down", "-- undo",
      "-- UNDO section",
      "-- revert", "-- Revert changes", "-- Rollback", "-- ROLLBACK:", "-- Roll back", "-- rollback script",
      "-- reverse",
      "-- Downgrade", "-- downs", "-- drop", "-- DROP below", "/* Down */", "-- ===== Down =====", "-- \u{2193} down",
      "-- 2 down",
      "-- Revert flipr:users from sqlite",
      "-- +gooseDown", "-- atlas:down", "-- tern down", "-- shmig: down", "-- mig down", "-- bytebase down",
      "-- exports.down",
      "-- def down", "-- self.down", "-- downSQL", "-- MigrateDown", "-- onDowngrade", "-- direction: down",
      "-- phase=down",
      "--#region Down", "-- name: down", "-- SQL to run on downgrade", "-- UNDO SCRIPT FOR t",
      "-- Down migration for t",
      "-- SQL to undo this migration", "-- To rollback, run:", "-- 0002_b.down.sql", "-- 0002_b (down)", "-- Reverting",
      "-- back out", "-- inverse", "-- Unmigrate", "-- uninstall",
      "-- dOwN", "-- DoWn", "-- reVert", "-- unDo", "-- uNDO", "-- rOLLBACK", "-- rOLL bACK", "-- migrateROLLback",
      "-- downwards", "-- downward", "-- un-do", "-- un-installing", "-- Rollback plan", "-- Undo the above:",
      "-- Reverts the changes above", "-- Rollback (run manually):", "-- undo if needed", "-- DON'T RUN: rollback",
      "-- Rollback procedure", "-- Rollback strategy", "-- Emergency rollback", "-- Undo everything", "-- Tear down",
    ]

  /// Files that remove all that the files before them have made.
  static let teardowns: [UndoConvention] = {
    let both = "\(up) CREATE TABLE c (d);"
    let names = [
      "drop_all", "teardown", "tear_down", "destroy", "wipe_db", "wipe_all", "reset_all", "reset_database", "reset_db",
      "drop_everything", "drop_database", "delete_all", "nuke", "dropAll", "drop_all_tables", "wipe_all_data",
      "teardown_everything", "undo_all", "z_drop_all", "a_undo", "V1_rollback",
    ]
    let named = names.map { twoFiles("the only table, by the name \($0)", "1_a.sql", "9_\($0).sql", "") }
    let texts: [UndoConvention] = [
      "DROP TABLE a; DROP TABLE IF EXISTS c;", "DELETE FROM a; DELETE FROM c WHERE 1;", "DELETE FROM a; DROP TABLE c;",
      "PRAGMA foreign_keys = OFF; DROP VIEW v; DROP INDEX i; DROP TRIGGER t; DROP TABLE c; DROP TABLE a; ANALYZE;",
      "BEGIN; DROP TABLE a; DROP TABLE c; COMMIT;", "DROP TABLE a; DROP TABLE c; SELECT 'done';",
      "DELETE FROM a; DELETE FROM c; DELETE FROM sqlite_sequence WHERE name = 'a'; UPDATE sqlite_sequence SET seq = 0;",
      "CREATE TEMP TABLE x (y); DROP TABLE a; DROP TABLE c;", "DROP TABLE a; ALTER TABLE c RENAME TO z; DROP TABLE z;",
      "CREATE TABLE e (f); DROP TABLE a; DROP TABLE c; DROP TABLE e;",
    ].map { UndoConvention(tool: $0, files: ["1_a.sql": both, "2_wipe.sql": $0]) }
    let renamed = [
      "1_a.sql": both, "2_x.sql": "ALTER TABLE c RENAME TO e;", "3_nuke.sql": "DROP TABLE a; DROP TABLE e;",
      "4_b.sql": up,
    ]
    return named + texts + [
      UndoConvention(tool: "a renamed table, and a file after it", files: renamed),
      UndoConvention(
        tool: "names that begin like those of tables",
        files: ["1_a.sql": "CREATE TABLE allowance (x);", "2_drop_all.sql": "DROP TABLE allowance;"]),
      UndoConvention(tool: "no numbers", files: ["a.sql": both, "drop_all.sql": "DROP TABLE a; DROP TABLE c;"]),
      // Words that are no heading, above statements that restore or overwrite.
      oneFile("a table that is rebuilt back", "\(rebuild)\n-- Undo it like this\n\(rebuild)"),
      oneFile("a table that is rebuilt back, renamed first", "\(renaming)\n-- Rollback to the old type\n\(renaming)"),
      oneFile("a table that is rebuilt back below a label", "\(rebuild)\n-- Rollback: rebuild it\n\(renaming)"),
      oneFile("a table that is restored", "DROP TABLE c;\n-- Rollback for release 3\nCREATE TABLE c (d);"),
      oneFile(
        "a name that is restored", "ALTER TABLE c RENAME TO e;\n-- for downgrade only\nALTER TABLE e RENAME TO c;"),
      oneFile("a table in a case", "DROP TABLE c;\n-- in case of rollback\nCREATE TABLE c (d);"),
      oneFile(
        "a column that is restored",
        "ALTER TABLE a DROP COLUMN c;\n-- reverts the above line\nALTER TABLE a ADD COLUMN c;"
      ),
      oneFile("a table under a key", "-- dbmigrate:up\nDROP TABLE c;\n-- dbmigrate:down\nCREATE TABLE c (d);"),
      oneFile("rows under a key", "-- mode=up\nINSERT INTO a VALUES (2);\n-- mode=down\nDELETE FROM a WHERE b = 2;"),
      oneFile("overwritten rows under a key", "UPDATE a SET b = 1;\n-- step: rollback\nUPDATE a SET b = 0;"),
      oneFile("a view under a label", "DROP VIEW v;\n-- undo: recreate the view\nCREATE VIEW v AS SELECT 1;"),
      oneFile("rows under a label", "UPDATE a SET b = 1;\n-- Roll back: set it to zero\nUPDATE a SET b = 0;"),
      oneFile(
        "a column's name that is taken back",
        "ALTER TABLE a RENAME b TO c;\n-- to undo that, use\nALTER TABLE a RENAME c TO b;"),
    ]
      + [
        "Rollback: rebuild a", "Down (SQLite has no DROP COLUMN)", "Rollback (SQLite can't drop columns)",
        "To roll back: rebuild a", "Down - the old table", "Revert: see https://sqlite.org",
      ].flatMap { label in
        ["", "-- Up\n"].map { start in
          oneFile(
            "\(start)\(label), above the steps of a rebuild",
            "\(start)ALTER TABLE a ADD COLUMN c;\n-- \(label)\nCREATE TABLE n (b);\nINSERT INTO n SELECT b FROM a;\n"
              + "DROP TABLE a;\nALTER TABLE n RENAME TO a;")
        }
      }
      + [
        "Rollback: never run in production!", "Rollback (do not run)", "Down - no data is lost", "Undo: nothing to add",
        "Roll back - run it with care", "Revert: can be run without a backup",
      ].map { label in
        oneFile("\(label), above rows", "UPDATE a SET b = 1 WHERE c = 1;\n-- \(label)\nUPDATE a SET b = 2 WHERE c = 1;")
      }
  }()

  /// Prose at the head of a migration.
  static let heads: [UndoConvention] = {
    let heads = [
      "Reverts #123", "Revert #123", "This reverts 0012", "Undo #7", "Rollback 0012", "Roll back 17", "Reverts !45",
      "Reverts migration 20240101", "Revert the change", "Undo the changes", "Rolled back: #9", "Reverts PR #12",
    ]
    return ["", "PRAGMA cache_size = 1;\n", "-- Up\n"].flatMap { start in
      heads.map { oneFile(start + $0, "\(start)-- \($0)\nDROP TABLE c;") }
    }
  }()

  /// Files that remove tables, and are meant.
  static let meant: [UndoConvention] = {
    let both = "\(up) CREATE TABLE c (d);"
    let all = "DROP TABLE a; DROP TABLE c;"
    let texts = [
      ("8_drop_a_c.sql", all), ("8_reset_db.sql", "\(all) \(up)"), ("8_cleanup.sql", all), ("8_reset.sql", all),
      ("8_remove_feature.sql", all), ("8_invalidate_caches.sql", "DELETE FROM a; DELETE FROM c;"), ("8_purge.sql", all),
      ("8_finish.sql", all), ("8_gdpr_erasure.sql", "DELETE FROM a; DELETE FROM c;"), ("8_clear_all.sql", all),
      ("8_wipe_for_new_format.sql", "DELETE FROM a; DELETE FROM c;"), ("8_drop_all_legacy.sql", all),
      ("8_drop_all.sql", "DROP TABLE a; DROP TABLE IF EXISTS e;"),
      ("8_drop_all.sql", "DROP TABLE IF EXISTS e; DROP VIEW v;"),
      ("8_wipe.sql", "-- migrator: allow-file destructive old\n\(all)"),
      ("8_wipe.sql", "DELETE FROM a; DELETE FROM c WHERE d;"), ("8_wipe.sql", "DELETE FROM a; DELETE FROM c LIMIT 1;"),
      ("8_reset_all.sql", "DELETE FROM a; DELETE FROM c; INSERT INTO c VALUES (1);"),
      ("8_drop_all.sql", "\(all) CREATE TABLE c (d);"), ("8_wipe.sql", "DELETE FROM a; \(all) CREATE TABLE a (d);"),
      ("8_wipe.sql", "-- migrator: whole-file\n\(all)"),
    ]
    let followed = ["1_a.sql": both, "2_x.sql": all, "3_b.sql": up]
    let replaced = [
      "1_a.sql": both, "2_b.sql": "CREATE TABLE e (f); DELETE FROM e;", "3_drop_all.sql": "DROP TABLE a; DROP TABLE c;",
    ]
    return texts.map { name, text in
      UndoConvention(
        tool: "\(name) \(text)", files: ["1_a.sql": both, name: text], identifiers: ["1_a", String(name.dropLast(4))])
    } + [
      UndoConvention(tool: "a table is made later", files: followed, identifiers: ["1_a", "2_x", "3_b"]),
      UndoConvention(tool: "a table was emptied", files: replaced, identifiers: ["1_a", "2_b", "3_drop_all"]),
      UndoConvention(tool: "the only table", files: ["1_a.sql": up, "2_b.sql": down], identifiers: ["1_a", "2_b"]),
    ]
      + [
        // Without numbers, names that differ in more, or a file that drops something else, are those of migrations.
        ("a", "drop_old_a", up, down), ("a", "b", both, down), ("a", "a_slim", up, "DROP TABLE c;"),
        ("a", "z", up, "\(down) DROP TABLE old;"), ("users", "users_backup", up, "CREATE TABLE c (d);"),
        ("users", "users_copy", up, "CREATE TABLE c (d);"), ("a", "b", down, up + " CREATE TABLE c (d);"),
      ].map { first, second, text, other in
        UndoConvention(
          tool: "\(first): \(text) \(second): \(other)", files: ["\(first).sql": text, "\(second).sql": other],
          identifiers: [first, second])
      }
  }()

  /// Texts and names that are refused before anything runs.
  static let refused: [UndoConvention] =
    counterparts + headings.map { heading in oneFile("\(heading) alone", "\(up)\n\(heading)\n\(down)") }
    + headings.filter { !$0.lowercased().contains("drop") && !$0.contains("\u{2193}") }.map { heading in
      oneFile("\(heading) above rows", "UPDATE a SET b = 1;\n\(heading)\nUPDATE a SET b = 2;")
    }
    + [
      // Under an up heading, the words matter less than what the statements do.
      "Rolling back", "Undoing", "Undo the above", "Revert the above", "Downgrade from 2 to 1",
      "down - drops the table",
      "Down migration starts here", "The following reverts the migration", "To revert this migration:", "TypeORM down",
      "async down(queryRunner)", "\u{2193}", "\u{2B07} back", "for the reversal of this", "Rolled back by:",
      "Take it away again",
      "backing out", "Downgrading to 1", "what it takes to be un-done: undone", "drop everything", "Undid",
    ].map { heading in oneFile("\(heading) under Up", "-- Up\n\(up)\n-- \(heading)\n\(down)") }
    + [
      ("goose up", "goose down"), ("+micrate Up", "+micrate Down"), ("+other up", "+other rollback"), ("do", "undo"),
      ("apply", "revert"), ("Forward migration", "Backward migration"), ("Migrate up", "Roll back"), ("Up", "Undo"),
      ("Up", "Down Migration"), ("Ups", "Down"), ("1 up", "2 down"), ("Install", "Reverse"), ("Up", "Drop"),
      ("Upgrade", "Downgrade"), ("TypeORM up", "TypeORM down"), ("up above", "down below"),
    ].map { pair in oneFile("\(pair.0) and \(pair.1)", "-- \(pair.0)\n\(up)\n-- \(pair.1)\n\(down)") }
    + [
      oneFile(
        "loose headings above other statements",
        "-- Up: traffic\nINSERT INTO a VALUES (1);\n-- Down: traffic\nINSERT INTO a VALUES (2);"),
      oneFile("votes", "-- 1 up vote\nUPDATE a SET b = 1;\n-- 1 down vote\nUPDATE a SET b = 2;"),
      oneFile("a view that is made again", "-- Up\nDROP VIEW v;\n-- To undo that:\nCREATE VIEW v AS SELECT 1;"),
      oneFile(
        "a name that is taken back",
        "-- Up\nALTER TABLE a RENAME TO b;\n-- Undoes the above\nALTER TABLE b RENAME TO a;"),
      oneFile("rows, under a marker", "-- +micrate Up\nUPDATE a SET b = 1;\n-- +micrate Down\nUPDATE a SET b = 2;"),
      oneFile("rows", "INSERT INTO a VALUES (1);\n-- To revert this migration:\nDELETE FROM a WHERE b = 1;"),
      oneFile("a column", "ALTER TABLE a ADD COLUMN c;\n-- Undo the above\nALTER TABLE a DROP COLUMN c;"),
      oneFile("tern, in other words", "\(rows)\n---- create above, drop underneath ----\n\(otherRows)"),
      oneFile("a PRAGMA before the DROP", "\(up)\n-- drop\nPRAGMA foreign_keys = OFF;\n\(down)"),
      oneFile("a used table", "\(up)\nINSERT INTO c SELECT b FROM a;\n-- Undo the above\n\(down)"),
      oneFile("a down part only", "-- Down\n\(down)"),
      oneFile("a script of Sqitch that reverts", "-- Revert flipr:users from sqlite\n\nDROP TABLE a;"),
      oneFile("a title below the heading", "\(up)\n-- Undo\n-- These statements remove the table.\n\(down)"),
      oneFile("another tool's heading under a marker", "-- migrate:up\n\(up)\n-- Down\n\(down)"),
      oneFile("a similar marker", "-- migrate:up\n\(up)\n-- migration:down\n\(down)"),
      oneFile("a misspelled marker", "-- migrate:up\n\(up)\n-- migrate:dwon\n\(down)"),
      oneFile("a misspelled marker of goose", "-- +goose Up\n\(up)\n-- +goose Donw\n\(down)"),
      oneFile("a misspelled heading", "-- Up\n\(up)\n-- Dwon\n\(down)"),
      oneFile("a misspelled heading above rows", "-- Up\nUPDATE a SET b = 1;\n-- Rolback\nUPDATE a SET b = 2;"),
      oneFile("no semicolon before a heading alone", "INSERT INTO a VALUES (1)\n-- Down\nDELETE FROM a"),
      oneFile("rows that are deleted again", "-- Up\nINSERT INTO a VALUES (1);\n-- Back out\nDELETE FROM a;"),
      oneFile("down before up", "-- Down\n\(down)\n-- Up\n\(up)"),
      oneFile(
        "several migrations",
        "-- 1 up\n\(up)\n-- 1 down\n\(down)\n-- 2 up\nCREATE TABLE c (d);\n-- 2 down\nDROP TABLE c;"),
      oneFile("another heading", "\(up)\n-- destroy\n\(down)"),
      oneFile("a heading of two words", "\(up)\n-- Unwind it\n\(down)"),
      oneFile("a heading in another language", "\(up)\n-- Runter\n\(down)"),
      oneFile("a spaced heading", "\(up)\n----\n-- R O L L B A C K\n----\n\(down)"),
      oneFile("a column below another heading", "ALTER TABLE a ADD COLUMN c;\n-- remove\nALTER TABLE a DROP COLUMN c;"),
      oneFile(
        "Liquibase with a bare heading", "--liquibase formatted sql\n--changeset a:1\n\(up)\n--rollback\n\(down)"),
      oneFile(
        "Liquibase with a script", "--liquibase formatted sql\n--changeset a:1\n\(up)\n-- ROLLBACK SCRIPT\n\(down)"),
      oneFile(
        "Liquibase with a title", "--liquibase formatted sql\n--changeset a:1\n\(up)\n-- rollback script:\n\(down)"),
      oneFile("several migrations without parts that undo them", "-- 1 up\n\(up)\n-- 2 up\nCREATE TABLE c (d);"),
      oneFile("Play with the shell's comments", "# --- !Ups\n\(up)\n# --- !Downs\n\(down)"),
      twoFiles("the same number", "1_a.sql", "1_remove_down.sql", ""),
      twoFiles("a number and a direction only", "1_a.sql", "2_down.sql", ""),
      twoFiles("a number and a direction in another language", "1_a.sql", "2_\u{56de}\u{6eda}.sql", ""),
      twoFiles("a direction in wide letters", "1_a.sql", "2_\u{ff24}\u{ff2f}\u{ff37}\u{ff2e}.sql", ""),
      UndoConvention(
        tool: "a misspelled name", files: ["1.a.sql": up, "1.a.rolback.sql": "UPDATE b SET c = 1;"], identifiers: []),
      UndoConvention(
        tool: "a misspelled word at the end", files: ["1_a.sql": up, "1_a_dwon.sql": "UPDATE b SET c = 1;"],
        identifiers: []),
      UndoConvention(
        tool: "a misspelled word in front", files: ["1_a.sql": up, "1_undoo_a.sql": "UPDATE b SET c = 1;"],
        identifiers: []),
      twoFiles("a folder of down files", "1_a_down.sql", "2_b_down.sql", ""),
      twoFiles("create and drop", "1_a.create.sql", "1_a.drop.sql", ""),
      twoFiles("create and drop as suffixes", "1_a_create.sql", "1_a_drop.sql", ""),
      twoFiles("a prefix without its pair", "1_a.sql", "undo_2_b.sql", ""),
      twoFiles("a word after the direction", "1_a.sql", "1_a_rollback_script.sql", ""),
      twoFiles("a version after the direction", "1_a.sql", "1_a_down_v2.sql", ""),
      twoFiles("a database after the direction", "1_a.sql", "1_a.down.sqlite.sql", ""),
      twoFiles("forward and reverse", "1_a.fwd.sql", "1_a.rev.sql", ""),
      twoFiles("from and to", "1-2.sql", "2-1.sql", ""),
      twoFiles("from and to, with parts", "1.0-1.1.sql", "1.1-1.0.sql", ""),
      twoFiles("from and to, of other lengths", "1.2-1.2.1.sql", "1.2.1-1.2.sql", ""),
      twoFiles("from and to of an extension", "app--1.0--1.1.sql", "app--1.1--1.0.sql", ""),
      twoFiles("from and to after a name", "schema-1-2.sql", "schema-2-1.sql", ""),
      twoFiles("from and to after a verb", "upgrade_1_2.sql", "upgrade_2_1.sql", ""),
      twoFiles("from and to before a name", "1-2-a.sql", "2-1-a.sql", ""),
      twoFiles("from and to, in words", "v1_to_v2.sql", "v2_to_v1.sql", ""),
      twoFiles("on and off", "1_a_on.sql", "1_a_off.sql", ""),
      twoFiles("no number", "users.sql", "users-undo-script.sql", ""),
      twoFiles("letter case", "7_a.sql", "7_aDownScript.sql", ""),
      twoFiles("a direction only, without a DROP", "1_a.sql", "2_revert_1.sql", ""),
      twoFiles("install and uninstall", "3.install.a.sql", "3.remove.a.sql", ""),
      twoFiles("other titles", "001_create_users.sql", "001_remove_users_table.sql", ""),
      twoFiles("the one that drops comes first", "001_create_users.sql", "001_a_removal.sql", ""),
      twoFiles("numbers without a title", "1f.sql", "1r.sql", ""),
      // The same number with other zeros.
      twoFiles("a zero", "01_a.sql", "1_zap.sql", ""),
      twoFiles("two zeros, and parts", "001_a.fwd.sql", "1_a.rev.sql", ""),
      twoFiles("zeros in a part", "1.02_a.sql", "1.2_zap.sql", ""),
      twoFiles("a zero at the end", "1.0_a.sql", "1_zap.sql", ""),
      twoFiles("a letter before the number", "v1_a.sql", "01_zap.sql", ""),
      twoFiles("a zero alone", "0_a.sql", "000_zap.sql", ""),
    ]
    + [
      // No file has a number.
      ("a.fwd", "a.rev"), ("create_a", "drop_a"), ("create", "drop"), ("schema", "schema_drop"), ("a_fwd", "a_rev"),
      ("drop_a", "make_a"), ("a", "a_gone"), ("a_in", "a_out"),
    ].map { twoFiles("\($0) and \($1)", "\($0).sql", "\($1).sql", "") }
    + [
      // A comment without letters is one like any other.
      "-- ----------------", "-- ====", "--", "-- ", "/**/", "/* */", "-- \u{2192}", "-- \u{1F519}", "-- ***", "-- ?",
      "-- 2", "----\n----", "/****\n ****/",
    ].map { oneFile("\($0) alone", "\(up)\n\($0)\n\(down)") }
    + ["-- ====", "--"].map {
      oneFile("\($0) above a column", "ALTER TABLE a ADD COLUMN c;\n\($0)\nALTER TABLE a DROP COLUMN c;")
    }
    + [
      oneFile("instructions above a DROP", "\(up)\n-- Rollback steps (manual):\n-- 1. as below\n\(down)"),
      oneFile("instructions, and a DROP later", "\(up)\n-- undo:\n-- (steps)\nCREATE TABLE log (x);\n\(down)"),
      oneFile("a restored table", "DROP TABLE c;\n-- Revert manually if needed\nCREATE TABLE c (d);"),
      oneFile("a table under its old name", "ALTER TABLE c RENAME TO e;\n-- undo:\n-- (all)\nCREATE TABLE c (d);"),
      oneFile("a new table under Up", "-- Up\n\(up)\n-- Undo\n-- the old table\nCREATE TABLE c (d);"),
      oneFile("a heading above a new table", "\(up)\n-- Undo\nCREATE TABLE c (d);"),
    ]
    + [
      // The words say nothing: such names are those of a pair, whatever the statements.
      ("fwd", "rev"), ("f", "r"), ("do", "un"), ("in", "out"), ("apply", "cancel"), ("make", "unmake"),
      ("next", "prev"),
      ("plus", "minus"), ("hin", "her"), ("1up", "1dn"), ("sqlite", "postgres"),
    ].map { UndoConvention(tool: "\($0) and \($1)", files: ["2_b.\($0).sql": rows, "2_b.\($1).sql": otherRows]) }
    + [
      ("2_b.sql", "2_b.back.sql", rows, otherRows), ("2024-01-02_b.x.sql", "2024-01-02_b.y.sql", rows, otherRows),
      ("2_b_f.sql", "2_b_r.sql", "INSERT INTO a VALUES (1);", "DELETE FROM a WHERE b = 1;"),
      ("2_b_next.sql", "2_b_prev.sql", "ALTER TABLE a RENAME TO c;", "ALTER TABLE c RENAME TO a;"),
      ("2_b.sql", "2_c.sql", "ALTER TABLE a RENAME b TO c;", "ALTER TABLE a RENAME c TO b;"),
      ("2_cut.sql", "2_restore.sql", "ALTER TABLE a DROP COLUMN b;", "ALTER TABLE a ADD COLUMN b;"),
      (
        "2_new_index.sql", "2_x.sql", "DROP INDEX i; CREATE INDEX j ON a (b);", "DROP INDEX j; CREATE INDEX i ON a (b);"
      ),
      ("2_a_view.sql", "2_zap.sql", "CREATE VIEW v AS SELECT 1;", "DROP VIEW v;"),
      ("2_b_f.sql", "2_b_r.sql", "DROP VIEW v;", "CREATE VIEW v AS SELECT 1;"),
      ("2_b_fwd.sql", "2_b_rev.sql", rows, otherRows),
      ("2_b_fwd.sql", "2_b_rev.sql", "UPDATE a SET b = 'x' WHERE b = 'y';", "UPDATE a SET b = 'y' WHERE b = 'x';"),
      ("2_on_b.sql", "2_off_b.sql", "UPDATE a SET b = 1 WHERE c = 1;", "UPDATE a SET b = 0 WHERE c = 1;"),
      ("2_b.sql", "2_b_reversal.sql", "DELETE FROM a WHERE b = 1;", "INSERT INTO a VALUES (1);"),
      ("2_b.sql", "2_b_back.sql", "UPDATE a SET b = 1 WHERE c = 1;", "UPDATE a SET b = 0 WHERE c = 1;"),
      ("2_b.sql", "2_b_back.sql", "UPDATE a SET b = 1 WHERE b IS NULL;", "UPDATE a SET b = NULL WHERE b = 1;"),
      ("2_b_f.sql", "2_b_r.sql", "UPDATE a SET b = 1 WHERE b = 2 AND c;", "UPDATE a SET b = 2 WHERE b = 1 AND c;"),
      ("2_b_f.sql", "2_b_r.sql", rows, "UPDATE a SET b = (SELECT b FROM o WHERE o.c = a.c);"),
      ("2_cut_it.sql", "2_restore.sql", "DROP TABLE c;", "CREATE TABLE c (d);"),
      ("2_c.sql", "2_x.sql", "CREATE TABLE n (b); DROP TABLE IF EXISTS c; ALTER TABLE n RENAME TO d;", "DROP TABLE d;"),
    ].map { UndoConvention(tool: "\($0) and \($1)", files: [$0: $2, $1: $3]) }
    + [
      "U1_a", "U1", "U1-a", "U__a", "U 1__a", "Undo1__a", "undo_V1__a", "revert-V1__a", "u1", "UV1__a", "U1 a",
    ].map { twoFiles("Flyway with \($0)", "V1__a.sql", "\($0).sql", "") }

  /// Texts and names of ordinary migrations.
  static let ordinary: [UndoConvention] =
    [
      "\(up)\n-- a run of down payments\nDELETE FROM old;", "\(up)\n-- drop name\nALTER TABLE a DROP COLUMN name;",
      "\(up)\n-- reverse direction\nUPDATE a SET b = -b;", "\(up)\n-- undo the mistake of 7_a\nDROP TABLE old;",
      "\(up)\n-- drop the old table\nDROP TABLE old;", "\(up)\n-- Drop indexes\nDROP INDEX i;",
      "-- create\nCREATE TABLE n (b);\n-- copy\nINSERT INTO n SELECT b FROM o;\n-- drop\nDROP TABLE o;\n-- rename\nALTER TABLE n RENAME TO o;",
      "CREATE TABLE votes (\n  -- up\n  up INTEGER,\n  -- down\n  down INTEGER\n);",
      "CREATE TABLE votes (\n  up INTEGER,\n  -- rollback\n  rollback INTEGER\n);",
      "CREATE TRIGGER t AFTER DELETE ON a BEGIN\n  -- undo\n  INSERT INTO log VALUES (1);\n  -- rollback\n  DELETE FROM log;\nEND;",
      "SELECT '\n-- Down\n';\n\(up)", "\(up) -- down\n\(up)",
      "-- Sign up\n\(up)\n-- look up the down payment\nUPDATE a SET b = 1;",
      "-- Rollback:\n-- DROP TABLE a;\n\n\(up)",
      "\(up)\n-- Rollback:\n-- DROP TABLE a;\n\nCREATE TABLE c (d);\n-- Rollback:\n-- DROP TABLE c;",
      "-- Rollback\n-- Restore a backup that was made before.\n\n\(up)",
      "-- Rollback:\n-- CREATE TABLE old (a);\n\nDROP TABLE old;",
      "\(up)\n-- Down\n", "\(up)\n-- Rollback\n-- DROP TABLE a;\n",
      "\(up)\n-- ROLLBACK: restore a backup\nCREATE TABLE c (d);",
      "\(up)\n-- down the road we need an index\nCREATE INDEX i ON a (b);", "-- Undo their own mistake.\n\(up)",
      "-- migrate: the old rows\n\(up)\n-- migrate:users to people\nUPDATE a SET b = 1;",
      "-- Up to now, this was a view\n\(up)",
      "SAVEPOINT s;\n-- rollback\nROLLBACK TO s;\nRELEASE s;", "-- revert 0005: the column is back\n\(up)",
      "-- Done\n\(up)\n-- Town\n\(up)", "UPDATE a SET b = 1;\n-- \u{4e0b}\u{8f7d}\u{8bb0}\u{5f55}\nUPDATE a SET b = 2;",
      "UPDATE a SET b = 1;\n-- \u{30c0}\u{30a6}\u{30f3}\u{30ed}\u{30fc}\u{30c9}\nUPDATE a SET b = 2;",
      "UPDATE a SET b = 1;\n-- Zur\u{fc}ckgegebene Artikel\nUPDATE a SET b = 2;",
      "-- Setup\nCREATE TEMP TABLE s AS SELECT 1;\nUPDATE a SET b = 1;\n-- Teardown\nDROP TABLE s;",
      "CREATE TEMPORARY VIEW s AS SELECT 1;\nUPDATE a SET b = 1;\n-- Undo\nDROP VIEW s;",
      "CREATE TABLE s (b);\n-- copy\nINSERT INTO a SELECT b FROM s;\n-- remove\nDROP TABLE s;",
      "CREATE INDEX i ON a (b);\n-- another one is better\nDROP INDEX i;\nCREATE INDEX j ON a (b);",
      "\(up)\n-- migrator: allow undoes-itself it is only a test\nDROP TABLE a;",
      "-- 1. Upgrade\n\(up)\n-- 2. Upgrade\n\(up)",
      "-- Schema upgrade\nCREATE TABLE n (b);\nINSERT INTO n SELECT b FROM a;\n-- Drop\nDROP TABLE a;\n-- Rename\nALTER TABLE n RENAME TO a;",
      "-- Database upgrade, version 2\nCREATE TABLE n (b);\nINSERT INTO n SELECT b FROM a;\n-- 3. drop\nDROP TABLE a;\nALTER TABLE n RENAME TO a;",
      "/* Apply schema changes */\nALTER TABLE a RENAME TO o;\n\(up)\nINSERT INTO a SELECT b FROM o;\n-- drop statements\nDROP TABLE o;",
      "-- Up\nCREATE TABLE s (b);\nINSERT INTO a SELECT b FROM s;\n-- the rows are copied\nDROP TABLE s;",
      "CREATE TABLE s (b);\nINSERT INTO a SELECT b FROM s;\n-- tear down the table for the copy\nDROP TABLE s;",
      "-- Up\n\(up)\n-- this cannot be undone\nDROP TABLE cache;",
      "-- Up\n\(up)\n-- no way to roll back\nDELETE FROM old;",
      "SAVEPOINT s;\n\(up)\n-- ROLLBACK;\nRELEASE s;", "\(up)\n-- Rollback\nPRAGMA optimize;",
      "-- forward lookup\nCREATE INDEX i ON a (b);\n-- reverse lookup\nCREATE INDEX j ON a (c);",
      "-- thumbs up\nINSERT INTO a VALUES (1);\n-- thumbs down\nINSERT INTO a VALUES (2);",
      "CREATE TABLE n (i);\nINSERT INTO n SELECT i FROM z;\n-- we create the copy above, now drop the old table\nDROP TABLE z;",
      "CREATE TABLE n (i);\n-- drop below\nDROP TABLE z;",
      "CREATE INDEX i ON a (b);\n-- drop the index we create above\nDROP INDEX j;",
      "-- install extension table\nCREATE TABLE ext (i);\n-- uninstall extension table\nDROP TABLE IF EXISTS ext_old;",
      "-- scroll up\nALTER TABLE a ADD COLUMN up;\n-- scroll down\nALTER TABLE a ADD COLUMN down;",
      "-- \u{2191} more\nCREATE TABLE c (d);\n-- \u{2193} less\nCREATE TABLE e (f);",
      "CREATE VIEW v AS\n-- Rollback\nSELECT 1;", "INSERT INTO a\n-- undo\nSELECT 1;",
      "\(up)\n-- tear down of 7_a\nALTER TABLE a RENAME TO c;\nALTER TABLE c RENAME TO a;",
      "INSERT INTO a VALUES (1);\n-- rollbacks\nCREATE TABLE rollbacks (x);", "-- Reverts\nCREATE TABLE reverts (x);",
      "DROP TABLE IF EXISTS lookup;\n-- reverse lookup\nCREATE TABLE lookup (x);",
      "DROP VIEW v;\n-- Rollback: n/a\nCREATE VIEW v AS SELECT 2;",
      "UPDATE a SET b = 1;\n-- rollback: see the page\nUPDATE a SET b = 2 WHERE c = 1;",
      "ALTER TABLE a RENAME TO c;\n-- letter case only\nALTER TABLE c RENAME TO A;",
      "-- Up\n\(up)\n-- drop the old cache\nDROP TABLE cache;", "-- drop the old cache\nDROP TABLE cache;\n\(up)",
      "DROP VIEW v;\n-- undo the filter of 5_v\nCREATE VIEW v AS SELECT 1;",
      "\(UndoConvention.rebuild)\n-- The second step reverses the order\n\(UndoConvention.rebuild)",
      "\(UndoConvention.rebuild)\n-- Undo the cleaning of 5_c\nUPDATE a SET b = lower(b);",
      "DROP TABLE c;\n-- recreated with the reversed key order\nCREATE TABLE c (d);",
      "-- Up\nDROP TABLE c;\n-- recreated with the reversed key order\nCREATE TABLE c (d);",
      "DROP TABLE c;\n-- down to three columns\nCREATE TABLE c (d);",
      "DROP TABLE c;\n-- restore it with fewer columns, so going down in size\nCREATE TABLE c (d);",
      "ALTER TABLE a DROP COLUMN c;\n-- as before the rollback of May\nALTER TABLE a ADD COLUMN c;",
      "ALTER TABLE a RENAME b TO t;\nUPDATE a SET t = trim(t);\n-- undo the temporary rename\nALTER TABLE a RENAME t TO b;",
      "ALTER TABLE a RENAME TO o;\nINSERT INTO c SELECT b FROM o;\n-- revert the name\nALTER TABLE o RENAME TO a;",
      "\(up)\n-- undo\nCREATE TABLE undo_steps (x);", "\(up)\n-- Undo steps\nCREATE TABLE undo_step (x);",
      "\(up)\n-- rollback version\nALTER TABLE a ADD COLUMN rollback_version;",
      "\(up)\n-- Downs\nCREATE TABLE football_downs (x);",
      "\(up)\n-- Reversed\nCREATE VIEW a_reversed AS SELECT b FROM a;",
      "\(up)\n-- Revert statements\nCREATE INDEX \"revert statement\" ON a (b);",
      "UPDATE a SET b = 1;\n-- Rollback: restore from backup\nUPDATE a SET b = trim(b);",
      "UPDATE a SET s = 'normal' WHERE s = 'n';\n-- Reversed: payments sent back\nUPDATE a SET s = 'reversed' WHERE s = 'r';",
      "UPDATE a SET s = 1 WHERE s IS NULL;\n-- reverse: all others\nUPDATE a SET s = 2 WHERE s IS NULL;",
      "UPDATE a SET b = 1;\n-- Revert: not for bots\nUPDATE a SET b = 2 WHERE c = 1;",
      "UPDATE a SET b = 1;\n-- Rollback: none\nUPDATE a SET b = 2;",
      "UPDATE a SET b = 1;\n-- Rollback is not needed\nUPDATE a SET b = 2;",
      "UPDATE a SET b = 1;\n-- Rollback: n/a\nUPDATE a SET b = 2;",
      "CREATE TABLE s (b);\nINSERT INTO a SELECT b FROM s;\n-- no rollback needed\nDROP TABLE s;",
      "CREATE TABLE s (b);\nINSERT INTO a SELECT b FROM s;\n-- no need to roll back\nDROP TABLE s;",
      "-- UP: the table a\n-- DOWN:\n--   drop table a;\n\(up)",
      "\(up)\n-- Rollback steps (manual):\n-- 1. DROP TABLE a\n\nCREATE TABLE c (d);",
      "\(up)\n-- Revert manually if needed\nCREATE TABLE c (d);", "\(up)\n-- undo:\n-- (nothing)\nCREATE TABLE c (d);",
      "\(up)\n-- Rollback\n-- drop the two tables\nCREATE TABLE c (d);\nCREATE INDEX i ON c (d);",
      "\(up)\n-- To undo, by hand:\n-- DROP TABLE a\nCREATE TABLE c (d);\n-- To undo, by hand:\n-- DROP TABLE c\nCREATE TABLE e (f);",
      "\(up)\n-- ----------\nCREATE TABLE c (d);\n-- ----------\nDROP TABLE old;", "DROP TABLE old;\n--\n\(up)",
      "CREATE TABLE n (b);\n-- ====\nINSERT INTO n SELECT b FROM a;\n--\nDROP TABLE a;\n--\nALTER TABLE n RENAME TO a;",
      "CREATE TABLE s (b);\n--\nINSERT INTO a SELECT b FROM s;\n--\nDROP TABLE s;",
      "-- Up\nDROP INDEX IF EXISTS i;\nCREATE INDEX i ON a (b);\n-- the old one\nDROP INDEX IF EXISTS i;\nCREATE INDEX i ON a (b);",
      "-- Up\nCREATE TABLE n (b);\n-- down to the essentials: no rows with NULL\nINSERT INTO n SELECT b FROM a WHERE b;\nDROP TABLE a;\nALTER TABLE n RENAME TO a;",
    ].enumerated().map { oneFile("text \($0.offset + 1)", $0.element) }
    + [
      "8_slow_down.sql", "8_add_drill_down.sql", "8_rollback_log.sql", "undo_log.sql", "8_markdown.sql", "8_drop.sql",
      "8_sign_up.sql", "8_reverse.sql", "8_downgrade.sql", "8_revert_1.sql", "8_inverse.sql", "8_uninstall.sql",
      "8_backout.sql", "8_teardown.sql", "8_dOwN.sql", "1_a_town.sql", "1_a_own.sql", "1_dawn_a.sql", "8_rolback.sql",
      "drop_users.sql", "8_revert_email.sql", "8_countdown.sql", "8_pull_up.sql", "V8__tear_down.sql",
      "drop_2023_rows.sql",
      "8.a.b.sql", "8_do.sql", "8_todo.sql", "teardown_log.sql", "8_a_rollback_log.sql", "a_down_payments.sql",
      "2-1.sql",
      "8_conflicts.sql", "8_reversal.sql", "8 2.sql", "8_copy_a.sql", "8_a_orig.sql", "8_backup_1.sql", "1_copy_a.sql",
      "8_backup.sql", "1_a_2.sql", "1_a-2.sql", "8_a_copy.sql", "1_ab_copy.sql",
    ].map { name in
      let first = "128V".contains(name.prefix(1)) ? "1_a" : "a"
      return UndoConvention(
        tool: name, files: ["\(first).sql": up, name: "CREATE TABLE c (d);"],
        identifiers: [first, String(name.dropLast(4))])
    }
}

@Suite("Migrations run forward only")
struct ForwardOnlyTests {
  @Test("The part that undoes a migration is not read, whatever tool wrote it", arguments: UndoConvention.read)
  func conventions(convention: UndoConvention) throws {
    let folder = try FolderFixture(convention.files).read()
    #expect(folder.files.map(\.identifier) == convention.identifiers)
    #expect(folder.files.flatMap(\.statements).map { String($0.text.prefix(14)) } == ["CREATE TABLE a"])
    #expect(folder.warnings.isEmpty)
  }

  @Test(
    "A heading or a name that may mean such a part is refused",
    arguments: UndoConvention.refused + UndoConvention.teardowns + UndoConvention.inOtherLanguages)
  func refused(convention: UndoConvention) throws {
    let fixture = try FolderFixture(convention.files)
    let problems = fixture.problems()
    #expect(!problems.isEmpty)
    for problem in problems {
      switch problem.kind {
      case .undoHeading, .undoName, .invalidMarker, .severalMigrations, .shellComment, .statementBeforeUp, .pair,
        .noPlace,
        .unreadRule, .duplicateVersion, .teardown:
        break
      default: Issue.record("\(problem)")
      }
    }
  }

  @Test(
    "An ordinary file with such words runs as a whole",
    arguments: UndoConvention.ordinary + UndoConvention.heads + UndoConvention.meant)
  func ordinary(convention: UndoConvention) throws {
    let folder = try FolderFixture(convention.files).read()
    #expect(folder.files.map(\.identifier) == convention.identifiers)
    #expect(
      folder.files.allSatisfy { file in
        file.text == convention.files[String(file.path.split(separator: "/").last ?? "")]
      })
    #expect(folder.files.allSatisfy { $0.notices.isEmpty }, "\(folder.notices)")
  }

  @Test(
    "Different migrations that share a number are no pair",
    arguments: [
      ("12_add_a", "12_add_b", "ALTER TABLE a ADD COLUMN c;", "ALTER TABLE a ADD COLUMN d;"),
      ("12_seed_a", "12_seed_b", "INSERT INTO a VALUES (1);", "DELETE FROM c; INSERT INTO c VALUES (1);"),
      ("12_view", "12_table", "DROP VIEW v; CREATE VIEW v AS SELECT 1;", "ALTER TABLE a ADD COLUMN d;"),
      ("12_a", "12_b", "CREATE TABLE n (b); DROP TABLE a; ALTER TABLE n RENAME TO a;", "DROP TABLE IF EXISTS n;"),
      ("12_a", "12_b", "CREATE TABLE n (b); DROP TABLE n;", "CREATE TABLE n (c); DROP TABLE n;"),
      ("12_b.part1", "12_b.part2", "UPDATE a SET b = 1;", "UPDATE a SET b = 2;"),
      ("12_b_1", "12_b_2", "UPDATE a SET b = 1;", "UPDATE a SET b = 2;"),
      ("12.a", "12.b", "UPDATE a SET b = 1;", "UPDATE a SET c = 2;"),
      ("12.add.a", "12.add.b", "UPDATE a SET b = 1;", "UPDATE c SET b = 2;"),
      ("12_fix_a", "12_fix_b", "UPDATE a SET b = 1 WHERE c = 1;", "UPDATE a SET b = 2 WHERE c = 2;"),
      ("12_trim_b", "12_upper_b", "UPDATE a SET b = trim(b);", "UPDATE a SET b = upper(b);"),
      ("12_fix_b", "12_strip_b", "UPDATE a SET b = 1;", "UPDATE a SET b = trim(a.b);"),
      (
        "12_s_open", "12_s_closed", "UPDATE a SET s = 'open' WHERE s = 'o';", "UPDATE a SET s = 'closed' WHERE s = 'c';"
      ),
      ("12_s_x", "12_s_y", "UPDATE a SET s = 'x' WHERE s IS NULL;", "UPDATE a SET s = 'y' WHERE s = 'Y';"),
      ("12_s_x", "12_s_y", "UPDATE a SET s = 1;", "UPDATE a SET s = 2 WHERE c = 1;"),
      ("12_s_x", "12_s_y", "UPDATE a SET s = 1 WHERE s = 2 AND c;", "UPDATE a SET s = 2 WHERE s = 1 AND d;"),
      ("12_s", "12_s_y", "UPDATE a SET s = 1, c = 2;", "UPDATE a SET s = 2;"),
      ("12_fill_a", "12_round_b", "UPDATE a SET b = 1;", "UPDATE a SET b = 2;"),
      ("12_drop_old_view", "12_new_view", "DROP VIEW v;", "CREATE VIEW v AS SELECT 1;"),
      (
        "12_a_view", "12_a_b_view", "DROP VIEW v; CREATE VIEW v AS SELECT 1;", "DROP VIEW v; CREATE VIEW v AS SELECT 2;"
      ),
      ("12_a_slow", "12_index", "DROP INDEX i;", "CREATE INDEX i ON a (b) WHERE b;"),
      ("12.schema", "12.data", "CREATE TABLE c (d);", "INSERT INTO a VALUES (1);"),
      (
        "12_move_rows", "12_clean_rows", "INSERT INTO a SELECT 1;", "DELETE FROM a WHERE b IS NULL; UPDATE a SET b = 2;"
      ),
      ("2024_01_02_000001_a.x", "2024_01_03_000001_a.y", "UPDATE a SET b = 1;", "UPDATE a SET b = 2;"),
    ])
  func sharedNumbers(first: String, second: String, text: String, other: String) throws {
    #expect(try FolderFixture(["\(first).sql": text, "\(second).sql": other]).read().files.count == 2)
  }

  @Test("Of two files of which one undoes the other, neither is accused if the names do not say which one")
  func accused() throws {
    let files = ["2_b.fwd.sql": "ALTER TABLE a DROP COLUMN b;", "2_b.rev.sql": "ALTER TABLE a ADD COLUMN b;"]
    let fixture = try FolderFixture(files)
    #expect(fixture.findings() == [.init("2_b.rev.sql", .pair(fixture.path + "/2_b.fwd.sql"))])
    let text = try #require(fixture.problems().first).description
    #expect(text.contains("/2_b.rev.sql: this file and ") && text.contains("/2_b.fwd.sql look like"))
    // The ways out that the message names.
    for name in ["2_b.fwd.down.sql", "3_c.sql"] {
      let mended = ["2_b.fwd.sql": files["2_b.fwd.sql"] ?? "", name: files["2_b.rev.sql"] ?? ""]
      #expect(try FolderFixture(mended).problems().isEmpty)
    }
    let whole = files.merging(["2_b.fwd.sql": "-- migrator: whole-file\nSELECT 1;"]) { $1 }
    #expect(try FolderFixture(whole).problems().isEmpty)
  }

  @Test(
    "Comments above thousands of statements are read in a time that grows with the file",
    arguments: [
      ("-- Up\nCREATE TABLE a (b);\n", "-- no longer wanted: #\nDELETE FROM a WHERE b = #;\n"),
      ("CREATE TABLE c (d);\n", "-- rollback of the wrong row #\nDELETE FROM a WHERE b = #;\n"),
      ("-- Up\nINSERT INTO a VALUES (1);\n", "-- this one: #\nDELETE FROM a WHERE b = #;\n"),
      ("", "INSERT INTO a VALUES (#);\n-- Rollback:\n-- DELETE FROM a WHERE b = #;\n"),
      ("UPDATE a SET b = 1;\n", "-- Rollback: see the page\nUPDATE a SET b# = 1;\n"),
      ("-- Up\n", "CREATE TABLE c# (b);\nINSERT INTO a SELECT b FROM c#;\n-- the copy\nDROP TABLE c#;\n"),
      ("", "-- Undo the changes\nPRAGMA cache_size = 1;\n"),
      ("CREATE TEMP TABLE c (b);\n", "-- Undo\nDROP TABLE c;\n"),
      ("", "CREATE TABLE c# (b);\n|INSERT INTO a SELECT b FROM c#;\n|-- going down with #\nDROP TABLE c#;\n"),
    ])
  func thousands(start: String, repeated: String) throws {
    func processorTime(_ count: Int) throws -> Duration {
      let text =
        start
        + repeated.split(separator: "|").flatMap { part in
          (1...count).map { part.replacing("#", with: "\($0)") }
        }.joined()
      let begin = TrialWatch.processorTime(ofThread: true)
      #expect(try FolderFixture.file(text).statements.count >= count)
      return TrialWatch.processorTime(ofThread: true) - begin
    }
    // Eight times as much if it is proportional, and 64 times as much if it is quadratic.
    let count = TestTier.pick(100, full: 250, soak: 1000)
    #expect(try processorTime(8 * count) < processorTime(count) * 24)
  }

  @Test(
    "A file whose name only seems to undo another one is not left out in silence",
    arguments: [
      ["20240101_payments", "20240101_down_payments"], ["1_log", "1_undo_log"], ["2_lookup", "2_reverse_lookup"],
      ["1_jobs", "1_jobs_rollbacks", "1_jobs_rollback"], ["1_a", "2.down.payments"], ["1_a", "2_slow.down"],
      ["1_a", "undo"],
      ["1_Count", "1_CountDown"],
    ])
  func misnamed(names: [String]) throws {
    let last = try #require(names.last)
    let texts = names.enumerated().map { ("\($1).sql", "CREATE TABLE t\($0) (x);") }
    let files = Dictionary(uniqueKeysWithValues: texts)
    let problems = try FolderFixture(files).problems()
    #expect(problems.contains { $0.path.hasSuffix("\(last).sql") }, "\(problems)")
    // Each of these undoes something, or makes nothing.
    for text in [
      "DROP TABLE t0;", "DELETE FROM t0;", "DROP TABLE t0; CREATE TABLE s (y);", "ALTER TABLE t0 ADD COLUMN z;",
    ] {
      let fixture = try FolderFixture(files.merging(["\(last).sql": text]) { $1 })
      #expect(!fixture.problems().contains { $0.path.hasSuffix("\(last).sql") }, "\(text) \(fixture.problems())")
    }
    let dropping = try FolderFixture([
      "\(names[0]).sql": "DROP TABLE t0;", "\(last).sql": "CREATE TABLE t0 (x); CREATE INDEX i ON t0 (x);",
    ])
    #expect(dropping.problems().isEmpty, "\(dropping.problems())")
  }

  @Test("The ways out of the message work for a file that takes everything down, also for one that is applied")
  func teardownRemedy() throws {
    let files = ["1_a.sql": "CREATE TABLE a (b);", "2_wipe.sql": "DELETE FROM a;"]
    let problem = try #require(FolderFixture(files).problems().first)
    #expect(problem.description.contains("the file drops or empties every table that the files before it create"))
    #expect(problem.description.contains("if it is applied somewhere, add the line `-- migrator: whole-file`"))
    let whole = files.merging(["2_wipe.sql": "-- migrator: whole-file\nDELETE FROM a;"]) { $1 }
    #expect(try FolderFixture(whole).problems().isEmpty)
    // The ledger's digest does not cover comments.
    #expect(try FolderFixture(whole).read().files.last?.checksum == FolderFixture.file("DELETE FROM a;").checksum)
    #expect(
      try FolderFixture(["1_a.sql": "CREATE TABLE a (b);", "2_empty_a.sql": "DELETE FROM a;"]).problems().isEmpty)
  }

  @Test(
    "A file takes everything down only if it drops the tables themselves",
    arguments: [
      ("DROP TABLE main.\"C c\";", true), ("CREATE TEMP TABLE \"c C\" (x); DROP TABLE [c c];", false),
      ("-- migrator: no-transaction\nBEGIN; DROP TABLE \"c c\"; ROLLBACK;", false),
    ])
  func teardown(statements: String, isRefused: Bool) throws {
    let first = "CREATE TABLE a (b); CREATE TABLE temp.d (e); ALTER TABLE \"A\" RENAME TO [c C];"
    let problems = try FolderFixture(["1_a.sql": first, "2_drop_all.sql": statements]).problems()
    #expect(problems.map(\.kind) == (isRefused ? [.teardown] : []))
  }

  @Test(
    "A letter after the digits is part of a number only if another file has the same digits",
    arguments: ["3d_models", "10k_rows", "5g", "2fa", "1a_a", "4x4", "9b"])
  func letters(name: String) throws {
    let files = ["\(name).sql": "CREATE TABLE a (b);", "users.sql": "CREATE TABLE c (d);"]
    #expect(try FolderFixture(files).problems().isEmpty)
    let digits = name.prefix(while: \.isNumber)
    let other = try FolderFixture(files.merging(["\(digits)z_b.sql": "CREATE TABLE e (f);"]) { $1 })
    #expect(other.problems().map(\.kind) == [.noPlace])
  }

  @Test(
    "A directive says that the whole file is the migration",
    arguments: ["CREATE TABLE a (b);\n-- Down\nDROP TABLE c;", "-- Up\nCREATE TABLE a (b);\n-- Down\nDROP TABLE c;"])
  func wholeFile(text: String) throws {
    let file = try FolderFixture.file("-- migrator: whole-file\n" + text)
    #expect(file.statements.count == 2)
    let named = try FolderFixture(["1_a.sql": "SELECT 1;", "1_b_down.sql": "-- migrator: whole-file\nSELECT 2;"])
    #expect(try named.read().files.count == 2)
    #expect(try FolderFixture(["1_a.sql": "SELECT 1;", "1_b_down.sql": text]).problems().count >= 1)
  }

  @Test("The first way out of the message works: an up heading makes the part below one that is not run")
  func remedy() throws {
    let text = "CREATE TABLE a (b);\n-- Rollback (by hand)\n-- Revert\nDROP TABLE a;"
    let problem = try #require(FolderFixture(["1_a.sql": text]).problems().first)
    #expect(problem.description.contains("make `-- Up` the first line of the file, and write `-- Down` here"))
    #expect(problem.position == SQLTextPosition(line: 2, column: 1))
    let mended = try FolderFixture.file("-- Up\n" + text.replacing("-- Rollback (by hand)", with: "-- Down"))
    #expect(mended.statements.count == 1)
    #expect(mended.layout == .headed)
    #expect(mended.notices.count == 1)
  }

  @Test("A folder of files that undo migrations is refused, and is no reason for a warning beside others")
  func folders() throws {
    let fixture = try FolderFixture(["down/1_a.sql": "DROP TABLE a;", "up/1_a.sql": "CREATE TABLE a (b);"])
    #expect(throws: MigrationFolderError.self) { try MigrationFolder.read(fixture.path + "/down") }
    #expect(fixture.problems().map(\.kind) == [.migrationsBelow([fixture.path + "/up"])])
    #expect(try MigrationFolder.read(fixture.path + "/up").files.count == 1)
    // The name of an app of Django, which keeps versions of rows.
    let app = try FolderFixture(["reversion/1_a.sql": "CREATE TABLE a (b);"])
    #expect(try MigrationFolder.read(app.path + "/reversion").files.count == 1)
  }

  @Test(
    "A file that is named like a copy of another one is refused, whatever it contains",
    arguments: [
      "2_a 2", "2_a - Copy", "2_a - Copy (2)", "Copy of 2_a", "Copy (2) of 2_a", "2_a (1)", "2_a(1)", "2_a copy",
      "2_a copy 3",
      "2_a (Ann's conflicted copy 2024-01-01)", "2_a (conflicted copy)", "2_a.sync-conflict-20240101-120000-ABCDEF",
      "2_a.orig", "2_a_LOCAL_1234", "2_a_BASE_7", "2_a.REMOTE.12", "2_a (SFConflict ann@x.org 2024)", "2_a - Kopie",
      "Kopie von 2_a",
      "2_a (another copy)", "2_a-DESKTOP-A1B2C3", "2_a.bak", "2_a~", "2_a [Conflict]", "2_a - Copy - Copy",
      "2_a-conflict-20240101", "2_a.mine",
      "2_aのコピー", "2_aのコピー 2", "2_a - コピー", "2_a (コピー)", "コピー ～ 2_a", "2_a - 副本", "2_a的副本", "2_a 副本 2",
      "2_a (复件)",
      "复件 2_a", "2_a - 複製", "2_a — копия", "2_a - копия", "2_a — копия (2)", "Копия 2_a", "2_a 사본", "2_a - 복사본",
      "2_a - Bản sao", "2_a - Kopya", "2_a - Cópia", "2_a - másolat", "2_a-Kopie", "2_a_copy", "2_a_copy2",
      "2_a_copy_2",
      "2_a-copy-1", "2_a_bak", "2_a_bak2", "2_a_backup", "2_a backup", "2_a_orig", "2_a_old", "2_a_LOCAL", "2_a_REMOTE",
    ])
  func copyNames(name: String) throws {
    let files = ["2_a.sql": "INSERT INTO a VALUES (1);", "\(name).sql": "INSERT INTO a VALUES (1), (2);"]
    let problem = try #require(FolderFixture(files).problems().first)
    guard case .copyName(let original) = problem.kind else { throw problem }
    #expect(original.hasSuffix("/2_a.sql"))
    #expect(try FolderFixture(files.mapValues { "-- migrator: not-a-copy\n" + $0 }).problems().isEmpty)
    // Some of these names have no number.
    let other = try FolderFixture(["1_b.sql": "SELECT 1;", "\(name).sql": "SELECT 2;"]).problems()
    #expect(other.allSatisfy { $0.kind == .noPlace })
  }

  @Test(
    "Files beside each other with equal statements are twins, unless one says that it is meant",
    arguments: [
      "INSERT INTO a VALUES (1)", "INSERT INTO a VALUES (1);;", "-- again\nINSERT  INTO a VALUES (/* one */ 1);\n;",
    ])
  func twins(text: String) throws {
    let seed = "INSERT INTO a VALUES (1);"
    let folder = try FolderFixture(["1_a.sql": seed, "2_b.sql": "", "3_c.sql": text]).read()
    #expect(folder.twins == ["1_a": ["3_c"], "3_c": ["1_a"]])
    #expect(folder.repetitions.map(\.identifier) == ["3_c"])
    let meant = try FolderFixture(["1_a.sql": seed, "3_c.sql": "-- migrator: not-a-copy\n" + text]).read()
    #expect(meant.repetitions.isEmpty)
  }

  @Test(
    "What is repeated after other migrations is meant, unless it adds the same rows under the same title",
    arguments: [
      ("DROP INDEX i;", "CREATE INDEX i ON a (b);", 0),
      ("UPDATE a SET b = 1 WHERE b IS NULL;", "SELECT 1; UPDATE a SET b = NULL", 0),
      ("INSERT INTO f (f) VALUES ('rebuild');", "INSERT INTO f VALUES (1);", 0),
      ("DELETE FROM a;", "INSERT INTO a VALUES (1);", 0),
      ("INSERT INTO a VALUES (1);", "UPDATE a SET b = 2;", 1),
    ])
  func repeated(text: String, between: String, count: Int) throws {
    let folder = try FolderFixture(["1_x.sql": text, "2_y.sql": between, "3_x.sql": text]).read()
    #expect(folder.repetitions.count == count)
    #expect(try FolderFixture(["1.sql": text, "2.sql": between, "3.sql": text]).read().repetitions.isEmpty)
  }

  @Test(
    "Empty files, and files that can run any number of times, have no twins",
    arguments: ["", "-- later", "ANALYZE;", "PRAGMA optimize"])
  func noTwins(text: String) throws {
    #expect(try FolderFixture(["1_a.sql": text, "2_a.sql": text]).read().twins.isEmpty)
  }

  @Test(
    "The body of a function of PostgreSQL is refused as what it is, and not as a COMMIT",
    arguments: [
      "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN NEW.a = 1; RETURN NEW; END; $$ LANGUAGE plpgsql;",
      "DO $$\nBEGIN\n  PERFORM 1;\nEND $$;",
      "CREATE FUNCTION f() RETURNS int AS $body$ BEGIN RETURN 1; END; $body$ LANGUAGE plpgsql;",
    ])
  func dollarQuote(text: String) throws {
    #expect(try FolderFixture(["1_a.sql": text]).findings() == [.init("1_a.sql:1:1", .dollarQuote)])
    #expect(try FolderFixture.file("SELECT '$$', \"$$\", $1 -- $$").statements.count == 1)
  }

  @Test(
    "A conflict that a merge has left is refused, except inside a string",
    arguments: [
      "<<<<<<< HEAD\nSELECT 1;\n=======\nSELECT 2;\n>>>>>>> other\n",
      "CREATE TABLE a (\n<<<<<<< HEAD\n  b\n=======\n  c\n>>>>>>> other\n);",
    ])
  func mergeConflict(text: String) throws {
    #expect(try FolderFixture(["1_a.sql": text]).problems().contains { $0.kind == .mergeConflict })
    #expect(try FolderFixture.file("SELECT '\n<<<<<<< HEAD\n'").statements.count == 1)
    #expect(try FolderFixture.file("SELECT 1 << 2, 3 >> 1").statements.count == 1)
  }
}
