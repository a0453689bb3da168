import TestEngines
import Testing

/// A migration that fails or is refused on a database with rows in every table, the remedy that the tool prints, and
/// the steps that follow it.
struct Remedy: Sendable, CustomTestStringConvertible {
  /// A step before the failure, or one that follows the remedy.
  enum Step: Sendable {
    case write(String, to: String)
    case remove(String)
    case sql(String)
    case run(String)
  }

  /// The tables before the migration, each with rows.
  static let tables = """
    CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE post (id INTEGER PRIMARY KEY, user INTEGER REFERENCES user (id) ON DELETE CASCADE);
    CREATE INDEX post_on_user ON post (user);
    INSERT INTO user VALUES (1, 'a'), (2, 'b');
    INSERT INTO post VALUES (10, 1), (20, 2);

    """

  /// The steps that prepare the failure.
  let before: [Step]
  /// The command that fails.
  let command: String
  /// The exit code of the failing command.
  let exitCode: Int32
  /// A part of the remedy.
  let remedy: String
  /// The steps that follow it.
  let after: [Step]
  /// The command that then passes.
  let passing: String
  /// The numbers of rows of `user` and `post` afterwards.
  let rows: [Int]
  /// The engines on which the command fails, by the minor number of their SQLite.
  let engines: Range<Int>

  var testDescription: String { "\(before.last ?? .sql("")): \(remedy.prefix(70))" }

  /// Creates a trial of a file that fails and one that passes.
  init(
    _ failing: String, _ remedy: String, _ passing: String, rows: [Int] = [2, 2], exitCode: Int32 = 4,
    engines: Range<Int> = 0..<1000, and more: [Step] = []
  ) {
    self.init(
      before: [.write(failing, to: "2_change.sql")], exitCode: exitCode, remedy,
      after: [.write(passing, to: "2_change.sql")] + more, rows: rows, engines: engines)
  }

  init(
    before: [Step], command: String = "migrate", exitCode: Int32 = 4, _ remedy: String, after: [Step],
    passing: String = "migrate", rows: [Int] = [2, 2], engines: Range<Int> = 0..<1000
  ) {
    (self.before, self.command, self.exitCode, self.remedy) = (before, command, exitCode, remedy)
    (self.after, self.passing, self.rows, self.engines) = (after, passing, rows, engines)
  }
}

/// Failures of statements, and of rows that violate foreign keys.
extension Remedy {
  private static let renaming =
    "ALTER TABLE user RENAME TO o;\nCREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);\n"
    + "INSERT INTO user SELECT * FROM o;\nDROP TABLE o;\n"
  private static let rebuild =
    "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO n SELECT * FROM user;\nDROP TABLE user;\n"
    + "ALTER TABLE n RENAME TO user;\n"
  private static let rowsOfThree = "INSERT INTO post VALUES (30, 3);\n"

  static let ofForeignKeys: [Remedy] = [
    Remedy(
      "-- migrator: foreign-keys immediate\nINSERT INTO post VALUES (30, 9);\n", "add the rows that its rows refer to",
      "INSERT INTO user VALUES (9, 'c');\nINSERT INTO post VALUES (30, 9);\n", rows: [3, 3]),
    Remedy(
      "-- migrator: foreign-keys immediate\nINSERT INTO post VALUES (30, 9);\n",
      "the keys are then checked at its end",
      "INSERT INTO user VALUES (9, 'c');\nINSERT INTO post VALUES (30, 9);\n", rows: [3, 3]),
    // Before SQLite 3.26, renaming a table took its foreign keys along only while they were enforced.
    Remedy(renaming, "Create the new table under another name", rebuild, engines: 26..<1000),
    Remedy(
      renaming, "write PRAGMA legacy_alter_table = ON before ALTER TABLE",
      "PRAGMA legacy_alter_table = ON;\n" + renaming, engines: 26..<1000),
    Remedy(
      "CREATE TABLE x (a);\nALTER TABLE user RENAME TO people;\nDROP TABLE people;\nCREATE TABLE user (id INTEGER PRIMARY KEY);\n",
      "Keep the rows: the table that they refer to is gone", rebuild, engines: 26..<1000),
    Remedy(
      "DROP TABLE user;\n", "first recreate the tables that refer to it without the foreign key",
      "CREATE TABLE n (id INTEGER PRIMARY KEY, user INTEGER);\nINSERT INTO n SELECT * FROM post;\nDROP TABLE post;\n"
        + "ALTER TABLE n RENAME TO post;\nDROP TABLE user;\nCREATE TABLE user (id);\n", rows: [0, 2]),
    Remedy(
      rowsOfThree, "Add the missing rows", "INSERT INTO user VALUES (3, 'c');\n" + rowsOfThree, rows: [3, 3]),
    Remedy(
      "DELETE FROM user WHERE id = 2;\n", "or remove the rows that refer to them",
      "DELETE FROM post WHERE user = 2;\nDELETE FROM user WHERE id = 2;\n", rows: [1, 1]),
    Remedy(
      "DELETE FROM user WHERE id = 2;\n", "write `-- migrator: foreign-keys immediate` in the file",
      "-- migrator: foreign-keys immediate\nDELETE FROM user WHERE id = 2;\n", rows: [1, 1]),
    Remedy(
      rowsOfThree, "write `-- migrator: violations-until IDENTIFIER REASON` in the file",
      "-- migrator: violations-until 3_late the author comes later\n" + rowsOfThree, rows: [3, 3],
      and: [.write("INSERT INTO user VALUES (3, 'c');\n", to: "3_late.sql")]),
    Remedy(
      before: [
        .write("-- migrator: violations-until 3_late the author comes later\n" + rowsOfThree, to: "2_change.sql"),
        .write("INSERT INTO user VALUES (3, 'c');\n", to: "3_late.sql"),
      ], command: "migrate --to 2_change", "3_late, which repairs them, must be applied in the same run", after: [],
      rows: [3, 3]),
  ]

