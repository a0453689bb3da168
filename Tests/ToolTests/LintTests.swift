import Migrator
import TestEngines
import Testing

@Suite("The command lint")
struct LintTests {
  private static let dangerous = """
    -- Prices, and authors lose their names.
    ALTER TABLE book ADD COLUMN price REAL NOT NULL;
    \tUPDATE book SET title = "unknown";
    CREATE TABLE new_author (id INTEGER PRIMARY KEY, born INTEGER);
    INSERT INTO new_author SELECT * FROM author;
    -- migrator: allow destructive the names are in another app
    DROP TABLE author;
    ALTER TABLE new_author RENAME TO author;
    CREATE TABLE loan (
      id INTEGER PRIMARY KEY,
      book INTEGER NOT NULL REFERENCES book (id)
    );

    """

  @Test("Lint reports findings with file, line, reason and remedy, and otherwise the migrations that it checked")
  func findings() throws {
    let transcript = try Transcript()
    try transcript.run("migrator lint")
    try transcript.writeSamples()
    try transcript.run("migrator lint")
    try transcript.run("migrator lint --json")
    try transcript.write(Self.dangerous, to: "migrations/0003_prices.sql")
    try transcript.run("migrator lint")
    try transcript.run("migrator lint --quiet --verbose | head -4")
    try transcript.run("migrator lint --json")
    try transcript.write("CREATE TABLE late (id INTEGER PRIMARY KEY) STRICT;\n", to: "migrations/0004_late.sql")
    try transcript.run("migrator lint --since 0004_late")
    try transcript.run("migrator lint --since 0005_late")
    try transcript.write("DROP TABLE nothing;\n-- migrator: allow nothing a reason\n", to: "migrations/0005_wrong.sql")
    try transcript.run("migrator lint --since 0004_late")
    try transcript.write("BEGIN;\nCREATE TABLE x (a);\n", to: "migrations/0006_open.sql")
    try transcript.write(
      "CREATE TABLE y (a);\nPRAGMA foreign_keys = OFF;\nDROP TABLE y;\n", to: "migrations/0007_pragma.sql")
    try transcript.run("migrator lint")
    try transcript.run("migrator lint --json")
    #expect(try transcript.folder.names() == ["migrations"])
    try transcript.expect(golden: "lint")
  }

  @Test("With a database, edited migrations are found, and nothing is written")
  func edited() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator lint --quiet")
    #expect(try transcript.folder.names() == ["migrations"])
    try transcript.run("migrator migrate --quiet")
    try transcript.write(SampleMigrations.authors + "SELECT 1;\n", to: "migrations/0001_authors.sql")
    try transcript.run("migrator lint")
    try transcript.write("no database", to: "app.sqlite")
    try transcript.run("migrator lint --backend sqlite")
    try transcript.expect(golden: "lint-database")
  }

  @Test("Lint runs on an encrypted database, and without a key on its engine", arguments: TestEngine.encrypting)
  func encrypted(engine: TestEngine) throws {
    var variables = ["K": "correct horse"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let transcript = try Transcript.withSamples(variables: variables)
    try transcript.run("migrator lint --backend sqlcipher")
    try transcript.run("migrator migrate --quiet --database app.db --key-env K")
    try transcript.write(SampleMigrations.authors + "SELECT 1;\n", to: "migrations/0001_authors.sql")
    try transcript.run("migrator lint --database app.db --key-env K")
    try transcript.run("migrator lint --database app.db")
    try transcript.expect(golden: "lint-encrypted")
  }

  @Test("The rules are listed with explanations")
  func rules() throws {
    let transcript = try Transcript()
    try transcript.run("migrator lint --rules")
    try transcript.run("migrator lint --rules --json | head -12")
    try transcript.expect(golden: "lint-rules")
  }
}
