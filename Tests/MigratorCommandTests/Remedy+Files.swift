import TestEngines

/// Files that are refused before anything runs.
extension Remedy {
  private static let rebuild =
    "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT);\nPRAGMA foreign_keys=OFF;\nINSERT INTO n SELECT * FROM user;\n"
    + "DROP TABLE user;\nALTER TABLE n RENAME TO user;\n"

  private static func refused(
    _ failing: String, _ remedy: String, _ passing: String, rows: [Int] = [2, 2], and more: [Step] = []
  ) -> Remedy {
    Remedy(failing, remedy, passing, rows: rows, exitCode: 2, and: more)
  }

  static let ofFiles: [Remedy] = [
    refused("PRAGMA foreign_keys=ON;\n" + rebuild, "Remove the line that switches them on", rebuild),
    refused(
      "CREATE TABLE a (b);\nCOMMIT;\nCREATE TABLE c (d);\n", "Delete it, split the file",
      "CREATE TABLE a (b);\nCREATE TABLE c (d);\n"),
    refused(
      "CREATE TABLE a (b);\nCOMMIT;\nBEGIN;\nCREATE TABLE c (d);\n", "split the file into several migrations",
      "CREATE TABLE a (b);\n", and: [.write("CREATE TABLE c (d);\n", to: "3_more.sql")]),
    refused(
      "BEGIN;\nCREATE TABLE a (b);\nCOMMIT;\nBEGIN;\nCREATE TABLE c (d);\nCOMMIT;\n",
      "or add the line `-- migrator: no-transaction` to the file",
      "-- migrator: no-transaction\nBEGIN;\nCREATE TABLE a (b);\nCOMMIT;\nBEGIN;\nCREATE TABLE c (d);\nCOMMIT;\n"),
    refused(
      "-- +goose Up\nCREATE TABLE a (b);\n-- Rollback\nDROP TABLE a;\n", "write `-- +goose Down`",
      "-- +goose Up\nCREATE TABLE a (b);\n-- +goose Down\nDROP TABLE a;\n"),
    refused(
      "-- migrate:up\nCREATE TABLE a (b);\n-- rollback\nDROP TABLE a;\n", "write `-- migrate:down`",
      "-- migrate:up\nCREATE TABLE a (b);\n-- migrate:down\nDROP TABLE a;\n"),
    refused(
      "-- +migrate Up\nCREATE TABLE a (b);\n-- Down\nDROP TABLE a;\n", "write `-- +migrate Down`",
      "-- +migrate Up\nCREATE TABLE a (b);\n-- +migrate Down\nDROP TABLE a;\n"),
    refused("BEGIN;\nCREATE TABLE a (b);\n", "Delete BEGIN", "CREATE TABLE a (b);\n"),
    refused(
      "-- migrator: no-transaction\nBEGIN;\nCREATE TABLE a (b);\n", "add a COMMIT instead",
      "-- migrator: no-transaction\nBEGIN;\nCREATE TABLE a (b);\nCOMMIT;\n"),
    refused(
      "CREATE TABLE a (b);\nVACUUM;\n", "Move it into a separate migration, outside any BEGIN and COMMIT",
      "CREATE TABLE a (b);\n", and: [.write("-- migrator: no-transaction\nVACUUM;\n", to: "3_vacuum.sql")]),
    refused(
      "-- migrator: no-transaction\nBEGIN;\nPRAGMA foreign_keys=OFF;\nDELETE FROM user WHERE id = 3;\nCOMMIT;\n",
      "Move it before BEGIN",
      "-- migrator: no-transaction\nPRAGMA foreign_keys=OFF;\nBEGIN;\nDELETE FROM user WHERE id = 3;\nCOMMIT;\n"),
    refused("PRAGMA foreign_keys = maybe;\n" + rebuild, "Write ON or OFF", "PRAGMA foreign_keys = OFF;\n" + rebuild),
    refused(
      "PRAGMA foreign_keys = maybe;\nDELETE FROM user WHERE id = 2;\n",
      "or `-- migrator: foreign-keys immediate|deferred`",
      "-- migrator: foreign-keys immediate\nDELETE FROM user WHERE id = 2;\n", rows: [1, 1]),
    refused(
      "DELIMITER //\nCREATE TRIGGER g AFTER INSERT ON post BEGIN SELECT 1; END//\nDELIMITER ;\n",
      "Delete the line, and end each statement with a semicolon",
      "CREATE TRIGGER g AFTER INSERT ON post BEGIN SELECT 1; END;\n"),
    refused(
      ".mode csv\nINSERT INTO user VALUES (3, 'c');\n", "Write the equivalent SQL, or delete the line",
      "INSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    refused(
      "INSERT INTO user VALUES (3, 'c);\n", "Correct the file; none of it has run",
      "INSERT INTO user VALUES (3, 'c');\n",
      rows: [3, 2]),
    refused(
      "-- a comment\rINSERT INTO user VALUES (3, 'c');\r", "Save the file with LF or CR LF line endings",
      "-- a comment\nINSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    refused(
      "CREATE TABLE a (b);\n-- migrate:up\nCREATE TABLE c (d);\n", "Move it below the up marker",
      "-- migrate:up\nCREATE TABLE a (b);\nCREATE TABLE c (d);\n"),
    refused(
      "-- +goose Up\nCREATE TABLE a (b);\n-- +goose Up\nCREATE TABLE c (d);\n", "each file has one up marker",
      "-- +goose Up\nCREATE TABLE a (b);\nCREATE TABLE c (d);\n"),
    refused(
      "-- migrator: no-transactoin\nVACUUM;\n", "Use one of: ", "-- migrator: no-transaction\nVACUUM;\n"),
    refused(
      "-- migrator: foreign-keys of\nDELETE FROM user WHERE id = 2;\n",
      "Write `-- migrator: foreign-keys immediate|deferred`",
      "-- migrator: foreign-keys immediate\nDELETE FROM user WHERE id = 2;\n", rows: [1, 1]),
    refused(
      "INSERT INTO user VALUES (3, 'c');\n-- Rollback\nDELETE FROM user;\n", "make `-- Up` the first line of the file",
      "-- Up\nINSERT INTO user VALUES (3, 'c');\n-- Down\nDELETE FROM user;\n", rows: [3, 2]),
    refused(
      "INSERT INTO user VALUES (3, 'c');\n-- Undo\nDELETE FROM user WHERE id = 3;\n",
      "or add the line `-- migrator: whole-file`",
      "-- migrator: whole-file\nINSERT INTO user VALUES (3, 'c');\n-- Undo\nDELETE FROM user WHERE id = 3;\n"),
    refused(
      "-- 1 up\nINSERT INTO user VALUES (3, 'c');\n-- 1 down\nDELETE FROM user;\n-- 2 up\nINSERT INTO user VALUES (4, 'd');\n",
      "Write each migration to a file of its own", "INSERT INTO user VALUES (3, 'c');\n", rows: [4, 2],
      and: [.write("INSERT INTO user VALUES (4, 'd');\n", to: "3_more.sql")]),
    refused(
      "# a comment\nINSERT INTO user VALUES (3, 'c');\n", "Write `--` in place of `#`",
      "-- a comment\nINSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    refused(
      "<<<<<<< HEAD\nINSERT INTO user VALUES (3, 'c');\n=======\nINSERT INTO user VALUES (4, 'd');\n>>>>>>> other\n",
      "Decide which lines are right, and delete the others", "INSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    Remedy(
      before: [.write("DELETE FROM post;\n", to: "1_remove_down.sql")], exitCode: 2,
      "Move it out of the folder, or name it after the migration that it undoes",
      after: [.remove("1_remove_down.sql"), .write("DELETE FROM post;\n", to: "1_tables.down.sql")]),
    Remedy(
      before: [
        .write("INSERT INTO user (name) VALUES ('c');\n", to: "2_seed.sql"), .run("migrate"),
        .write("INSERT INTO user (name) VALUES ('c');\n", to: "2_seed - Copy.sql"),
      ], exitCode: 2, "Delete the copy", after: [.remove("2_seed - Copy.sql")], rows: [3, 2]),
    Remedy(
      before: [
        .write("INSERT INTO user (name) VALUES ('c');\n", to: "2_seed.sql"), .run("migrate"),
        .write("INSERT INTO user (name) VALUES ('c');\n", to: "4_seed.sql"),
      ], exitCode: 5, "If the file is a copy, delete it", after: [.remove("4_seed.sql")], rows: [3, 2]),
    Remedy(
      before: [
        .write("INSERT INTO user (name) VALUES ('c');\n", to: "2_seed.sql"),
        .write("-- again\nINSERT INTO user (name) VALUES ('c');\n", to: "3_seed.sql"),
      ], exitCode: 5, "add the line `-- migrator: not-a-copy` to it",
      after: [.write("-- migrator: not-a-copy\nINSERT INTO user (name) VALUES ('c');\n", to: "3_seed.sql")],
      rows: [4, 2]),
    Remedy(
      before: [.write("CREATE TABLE a (b);\n", to: "2_a.up.sql"), .write("CREATE TABLE c (d);\n", to: "2_b.up.sql")],
      exitCode: 2, "Give the file that has not been applied anywhere a higher number",
      after: [.remove("2_b.up.sql"), .write("CREATE TABLE c (d);\n", to: "3_b.up.sql")]),
    Remedy(
      before: [.write("CREATE TABLE a (b);\n", to: "2_a.sql"), .write("CREATE TABLE c (d);\n", to: "2_a.up.sql")],
      exitCode: 2, "Rename the file that has not been applied anywhere",
      after: [.remove("2_a.up.sql"), .write("CREATE TABLE c (d);\n", to: "3_a.up.sql")]),
  ]
}

