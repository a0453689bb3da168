import Foundation
import TestEngines
import Testing

@Suite("The command diagram")
struct DiagramTests {
  private static let script = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "born in" NUMERIC(10, 2));
    CREATE TABLE book (
      id INTEGER PRIMARY KEY,
      author INTEGER NOT NULL REFERENCES author (id),
      follows INTEGER REFERENCES book,
      title TEXT NOT NULL
    );
    CREATE TABLE cover (book INTEGER PRIMARY KEY REFERENCES book (id), image);
    CREATE TABLE edition (book INTEGER, number INTEGER, PRIMARY KEY (book, number)) WITHOUT ROWID;
    CREATE TABLE "my <copies>" (
      book INTEGER, number INTEGER, place TEXT DEFAULT 'a"b',
      FOREIGN KEY (book, number) REFERENCES edition (book, number)
    );
    CREATE VIRTUAL TABLE search USING fts4(title);
    CREATE VIEW titles AS SELECT title FROM book;

    """

  /// Whether Graphviz is installed; without it, only the message about its absence can be tested.
  private static let hasGraphviz =
    (try? ToolProcess(folder: "/").shell("dot -V").exitCode) == 0

  @Test("Mermaid and DOT need no other program, and are the same for a database, its migrations and a script")
  func texts() throws {
    let transcript = try Transcript()
    try transcript.run("migrator diagram")
    try transcript.write(Self.script, to: "migrations/0001_all.sql")
    let migrations = try transcript.run("migrator diagram")
    try transcript.run("migrator diagram --format dot")
    try transcript.run("migrator migrate --quiet --database app.sqlite")
    try transcript.run("migrator diagram --database app.sqlite --output er.mmd")
    let database = try transcript.run("cat er.mmd", shown: "cat er.mmd (as above)")
    #expect(database.output == migrations.output)
    try transcript.run("migrator diagram --from migrations/0001_all.sql --json | head -5")
    try transcript.run("migrator diagram --database app.sqlite --output er.mmd --json")
    try transcript.run("migrator diagram --from app.sqlite | head -1")
    try transcript.run("migrator diagram --from nowhere.sql")
    try transcript.run("migrator diagram --from database")
    try transcript.run("migrator diagram --database other.sqlite --from database")
    try transcript.run("migrator diagram --format png")
    try transcript.run("migrator diagram --output nowhere/er.mmd")
    try transcript.run(
      "env PATH=/nowhere $(command -v migrator) diagram --format svg", shown: "migrator diagram --format svg")
    try transcript.write("CREATE TABLE x (a);\nCREATE TABEL y (b);\n", to: "migrations/0002_wrong.sql")
    try transcript.run("migrator diagram")
    try transcript.expect(golden: "diagram")
  }

  @Test(
    "SVG output is valid XML without comments and external references, and contains every table",
    .enabled(if: hasGraphviz))
  func picture() throws {
    let transcript = try Transcript()
    try transcript.write(Self.script, to: "migrations/0001_all.sql")
    #expect(try transcript.run("migrator diagram --format svg --output er.svg").exitCode == 0)
    let data = try transcript.folder.bytes(of: "er.svg")
    let text = String(decoding: data, as: UTF8.self)
    for name in ["author", "book", "cover", "edition", "my &lt;copies&gt;", "search", "NUMERIC(10, 2)"] {
      #expect(text.contains(">\(name)</text>"), "\(name)")
    }
    for absent in ["search_content", "titles", "<!--", "<!DOCTYPE", "<image"] {
      #expect(!text.contains(absent), "\(absent)")
    }
    // Every opening tag has a closing tag, in order.
    var open: [Substring] = []
    for match in text.matches(of: #/<(/?)([A-Za-z]+)[^>]*?(/?)>/#) {
      if !match.1.isEmpty {
        #expect(open.popLast() == match.2)
      } else if match.3.isEmpty {
        open.append(match.2)
      }
    }
    #expect(open.isEmpty)
    let again = try transcript.run("migrator diagram --format svg")
    #expect(again.output == text)
  }

  @Test("Graphviz may write much to standard error, before it reads its input or afterwards")
  func talkativeProgram() throws {
    let transcript = try Transcript()
    try transcript.write(Self.script, to: "migrations/0001_all.sql")
    let much = "head -c 200000 /dev/zero | tr '\\0' x >&2"
    try transcript.write("#!/bin/sh\n\(much)\ncat >/dev/null\n\(much)\necho '<svg></svg>'\n", to: "bin/dot")
    let drawn = try transcript.run("chmod +x bin/dot; PATH=$PWD/bin:$PATH timeout 60 migrator diagram --format svg")
    #expect(drawn.exitCode == 0 && drawn.output.hasSuffix("<svg></svg>\n"), "\(drawn)")
    // More columns than a pipe can hold, for a program that does not read them.
    let columns = (1...500).map { "\(String(repeating: "c", count: 200))\($0) TEXT" }.joined(separator: ", ")
    try transcript.write("CREATE TABLE wide (\(columns));\n", to: "migrations/0002_wide.sql")
    try transcript.write("#!/bin/sh\n\(much)\nexit 3\n", to: "bin/dot")
    let failed = try transcript.run("PATH=$PWD/bin:$PATH timeout 60 migrator diagram --format svg 2>&1 | head -c 40")
    #expect(failed.output.hasPrefix("error: Graphviz failed"), "\(failed)")
  }

  @Test("An encrypted database is drawn with its key", arguments: TestEngine.encrypting)
  func encrypted(engine: TestEngine) throws {
    var variables = ["K": "correct horse", "MIGRATOR_DATABASE": "app.db"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let transcript = try Transcript.withSamples(variables: variables)
    for line in [
      "migrator migrate --quiet --key-env K", "migrator diagram --key-env K", "migrator diagram",
      "migrator dump --key-env K", "migrator dump", "migrator diff --key-env K --check", "migrator diff",
      "migrator dump --key-env K --output schema.sql --quiet", "migrator check --key-env K --schema schema.sql",
      "migrator check",
    ] {
      try transcript.run(line)
    }
    try transcript.expect(golden: "schema-encrypted")
  }
}
