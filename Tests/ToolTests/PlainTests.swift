import TestEngines
import Testing

@Suite("The tool on a plain database")
struct PlainTests {
  @Test("Status and dry run create nothing; migrate applies pending migrations once")
  func firstRun() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.run("migrator status")
    try transcript.run("migrator status --check --quiet")
    try transcript.run("migrator migrate --dry-run")
    #expect(try transcript.folder.names() == ["migrations"])
    try transcript.run("migrator migrate --to 0001_authors")
    try transcript.run("migrator migrate --database sqlite://app.sqlite")
    try transcript.run("migrator migrate")
    try transcript.run("migrator status --check")
    try transcript.write(SampleMigrations.prices, to: "migrations/0003_prices.sql")
    try transcript.run("migrator status --check")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("migrator migrate --to 0002_books")
    try transcript.run("migrator migrate --to 0003")
    try transcript.run("migrator migrate --to nothing")
    #expect(try transcript.folder.names() == ["app.sqlite", "migrations"])
    try transcript.expect(golden: "migrate")
  }

  @Test("JSON output is one object, for success and for failure")
  func json() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    for line in [
      "migrator status --json", "migrator migrate --json --dry-run", "migrator migrate --json",
      "migrator status --json",
      "migrator rebuild --json", "migrator rebuild --force --json --force-foreign",
      "migrator rebuild --force --yes --json --force-foreign",
      "migrator new prices --json", "migrator erase --yes --json", "migrator erase --json",
    ] {
      try transcript.run(line)
    }
    try transcript.write("CREATE TABLE x (a);\nCREATE TABEL y (b);\n", to: "migrations/0003_wrong.sql")
    try transcript.run("migrator migrate --json")
    try transcript.write("SELECT 'x", to: "migrations/0004_open.sql")
    try transcript.run("migrator migrate --json --migrations none")
    try transcript.run("migrator migrate --json")
    try transcript.expect(golden: "json")
  }

  @Test("Edited, unknown and late migrations are distinguished, and a gap is refused")
  func drift() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write(SampleMigrations.prices, to: "migrations/0003_prices.sql")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("rm migrations/0003_prices.sql")
    try transcript.write(SampleMigrations.authors + "SELECT 1;\n", to: "migrations/0001_authors.sql")
    try transcript.write("CREATE TABLE late (id INTEGER PRIMARY KEY);\n", to: "migrations/0001_b_late.sql")
    try transcript.run("migrator status --check")
    try transcript.run("migrator migrate")
    try transcript.run("migrator migrate --allow-out-of-order --no-color")
    // Changed line endings and trailing whitespace are not an edit.
    let same = SampleMigrations.books.replacing("\n", with: "  \r\n")
    try transcript.write(same, to: "migrations/0002_books.sql")
    try transcript.run("migrator status | grep books")
    try transcript.expect(golden: "drift")
  }

  @Test("A new file follows the folder's naming style, and no file is overwritten")
  func newFiles() throws {
    let transcript = try Transcript()
    let folders = [
      "numbers": "0009_a.sql", "plain": "1_a.sql", "times": "20200101000000_a.sql", "pairs": "000007_a.up.sql",
      "flyway": "V9__a.sql", "diesel": "2020-01-01-000000_a/up.sql",
    ]
    try transcript.run("migrator new 'Create authors'")
    for (folder, file) in folders.sorted(by: { $0.key < $1.key }) {
      try transcript.write("CREATE TABLE a (b);\n", to: "\(folder)/\(file)")
      try transcript.run("migrator new Add-Prices 2 --migrations \(folder)")
    }
    try transcript.write("-- migrate:up\nCREATE TABLE a (b);\n-- migrate:down\n", to: "dbmate/20200101000000_a.sql")
    try transcript.run("cat $(migrator new b --migrations dbmate)")
    try transcript.write("-- +goose Up\nCREATE TABLE a (b);\n-- +goose Down\n", to: "goose/00001_a.sql")
    try transcript.run("cat $(migrator new b --migrations goose)")
    try transcript.write("", to: "file")
    try transcript.run("migrator new b --migrations file")
    for file in ["2024-01-31_a.sql", "2024-02-01_b.sql"] { try transcript.write("SELECT 1;\n", to: "dates/\(file)") }
    try transcript.run("migrator new c --migrations dates | sed 's/20[0-9-]*_/<today>_/'")
    let journal = #"{"entries":[{"tag":"0000_a"}]}"#
    for (file, text) in ["0000_a.sql": "SELECT 1;\n", "meta/_journal.json": journal] {
      try transcript.write(text, to: "drizzle/\(file)")
    }
    try transcript.run("migrator new b --migrations drizzle")
    // A list whose first line is no longer the hash of the others: the next command would refuse the folder.
    try transcript.write("SELECT 1;", to: "atlas/1_a.sql")
    try transcript.write("h1:abc=\n", to: "atlas/atlas.sum")
    try transcript.run("migrator new b --migrations atlas")
    try transcript.expect(golden: "new")
  }

  @Test("A new file sorts after files without a number or is refused, and the remedy for a late file says the same")
  func unnumberedFiles() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE book (id INTEGER PRIMARY KEY);\n", to: "migrations/add_books.sql")
    try transcript.write("CREATE TABLE author (id INTEGER PRIMARY KEY);\n", to: "migrations/create_authors.sql")
    try transcript.run("migrator migrate --quiet")
    try transcript.run("migrator new books")
    try transcript.run("migrator new create authors")
    try transcript.run("migrator new zebra && migrator migrate --quiet")
    for name in ["20270101000000_cards", "cards"] {
      try transcript.write("CREATE TABLE card (id INTEGER PRIMARY KEY);\n", to: "migrations/\(name).sql")
      try transcript.run("migrator status --quiet; migrator migrate --quiet; rm migrations/\(name).sql")
    }
    try transcript.expect(golden: "new-unnumbered")
  }
}