  static let ofStatements: [Remedy] = [
    // The transaction of the file itself has undone everything: there is nothing to look for.
    Remedy(
      "-- migrator: no-transaction\nBEGIN;\nCREATE TABLE x (a);\nINSERT INTO usr VALUES (3, 'c');\nCOMMIT;\n",
      "next: Correct the file, and run `migrator migrate --database ",
      "-- migrator: no-transaction\nBEGIN;\nCREATE TABLE x (a);\nINSERT INTO user VALUES (3, 'c');\nCOMMIT;\n",
      rows: [3, 2]),
    Remedy(
      "-- migrator: no-transaction\nCREATE TABLE IF NOT EXISTS x (a);\nBEGIN;\nCREATE TABLE y (a);\nINSERT INTO usr VALUES (3);\nEND;\n",
      "rolled back: the transaction that the file begins in line 3; the changes before it are kept",
      "-- migrator: no-transaction\nCREATE TABLE IF NOT EXISTS x (a);\nBEGIN;\nCREATE TABLE y (a);\nEND;\n"),
    Remedy(
      "CREATE TABLE x (c REFERENCES user (name));\nINSERT INTO x VALUES ('a');\n",
      "create a unique index on exactly these columns",
      "CREATE UNIQUE INDEX user_on_name ON user (name);\nCREATE TABLE x (c REFERENCES user (name));\nCREATE INDEX x_on_c ON x (c);\n"
        + "INSERT INTO x VALUES ('a');\n"),
    Remedy(
      "INSERT INTO usr VALUES (3, 'c');\n", "Correct the file, and run `migrator migrate --database ",
      "INSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    Remedy(
      "INSERT INTO user VALUES (2, 'c');\n", "Correct the rows that violate the constraint: change this statement",
      "INSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    Remedy(
      "CREATE TABLE log (m NOT NULL);\nCREATE TRIGGER g AFTER INSERT ON user BEGIN INSERT INTO log VALUES (NULL); END;\n"
        + "INSERT INTO user VALUES (3, 'c');\n", "a trigger of its table writes them, and may have to be dropped first",
      "CREATE TABLE log (m NOT NULL);\nINSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    Remedy(
      "INSERT OR ROLLBACK INTO user VALUES (2, 'c');\n",
      "Correct the rows that violate the constraint: change this statement",
      "INSERT OR ROLLBACK INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    Remedy(
      "UPDATE post SET user = 1;\nCREATE UNIQUE INDEX one_post ON post (user);\n",
      "or add one before it", "CREATE UNIQUE INDEX one_post ON post (user);\n"),
    Remedy(
      "INSERT INTO user VALUES (3, ?);\n", "Write the value itself: statements in a file get no values for ? and :name",
      "INSERT INTO user VALUES (3, 'c');\n", rows: [3, 2]),
    Remedy(
      "ALTER TABLE user DROP COLUMN name;\n",
      "or create a new table, copy the rows, drop the old table and rename the new one, in this order",
      "CREATE TABLE n (id INTEGER PRIMARY KEY);\nINSERT INTO n SELECT id FROM user;\nDROP TABLE user;\n"
        + "ALTER TABLE n RENAME TO user;\n", engines: 0..<35),
    Remedy(
      "ALTER TABLE user RENAME COLUMN name TO title;\n",
      "or create a new table, copy the rows, drop the old table and rename the new one, in this order",
      "CREATE TABLE n (id INTEGER PRIMARY KEY, title TEXT);\nINSERT INTO n SELECT * FROM user;\nDROP TABLE user;\n"
        + "ALTER TABLE n RENAME TO user;\n", engines: 0..<25),
    Remedy(
      "PRAGMA max_page_count = 1;\nCREATE TABLE big AS SELECT zeroblob(100000);\n",
      "Free up space on the disks that hold the database and temporary files", "CREATE TABLE big AS SELECT 1;\n"),
    Remedy(
      before: [
        .write(
          "-- migrator: no-transaction\nINSERT INTO user VALUES (3, 'c');\nINSERT INTO usr VALUES (4);\n", to: "2_a.sql"
        )
      ], "Find out which statements of the migration have run. Undo their changes",
      after: [
        .sql("DELETE FROM user WHERE id = 3"),
        .write("-- migrator: no-transaction\nINSERT INTO user VALUES (3, 'c');\n", to: "2_a.sql"),
      ], rows: [3, 2]),
    Remedy(
      before: [
        .write(
          "-- migrator: no-transaction\nINSERT INTO user VALUES (3, 'c');\nINSERT INTO usr VALUES (4);\n", to: "2_a.sql"
        )
      ], "or remove those statements from the file",
      after: [.write("-- migrator: no-transaction\nINSERT INTO user VALUES (4, 'd');\n", to: "2_a.sql")], rows: [4, 2]),
  ]
}