/// Findings of lint about migrations that fail on a database with rows, or lose some of them.
extension Remedy {
  private static func linted(
    _ failing: String, _ remedy: String, _ passing: String, rows: [Int] = [2, 2], and more: [Step] = [],
    engines: Range<Int> = 0..<1000
  ) -> Remedy {
    Remedy(
      before: [.write(failing, to: "2_change.sql")], command: "lint", exitCode: 1, remedy,
      after: [.write(passing, to: "2_change.sql")] + more + [.run("lint")], rows: rows, engines: engines)
  }

  private static let copying = "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT);\n"
  private static let replacing = "DROP TABLE user;\nALTER TABLE n RENAME TO user;\n"
  private static let filled =
    "ALTER TABLE user ADD COLUMN at TEXT;\nUPDATE user SET at = CURRENT_TIMESTAMP WHERE at IS NULL;\n"

  static let ofLint: [Remedy] = [
    linted(
      "DELETE FROM post;\n", "-- migrator: allow destructive REASON",
      "-- migrator: allow destructive they are old\nDELETE FROM post;\n", rows: [2, 0]),
    linted(
      copying + "INSERT INTO n (id, name) SELECT id, name FROM user LIMIT 1;\n" + replacing,
      "Copy every row and every column before this statement",
      copying + "INSERT INTO n (id, name) SELECT id, name FROM user;\n" + replacing),
    linted(
      copying + "INSERT INTO n (name) SELECT name FROM user ORDER BY name;\n" + replacing, "Copy \"id\", too",
      copying + "INSERT INTO n (id, name) SELECT id, name FROM user;\n" + replacing),
    linted(
      "DELETE FROM user WHERE id > 1;\n",
      "or let the deletion cascade, with this comment in the file: -- migrator: foreign-keys immediate",
      "-- migrator: foreign-keys immediate\n-- migrator: allow lost-rows they go, too\nDELETE FROM user WHERE id > 1;\n",
      rows: [1, 1]),
    linted(
      "-- migrator: foreign-keys immediate\nDELETE FROM user WHERE id > 1;\n",
      "next: If the loss is intended, add a comment before the statement: -- migrator: allow lost-rows REASON",
      "-- migrator: foreign-keys immediate\n-- migrator: allow lost-rows they go, too\nDELETE FROM user WHERE id > 1;\n",
      rows: [1, 1]),
    linted(
      "CREATE UNIQUE INDEX one_name ON user (name);\n", "Merge or delete such rows first",
      "DELETE FROM user WHERE id NOT IN (SELECT min(id) FROM user GROUP BY name);\n"
        + "CREATE UNIQUE INDEX one_name ON user (name);\n"),
    linted(
      "CREATE UNIQUE INDEX one_name ON user (name);\n", "-- migrator: allow unique-over-rows REASON",
      "-- migrator: allow unique-over-rows there are none\nCREATE UNIQUE INDEX one_name ON user (name);\n"),
    linted(
      "CREATE TABLE IF NOT EXISTS user (id INTEGER PRIMARY KEY, name TEXT, age INTEGER);\n",
      "Add the columns with ALTER TABLE ADD COLUMN", "ALTER TABLE user ADD COLUMN age INTEGER;\n"),
    linted(
      "CREATE TABLE n (id INTEGER PRIMARY KEY, user INTEGER REFERENCES user (id) ON DELETE CASCADE);\n"
        + "INSERT INTO n (id, user) SELECT id, user FROM post;\nDROP TABLE post;\nALTER TABLE n RENAME TO post;\n",
      "Recreate it after the rebuild",
      "CREATE TABLE n (id INTEGER PRIMARY KEY, user INTEGER REFERENCES user (id) ON DELETE CASCADE);\n"
        + "INSERT INTO n (id, user) SELECT id, user FROM post;\nDROP TABLE post;\nALTER TABLE n RENAME TO post;\n"
        + "CREATE INDEX post_on_user ON post (user);\n"),
    linted(
      "ALTER TABLE user ADD COLUMN age INTEGER NOT NULL;\n", "Give it a constant default",
      "ALTER TABLE user ADD COLUMN age INTEGER NOT NULL DEFAULT 0;\n", engines: 26..<1000),
    linted(
      "ALTER TABLE user ADD COLUMN at TEXT DEFAULT CURRENT_TIMESTAMP;\n",
      "Add it without the default and fill it with UPDATE", filled, engines: 26..<1000),
    linted(
      "CREATE TABLE tag (id INTEGER PRIMARY KEY, post INTEGER REFERENCES post (id));\n",
      "CREATE INDEX tag_on_post ON tag (post);",
      "CREATE TABLE tag (id INTEGER PRIMARY KEY, post INTEGER REFERENCES post (id));\n"
        + "CREATE INDEX tag_on_post ON tag (post);\n"),
    linted(
      "CREATE TABLE \"line item\" (id INTEGER PRIMARY KEY, \"from\" INTEGER REFERENCES post (id));\n",
      "CREATE INDEX \"line item_on_from\" ON \"line item\" (\"from\");",
      "CREATE TABLE \"line item\" (id INTEGER PRIMARY KEY, \"from\" INTEGER REFERENCES post (id));\n"
        + "CREATE INDEX \"line item_on_from\" ON \"line item\" (\"from\");\n"),
    linted(
      "CREATE TABLE tag (id INTEGER PRIMARY KEY, post INTEGER REFERENCES post (id));\n",
      "`allow RULE REASON`",
      "CREATE TABLE tag (id INTEGER PRIMARY KEY, post INTEGER REFERENCES post (id));\n",
      and: [.write("allow unindexed-foreign-key few rows\n", to: ".migrator-lint")]),
    linted(
      "CREATE VIEW names AS SELECT name FROM user;\nDROP TABLE post;\n", "-- migrator: allow destructive REASON",
      "CREATE VIEW names AS SELECT name FROM user;\n"),
    linted(
      "DROP TABLE migrator_history;\n", "Remove the statement", "SELECT 1;\n"),
    linted("-- later\n", "Write the migration", "INSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
  ]
}
