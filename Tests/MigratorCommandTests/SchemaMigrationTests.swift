import Foundation
import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("new --to: from a schema to a migration")
struct SchemaMigrationTests {
  private static let books = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (id), title TEXT);
    CREATE INDEX book_on_author ON book (author_id);
    INSERT INTO author VALUES (1, 'Ursula'); INSERT INTO book VALUES (1, 1, 'Always'), (2, 1, NULL);
    """

  private func trial(_ engine: TestEngine) throws -> ToolTrial {
    let trial = try ToolTrial(engine, ["0001_books.sql": Self.books])
    #expect(trial.run("migrate").exitCode == 0)
    return trial
  }

  /// Edits the wanted schema, and returns the path of the script.
  private func wanted(_ trial: ToolTrial, _ change: (String) -> String) throws -> String {
    let path = trial.migrations + "/../schema.sql"
    if !FileManager.default.fileExists(atPath: path) {
      #expect(trial.run("dump --from migrations --output \(path)", usesDatabase: false).exitCode == 0)
    }
    let text = change(try String(contentsOfFile: path, encoding: .utf8))
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("three edits of a schema file are three migrations, which keep the rows", arguments: TestEngine.allCases)
  func edits(engine: TestEngine) throws {
    let trial = try trial(engine)
    let edits: [(name: String, arguments: String, from: String, to: String)] = [
      ("add_year", "", "title TEXT)", "title TEXT, year INTEGER)"),
      ("rename_title", " --rename book.title=book.name", "title TEXT", "name TEXT"),
      ("type", "", "year INTEGER", "year TEXT COLLATE NOCASE"),
    ]
    for (index, edit) in edits.enumerated() {
      let schema = try wanted(trial) { $0.replacing(edit.from, with: edit.to) }
      let new = trial.run("new \(edit.name) --to \(schema)\(edit.arguments)", usesDatabase: false)
      #expect(new.exitCode == 0, "\(new)")
      #expect(new.output.hasSuffix("/000\(index + 2)_\(edit.name).sql\n"), "\(new)")
      #expect(trial.run("migrate").exitCode == 0)
      if index == 0 {
        try trial.use { try $0.write { db in try db.execute(sql: "UPDATE book SET year = 1985 WHERE id = 1") } }
      }
      #expect(trial.run("diff \(schema) --check").exitCode == 0)
    }
    let schema = try wanted(trial) {
      $0.replacing("name TEXT)", with: "name TEXT NOT NULL)").replacing("name TEXT,", with: "name TEXT NOT NULL,")
    }
    let strict = trial.run("new strict --to \(schema)", usesDatabase: false)
    #expect(strict.exitCode == 0 && strict.text.contains("warning: check before you use it:"), "\(strict)")
    #expect(try String(contentsOfFile: trial.migrations + "/0005_strict.sql", encoding: .utf8).contains("-- CHECK: "))
    let rows = try trial.use {
      try $0.read { db in try Row.fetchAll(db, sql: "SELECT name, year FROM book ORDER BY id") }
    }
    #expect(try rows.map { try $0["name"] as String? } == ["Always", nil])
    #expect(try rows.map { try $0["year"] as String? } == ["1985", nil])
    let file = try String(contentsOfFile: trial.migrations + "/0002_add_year.sql", encoding: .utf8)
    #expect(file.contains("ALTER TABLE \"book\" ADD COLUMN year INTEGER;"), "\(file)")
  }

  private static let peopleAndBooks = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name <> ''));
    CREATE TABLE book (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author (id), title TEXT, year TEXT);
    CREATE TABLE note (text TEXT, book INTEGER REFERENCES book (id));
    CREATE INDEX author_by_name ON author (name);
    CREATE VIEW titles AS SELECT author.name, book.title FROM author JOIN book ON book.author_id = author.id;
    CREATE TRIGGER no_name BEFORE DELETE ON author BEGIN UPDATE book SET title = OLD.name WHERE author_id = OLD.id; END;
    INSERT INTO author VALUES (1, 'Ursula'); INSERT INTO book VALUES (7, 1, 'Always', '1985');
    INSERT INTO note VALUES ('good', 7);
    """

  /// Renames in the tables above, as a schema, with the statements that must be in the file, or must not.
  private static let nativeRenames: [(edits: [(String, String)], renames: [String], native: [String], not: [String])] =
    [
      (
        [
          ("author (id", "writer (id"), ("ON author", "ON writer"), ("author.", "writer."),
          ("FROM author", "FROM writer"),
        ],
        ["author=writer"], [#"ALTER TABLE "author" RENAME TO "writer""#], ["CREATE TABLE"]
      ),
      (
        [
          ("name TEXT NOT NULL CHECK (name <> '')", "Full TEXT NOT NULL CHECK (Full <> '')"), ("(name)", "(Full)"),
          ("author.name", "author.Full AS name"), ("OLD.name", "OLD.Full"),
        ], ["author.name=full"], [#"ALTER TABLE "author" RENAME COLUMN "name" TO Full"#], ["CREATE TABLE"]
      ),
      // The type of `year` changes, so `book` is recreated in any case; `note` is not.
      (
        [
          ("title TEXT, year TEXT", "name TEXT, year INTEGER"), ("book.title", "book.name AS title"),
          ("SET title", "SET name"),
          ("note (text", "note (body"),
        ],
        ["book.title=name", "note.text=body"], [#"ALTER TABLE "note" RENAME COLUMN "text" TO body"#],
        [#"RENAME COLUMN "title""#, "new_note"]
      ),
      // Two columns exchange their names.
      (
        [("text TEXT, book INTEGER REFERENCES", "book TEXT, text INTEGER REFERENCES")],
        ["note.text=book", "note.book=text"], [#"CREATE TABLE "new_note""#], ["RENAME COLUMN"]
      ),
    ]

  @Test(
    "what is only renamed is renamed in place, if the engine can", arguments: nativeRenames.indices, TestEngine.allCases
  )
  func nativeRename(index: Int, engine: TestEngine) throws {
    let (edits, renames, native, not) = Self.nativeRenames[index]
    let trial = try ToolTrial(engine, ["0001_books.sql": Self.peopleAndBooks])
    #expect(trial.run("migrate").exitCode == 0)
    let schema = try wanted(trial) { text in edits.reduce(text) { $0.replacing($1.0, with: $1.1) } }
    let options = renames.map { " --rename \($0)" }.joined()
    let new = trial.run("new names --to \(schema)\(options)", usesDatabase: false)
    #expect(new.exitCode == 0 && !new.text.contains("loses"), "\(new)")
    let file = try String(contentsOfFile: trial.migrations + "/0002_names.sql", encoding: .utf8)
    // SQLCipher 3 has SQLite 3.15, which cannot rename columns.
    if try engine.engineDescription().abilities.contains(.renameColumn)
      || !native.contains(where: { $0.contains("RENAME COLUMN") })
    {
      #expect(native.allSatisfy(file.contains) && !not.contains(where: file.contains), "\(file)")
    } else {
      #expect(!file.contains("RENAME COLUMN"), "\(file)")
    }
    let suggestion = trial.run("diff \(schema) --suggest\(options)")
    #expect(suggestion.text.contains("RENAME COLUMN") == file.contains("RENAME COLUMN"), "\(suggestion)")
    #expect(trial.run("migrate").exitCode == 0)
    #expect(trial.run("diff \(schema) --check").exitCode == 0)
    let rows = try trial.use {
      try $0.read { db in
        let tables = try db.schema().tables.map(\.name).filter { !$0.contains("migrator") }.sorted()
        return try tables.flatMap { table in
          try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map { "\(Array($0.databaseValues))" }
        }
      }
    }
    #expect(
      rows.count == 3 && ["Ursula", "Always", "good"].allSatisfy { value in rows.contains { $0.contains(value) } },
      "\(rows)")
  }

  /// Writes the migration from one schema to another, and returns the file's statements and the report.
  private func file(
    _ engine: TestEngine, from old: String, to new: String, options: String = ""
  ) throws -> (sql: String, outcome: ToolTrial.Outcome, trial: ToolTrial) {
    let trial = try ToolTrial(engine, ["0001_first.sql": old])
    #expect(trial.run("migrate").exitCode == 0)
    let schema = trial.migrations + "/../wanted.sql"
    try Data(new.utf8).write(to: URL(fileURLWithPath: schema))
    let outcome = trial.run("new second --to \(schema)\(options)", usesDatabase: false)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let sql = try String(contentsOfFile: trial.migrations + "/0002_second.sql", encoding: .utf8)
    #expect(trial.run("migrate").exitCode == 0)
    #expect(trial.run("diff \(schema) --check").exitCode == 0)
    return (sql.replacing("-- second\n", with: ""), outcome, trial)
  }

  /// Definitions of a table, with further objects, where columns are dropped, and whether this happens in place.
  private static let droppedColumns: [(old: String, new: String, native: [String])] = [
    ("(id INTEGER PRIMARY KEY, a, i TEXT)", "(id INTEGER PRIMARY KEY, a)", [#"DROP COLUMN "i""#]),
    ("(i, a, \"j k\", UNIQUE (a))", "(a, UNIQUE (a))", [#"DROP COLUMN "i""#, #"DROP COLUMN "j k""#]),
    (
      "(a PRIMARY KEY, i REFERENCES t (a), CHECK (a > 0))", "(a PRIMARY KEY, b TEXT, CHECK (a > 0))",
      [#"DROP COLUMN "i""#, "ADD COLUMN b TEXT"]
    ),
    // Its index and a trigger go with it.
    (
      "(a, i); CREATE INDEX x ON t (i); CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET i = 1; END",
      "(a); CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = 1; END", [#"DROP COLUMN "i""#]
    ),
    // The engine does not drop a column with a key, or while it finds a mistake in another object.
    ("(a, i UNIQUE)", "(a)", []), ("(i INTEGER PRIMARY KEY, a)", "(a)", []),
    ("(a, i); CREATE VIEW v AS SELECT * FROM nowhere", "(a); CREATE VIEW v AS SELECT * FROM nowhere", []),
    // The remaining columns change.
    ("(a, i, b)", "(b, a)", []), ("(a, i)", "(a NOT NULL)", []),
  ]

  @Test(
    "columns are dropped in place, if the engine can and nothing else changes", arguments: droppedColumns.indices,
    TestEngine.allCases)
  func dropInPlace(index: Int, engine: TestEngine) throws {
    let (old, new, native) = Self.droppedColumns[index]
    let (sql, outcome, _) = try file(
      engine, from: "CREATE TABLE t \(old); INSERT INTO t (a) VALUES (1);", to: "CREATE TABLE t \(new);")
    #expect(sql.contains(#"-- LOST: column "i" of table "t" with its values"#), "\(sql)")
    #expect(outcome.text.contains(#"the migration loses column "i" of table "t""#), "\(outcome)")
    let isNative = try engine.engineDescription().abilities.contains(.dropColumn) && !native.isEmpty
    #expect(sql.contains("INSERT OR ABORT") != isNative, "\(sql)")
    if isNative { #expect(native.allSatisfy { sql.contains(#"ALTER TABLE "t" \#($0);"#) }, "\(sql)") }
  }

  /// Schemas with a full-text table, and whether a statement fills it, and what the file says.
  private static let fullTextTables: [(old: String, new: String, isFilled: Bool, note: String?)] = [
    (text, text + external, true, nil),
    (text, text + "CREATE VIRTUAL TABLE \"f x\" USING fts4(content=\"h\", a);", true, nil),
    (
      text,
      text
        + "CREATE VIEW v AS SELECT id, a FROM h; CREATE VIRTUAL TABLE \"f x\" USING fts5(a, content=v, content_rowid=id);",
      true, nil
    ),
    // The full-text table is recreated with another option; its rows are those of its content.
    (text + external, text + external.replacing("content=", with: "prefix=2, content="), true, nil),
    // The later text differs, or the rows have other rowids.
    (text + external, text.replacing("a TEXT", with: "a INTEGER") + external, true, nil),
    (
      "CREATE TABLE h (a TEXT);" + external.replacing(", content_rowid='id'", with: ""),
      "CREATE TABLE h (id INTEGER PRIMARY KEY, a TEXT);" + external.replacing(", content_rowid='id'", with: ""), true,
      nil
    ),
    // The content is recreated with the same text.
    (text + external, text.replacing("a TEXT, b", with: "b CHECK (b > 0), a TEXT") + external, false, nil),
    // There are no rows.
    ("CREATE TABLE other (x);", "CREATE TABLE other (x);" + text + external, false, nil),
    // Nothing knows the text.
    (
      text, text + "CREATE VIRTUAL TABLE \"f x\" USING fts5(a, content='');", false,
      #"-- CHECK: full-text table "f x" is empty"#
    ),
    (text, text + "CREATE VIRTUAL TABLE \"f x\" USING fts5(a);", false, nil),
  ]
  private static let text = "CREATE TABLE h (id INTEGER PRIMARY KEY, a TEXT, b);"
  private static let external = "CREATE VIRTUAL TABLE \"f x\" USING fts5(a, content='h', content_rowid='id');"

  @Test("a new full-text table is filled from the table that it indexes", arguments: fullTextTables.indices)
  func fullText(index: Int) throws {
    let (old, new, isFilled, note) = Self.fullTextTables[index]
    let rows = old.contains("TABLE h") ? "INSERT INTO h (a) VALUES ('05'), ('word');" : ""
    let fill = old.contains("f x") ? #"INSERT INTO "f x"("f x") VALUES ('rebuild');"# : ""
    let (sql, _, trial) = try file(.sqlite, from: old + rows + fill, to: new)
    #expect(sql.contains(#"INSERT INTO "f x"("f x") VALUES ('rebuild');"#) == isFilled, "\(sql)")
    #expect(note.map(sql.contains) ?? !sql.contains("full-text"), "\(sql)")
    #expect(!sql.contains("-- LOST"), "\(sql)")
    if isFilled || fill != "" {
      let found = try trial.use {
        try $0.read { try Int.fetchOne($0, sql: #"SELECT count(*) FROM "f x" WHERE "f x" MATCH 'word'"#) }
      }
      #expect(found == 1)
      #expect(trial.run("verify").exitCode == 0)
    }
  }

  @Test(
    "a CHECK that the default of a new column satisfies is not mentioned",
    arguments: [
      ("v TEXT NOT NULL DEFAULT 'A' CHECK (v IN ('A', 'B'))", false), ("v TEXT CHECK (v <> '')", false),
      ("v INTEGER DEFAULT '5', w DEFAULT 6, CHECK (v + w = 11 AND typeof(v) = 'integer')", false),
      ("v TEXT DEFAULT 'C' CHECK (v IN ('A', 'B'))", true), ("v TEXT CHECK (v IS NOT NULL)", true),
      ("v TEXT DEFAULT 'A' CHECK (v <> a)", true), ("v TEXT DEFAULT 'A' CHECK (\"a\" = 'a')", true),
      ("v DEFAULT CURRENT_TIMESTAMP CHECK (v > '2020')", true), ("v DEFAULT 1 CHECK (v = rowid)", true),
    ])
  func checkOfNewColumn(columns: String, isNamed: Bool) throws {
    try expectRisk("a row of", isNamed, from: "(a)", to: "(a, \(columns))")
  }

  @Test(
    "a type of a STRICT table is mentioned unless the default of a new column has it",
    arguments: [
      ("a ANY, v INTEGER DEFAULT '5' CHECK (v > 0)", false), ("a ANY, v ANY DEFAULT x'00', CHECK (a <> 1)", false),
      ("a ANY, v INTEGER DEFAULT 'x', CHECK (a <> 1)", true), ("a INTEGER, v INTEGER DEFAULT 5", true),
    ])
  func typeOfNewColumn(columns: String, isNamed: Bool) throws {
    try expectRisk("a value in", isNamed, from: "(a ANY) STRICT", to: "(\(columns)) STRICT")
  }

  private func expectRisk(_ text: String, _ isNamed: Bool, from old: String, to new: String) throws {
    let trial = try ToolTrial(.sqlite, ["0001_first.sql": "CREATE TABLE t \(old);"])
    let schema = trial.migrations + "/../wanted.sql"
    try Data("CREATE TABLE t \(new);".utf8).write(to: URL(fileURLWithPath: schema))
    let outcome = trial.run("new second --to \(schema)", usesDatabase: false)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let sql = try String(contentsOfFile: trial.migrations + "/0002_second.sql", encoding: .utf8)
    #expect(sql.contains("-- CHECK: \(text)") == isNamed, "\(sql)")
    #expect(outcome.text.contains("check before you use it: \(text)") == isNamed)
  }

  @Test("renames are written with the names of the schemas", arguments: ["bigTable=OTHERTABLE", "BigTable=OtherTable"])
  func namesAsWritten(rename: String) throws {
    let (sql, _, _) = try file(
      .sqlite, from: "CREATE TABLE BigTable (id INTEGER PRIMARY KEY, aTitle);",
      to: "CREATE TABLE OtherTable (id INTEGER PRIMARY KEY, bTitle);",
      options: " --rename \(rename) --rename BIGTABLE.atitle=btitle")
    #expect(
      sql == """
        ALTER TABLE "BigTable" RENAME TO "OtherTable";
        ALTER TABLE "OtherTable" RENAME COLUMN "aTitle" TO bTitle;

        """, "\(sql)")
  }

  @Test("without a terminal, the option that declares a likely rename is named, and the loss is in the file")
  func likelyRename() throws {
    let trial = try trial(.sqlite)
    let schema = try wanted(trial) {
      $0.replacing("title TEXT", with: "name TEXT").replacing("author (id INTEGER", with: "writer (id INTEGER")
        .replacing("REFERENCES author", with: "REFERENCES writer")
    }
    let new = trial.run("new names --to \(schema)", usesDatabase: false)
    #expect(new.exitCode == 0)
    for declaration in ["author=writer", "book.title=name"] {
      #expect(new.text.contains("run the command again with --rename '\(declaration)'."), "\(new)")
    }
    let file = try String(contentsOfFile: trial.migrations + "/0002_names.sql", encoding: .utf8)
    #expect(file.contains("-- LOST: table \"author\" with its rows") && file.contains("-- LOST: "), "\(file)")
  }

  @Test(
    "a type that converts values is named in the file",
    arguments: [
      ("TEXT", "INTEGER", true), ("INTEGER", "TEXT", false), ("INTEGER", "REAL", true), ("INTEGER", "INT", false),
    ])
  func convertedValues(old: String, new: String, isNamed: Bool) throws {
    let trial = try trial(.sqlite)
    let folder = URL(fileURLWithPath: trial.migrations)
    try Data("CREATE TABLE place (zip \(old));\n".utf8).write(to: folder.appendingPathComponent("0002_place.sql"))
    let schema = try wanted(trial) { $0.replacing("zip \(old)", with: "zip \(new)") }
    #expect(trial.run("new zip --to \(schema)", usesDatabase: false).exitCode == 0)
    let file = try String(contentsOfFile: trial.migrations + "/0003_zip.sql", encoding: .utf8)
    #expect(file.contains("-- CHECK: ") == isNamed, "\(file)")
  }

  @Test("on a terminal, each likely rename is asked about", arguments: [true, false])
  func question(isAffirmed: Bool) throws {
    let trial = try trial(.sqlite)
    let schema = try wanted(trial) { $0.replacing("title TEXT", with: "name TEXT") }
    let outcome = trial.run("new names --to \(schema)", usesDatabase: false, typing: [isAffirmed ? "y" : ""])
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.text.contains("Was column \"title\" of table \"book\" renamed to \"name\"? [y/N]"), "\(outcome.text)")
    let file = try String(contentsOfFile: trial.migrations + "/0002_names.sql", encoding: .utf8)
    #expect(file.contains("-- LOST: ") != isAffirmed, "\(file)")
  }

  @Test("the first migration of a project comes from its schema file, too", arguments: ["missing", "empty"])
  func first(folder: String) throws {
    let trial = try ToolTrial(.sqlite, ["0001_old.sql": Self.books])
    let schema = URL(fileURLWithPath: try wanted(trial) { $0 }).standardizedFileURL.path
    try trial.remove("0001_old.sql")
    if folder == "missing" { try FileManager.default.removeItem(atPath: trial.migrations) }
    let new = trial.run("new first tables --to \(schema)", usesDatabase: false)
    #expect(new.exitCode == 0, "\(new)")
    #expect(trial.run("migrate").exitCode == 0)
    #expect(trial.run("diff \(schema) --check").exitCode == 0)
  }

  @Test("an equal schema writes no file, and neither does one that cannot be read or reached")
  func noFile() throws {
    let trial = try trial(.sqlite)
    let before = try FileManager.default.contentsOfDirectory(atPath: trial.migrations)
    let same = trial.run("new nothing --to database")
    #expect(same.exitCode == 0 && same.text.contains("No file was written"), "\(same)")
    let schema = try wanted(trial) { $0 + "CREATE TABEL x (a);" }
    #expect(trial.run("new broken --to \(schema)", usesDatabase: false).exitCode != 0)
    #expect(trial.run("new missing --to nowhere.sql", usesDatabase: false).exitCode == 2)
    #expect(trial.run("new lone --rename book.title=name", usesDatabase: false).exitCode == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: trial.migrations) == before)
  }

  @Test("what was changed by hand in the database becomes a migration", arguments: TestEngine.allCases)
  func fromDatabase(engine: TestEngine) throws {
    let trial = try trial(engine)
    try trial.use { queue in
      try queue.write { db in
        try db.execute(sql: "ALTER TABLE book ADD COLUMN pages INTEGER; CREATE VIEW titles AS SELECT title FROM book")
      }
    }
    let new = trial.run("new by_hand --to database --json")
    #expect(new.exitCode == 0, "\(new)")
    #expect((try new.json()["path"] as? String)?.hasSuffix("0002_by_hand.sql") == true)
    let schema = trial.run("diff --check")
    #expect(schema.exitCode == 0, "\(schema)")
  }

  @Test("a file in the sections of another tool gets the statements in its forward part")
  func sections() throws {
    let trial = try ToolTrial(
      .sqlite, ["1_first.sql": "-- +goose Up\nCREATE TABLE a (b);\n\n-- +goose Down\nDROP TABLE a;\n"])
    let schema = trial.migrations + "/../schema.sql"
    try Data("CREATE TABLE a (b, c TEXT);".utf8).write(to: URL(fileURLWithPath: schema))
    #expect(trial.run("new more --to \(schema)", usesDatabase: false).exitCode == 0)
    let file = try String(contentsOfFile: trial.migrations + "/2_more.sql", encoding: .utf8)
    #expect(
      file == "-- +goose Up\n-- more\nALTER TABLE \"a\" ADD COLUMN c TEXT;\n\n-- +goose Down\n", "\(file)")
  }

  @Test("a suggested migration is written to a file, which only a suggestion replaces")
  func draft() throws {
    let trial = try trial(.sqlite)
    let schema = try wanted(trial) { $0.replacing("title TEXT)", with: "title TEXT, year INTEGER)") }
    let draft = trial.migrations + "/../draft.sql"
    for _ in 1...2 { #expect(trial.run("diff \(schema) --suggest --output \(draft)").exitCode == 0) }
    #expect(try String(contentsOfFile: draft, encoding: .utf8).hasSuffix("ADD COLUMN year INTEGER;\n"))
    #expect(trial.run("diff \(schema) --suggest --output \(schema)").exitCode == 5)
    #expect(trial.run("diff \(schema) --output \(draft)").exitCode == 2)
  }
}