/// Failures and refusals that concern the history.
extension Remedy {
  private static let more = "CREATE TABLE more (a);\n"
  private static let merged = "-- migrator: merges 2_a 3_b\nCREATE TABLE a (x);\nCREATE TABLE b (x);\n"

  private static let extra: [Step] = [
    .write("CREATE TABLE extra (a, b);\nCREATE INDEX extra_a ON extra (a);\n", to: "2_extra.sql"), .run("migrate"),
  ]

  /// A change by hand, and a migration that fails for it.
  private static func drift(_ change: String, _ lost: String, _ migration: String, undo: String) -> Remedy {
    Remedy(
      before: extra + [.sql(change), .write(migration + "\n", to: "3_next.sql")],
      "An applied migration has made \"\(lost)\", but the database has it no longer", after: [.sql(undo)])
  }

  static let ofDrifts: [Remedy] =
    [
      ("a", "CREATE INDEX i ON extra (a);"), ("a", "UPDATE extra SET b = 1 WHERE extra.a = 2;"),
      ("a", "INSERT INTO extra (a) VALUES (1);"),
      (
        "a",
        "CREATE TABLE n (a, b);\nINSERT INTO n SELECT a, b FROM extra;\nDROP TABLE extra;\nALTER TABLE n RENAME TO extra;\n"
          + "CREATE INDEX extra_a ON extra (a);"
      ),
    ].map { lost, migration in
      drift(
        "DROP TABLE extra; CREATE TABLE extra (c, b)", lost, migration,
        undo: "DROP TABLE extra; CREATE TABLE extra (a, b); CREATE INDEX extra_a ON extra (a)")
    }
    + [
      "CREATE INDEX i ON extra (b);", "INSERT INTO extra VALUES (1, 2);", "DELETE FROM extra WHERE a = 1;",
      "CREATE TRIGGER t AFTER INSERT ON extra BEGIN SELECT 1; END;",
    ].map { migration in
      drift(
        "DROP TABLE extra", "extra", migration,
        undo: "CREATE TABLE extra (a, b); CREATE INDEX extra_a ON extra (a)")
    }
    + [
      drift(
        "DROP INDEX extra_a", "extra_a", "DELETE FROM extra INDEXED BY extra_a WHERE a = 1;",
        undo: "CREATE INDEX extra_a ON extra (a)")
    ]

  static let ofHistories: [Remedy] = [
    Remedy(
      before: [
        .sql(
          "CREATE TRIGGER forget AFTER INSERT ON migrator_history BEGIN DELETE FROM migrator_history "
            + "WHERE identifier = new.identifier; END"), .write(more, to: "2_more.sql"),
      ], "Drop the trigger, or remove the statement", after: [.sql("DROP TRIGGER forget")]),
    Remedy(
      before: [
        .write("CREATE TABLE a (x);\n", to: "2_a.sql"), .run("migrate"), .remove("2_a.sql"),
        .write(merged, to: "4_c.sql"),
      ], "Apply 3_b from the original files",
      after: [
        .remove("4_c.sql"), .write("CREATE TABLE a (x);\n", to: "2_a.sql"),
        .write("CREATE TABLE b (x);\n", to: "3_b.sql"),
        .run("migrate"), .remove("2_a.sql"), .remove("3_b.sql"), .write(merged, to: "4_c.sql"),
      ]),
    Remedy(
      before: [.sql("DELETE FROM migrator_history")],
      "record the migrations without running them: use `migrator baseline --database ",
      after: [.run("baseline")]),
    Remedy(
      before: [
        .sql(
          "DELETE FROM migrator_history; CREATE TABLE my_migrations (version); INSERT INTO my_migrations VALUES (1)"
        )
      ], "or `migrator adopt --database ",
      after: [.run("adopt --table my_migrations --column version")]),
    Remedy(
      before: [
        .sql(
          "DELETE FROM migrator_history; CREATE TABLE schema_migrations (version); INSERT INTO schema_migrations VALUES (1)"
        )
      ], exitCode: 5, "Import that history with `migrator adopt --database ", after: [.run("adopt")]),
    Remedy(
      before: [
        .sql(
          "DELETE FROM migrator_history; CREATE TABLE schema_migrations (version); INSERT INTO schema_migrations VALUES (1)"
        )
      ], exitCode: 5, "or record the migrations without running them with `migrator baseline --database ",
      after: [.run("baseline")]),
    Remedy(
      before: [.write("UPDATE migrator_history SET position = 1;\n", to: "2_more.sql")], exitCode: 5,
      "Remove the statement", after: [.write(more, to: "2_more.sql")]),
    Remedy(
      before: [.write("UPDATE migrator_history SET position = position;\n", to: "2_more.sql")], exitCode: 5,
      "-- migrator: allow ledger-change REASON",
      after: [
        .write(
          "-- migrator: allow ledger-change a test\nUPDATE migrator_history SET position = position;\n",
          to: "2_more.sql")
      ]),
    Remedy(
      before: [.write(tables + more, to: "1_tables.sql")], command: "migrate --strict", exitCode: 5,
      "Undo the edit and write a new migration for the change",
      after: [.write(tables, to: "1_tables.sql"), .write(more, to: "2_more.sql")], passing: "migrate --strict"),
    Remedy(
      before: [.write(tables + "INSERT INTO user VALUES (3, 'c');\n", to: "1_tables.sql")], command: "migrate --strict",
      exitCode: 5,
      "or omit --strict", after: []),
    Remedy(
      before: [.write(more, to: "2_more.sql"), .write("-- migrator: no-transaction\nVACUUM;\n", to: "3_vacuum.sql")],
      command: "migrate --one-transaction", exitCode: 5,
      "or use --to to stop at the migration before 3_vacuum",
      after: [.run("migrate --one-transaction --to 2_more"), .run("migrate --to 3_vacuum")],
      passing: "migrate --one-transaction"),
    Remedy(
      before: [.write(more, to: "2_more.sql"), .write("-- migrator: no-transaction\nVACUUM;\n", to: "3_vacuum.sql")],
      command: "migrate --one-transaction", exitCode: 5, "Omit --one-transaction", after: []),
    Remedy(
      before: [.write(more, to: "2_more.sql"), .run("migrate")], command: "migrate --to 1_tables", exitCode: 2,
      "Name a later migration with --to, or omit --to", after: [], passing: "migrate --to 2_more"),
    Remedy(
      before: [.write(more, to: "2_more.sql")], command: "migrate --to 2_mor", exitCode: 2, "Did you mean 2_more?",
      after: [], passing: "migrate --to 2_more"),
    Remedy(
      before: [.write(more, to: "3_more.sql"), .run("migrate"), .write("CREATE TABLE late (a);\n", to: "2_late.sql")],
      exitCode: 5, "If their order does not matter, add --allow-out-of-order", after: [],
      passing: "migrate --allow-out-of-order"),
    Remedy(
      before: [.write(more, to: "3_more.sql"), .run("migrate"), .write("CREATE TABLE late (a);\n", to: "2_late.sql")],
      exitCode: 5, "otherwise ", after: [.remove("2_late.sql"), .write("CREATE TABLE late (a);\n", to: "4_late.sql")]),
    Remedy(
      before: [.write(more, to: "2_more.sql"), .run("migrate"), .remove("2_more.sql"), .write(more, to: "3_more.sql")],
      exitCode: 5, "If the file was renamed, restore its old name",
      after: [.remove("3_more.sql"), .write(more, to: "2_more.sql")]),
    Remedy(
      before: [.write("DELETE FROM post;\n", to: "2_empty.sql")], command: "migrate --confirm-loss", exitCode: 5,
      "To accept the loss, add --yes", after: [], passing: "migrate --confirm-loss --yes", rows: [2, 0]),
    Remedy(
      before: [.write("DELETE FROM post;\n", to: "2_empty.sql")], command: "migrate --confirm-loss", exitCode: 5,
      "otherwise change the migrations", after: [.write(more, to: "2_empty.sql")],
      passing: "migrate --confirm-loss"),
  ]
}
