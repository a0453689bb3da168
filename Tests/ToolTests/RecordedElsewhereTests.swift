import Migrator
import TestEngines
import Testing

/// Migrations that are pending here, but that another tool has applied and recorded in its own table.
@Suite("Migrations in another tool's history")
struct RecordedElsewhereTests {
  private static let files = [
    "0001_items": "CREATE TABLE item (name TEXT, price INTEGER);\nINSERT INTO item VALUES ('a', 1), ('b', 2);\n",
    "0002_cents": "UPDATE item SET price = price * 100;\n",
    "0003_notes": "CREATE TABLE note (text TEXT);\n",
  ]
  private static let history = "CREATE TABLE schema_migrations (version uint64, dirty bool);\n"

  /// Returns a transcript with a database to which golang-migrate has applied the first two migrations.
  private static func transcript(
    _ history: String = history + "INSERT INTO schema_migrations VALUES (2, 0);", database: String = "app.sqlite"
  ) throws -> Transcript {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    for (name, text) in files { try transcript.write(text, to: "migrations/\(name).sql") }
    try transcript.execute(["0001_items", "0002_cents"].compactMap { files[$0] }.joined() + history, on: database)
    return transcript
  }

  private static func prices(_ transcript: Transcript) throws -> [Int] {
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
    let prices = try queue.read { try Int.fetchAll($0, sql: "SELECT price FROM item ORDER BY price") }
    try queue.close()
    return prices
  }

  @Test("migrate refuses to apply them a second time, plan says so, and the remedy lets the rest run")
  func refused() throws {
    let transcript = try Self.transcript()
    for command in ["migrate", "plan", "migrate --dry-run", "status --check", "check"] {
      try transcript.run("migrator \(command)")
    }
    #expect(try Self.prices(transcript) == [100, 200])
    #expect(try transcript.run("migrator migrate --quiet").exitCode == 5)
    try transcript.run("migrator adopt")
    try transcript.run("migrator migrate")
    #expect(try Self.prices(transcript) == [100, 200])
    #expect(try transcript.run("migrator status --check").errors.isEmpty)
    try transcript.expect(golden: "recorded-elsewhere")
  }

  @Test("A database of a fleet is refused, and the others are migrated")
  func fleet() throws {
    let transcript = try Self.transcript()
    try transcript.execute("CREATE TABLE other (a)", on: "b.sqlite")
    let outcome = try transcript.run("migrator migrate --databases '*.sqlite' --jobs 1 --max-failures 0")
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(try transcript.run("migrator status --database b.sqlite --check").exitCode == 0)
    #expect(outcome.errors.contains("another tool recorded them as applied in schema_migrations"), "\(outcome.errors)")
    #expect(try Self.prices(transcript) == [100, 200])
  }

  @Test(
    "A history without the pending migrations is only warned of, and one that cannot be read is refused",
    arguments: [
      (history, 0), (history + "INSERT INTO schema_migrations VALUES (2, 1);", 5),
      ("CREATE TABLE schema_migrations (version, name); INSERT INTO schema_migrations VALUES (1, 'a');", 5),
      ("CREATE TABLE schema_migrations (version, name);", 0), ("CREATE VIEW schema_migrations AS SELECT 1;", 0),
      ("CREATE TABLE schema_migrations (version); INSERT INTO schema_migrations VALUES (77);", 0),
    ] as [(String, Int32)])
  func otherHistories(history: String, exitCode: Int32) throws {
    let transcript = try Self.transcript(history)
    try transcript.write("CREATE TABLE IF NOT EXISTS item (name TEXT);\n", to: "migrations/0001_items.sql")
    let outcome = try transcript.run("migrator migrate")
    #expect(outcome.exitCode == exitCode, "\(outcome)")
    #expect(try Self.prices(transcript) == (exitCode == 0 ? [10000, 20000] : [100, 200]))
  }

  @Test("Renaming the other tool's table lets the migrations run, and a ledger with entries of the folder does, too")
  func goingOn() throws {
    let transcript = try Self.transcript()
    try transcript.execute("ALTER TABLE schema_migrations RENAME TO old_migrations; DROP TABLE item")
    #expect(try transcript.run("migrator migrate").exitCode == 0)
    let started = try Self.transcript("DROP TABLE item;")
    #expect(try started.run("migrator migrate --to 0001_items").exitCode == 0)
    try started.execute(Self.history + "INSERT INTO schema_migrations VALUES (2, 0)")
    let outcome = try started.run("migrator migrate")
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("With a ledger that has only other migrations, the remedy names a separate one")
  func sharedLedger() throws {
    let transcript = try Self.transcript()
    try transcript.write("CREATE TABLE other (a);\n", to: "others/0001_other.sql")
    try transcript.execute("ALTER TABLE schema_migrations RENAME TO aside")
    #expect(try transcript.run("migrator migrate --migrations others").exitCode == 0)
    try transcript.execute("ALTER TABLE aside RENAME TO schema_migrations")
    let refused = try transcript.run("migrator migrate")
    #expect(refused.exitCode == 5 && refused.errors.contains("migrator adopt --ledger NAME"), "\(refused.errors)")
    #expect(try transcript.run("migrator adopt --ledger mine").exitCode == 0)
    #expect(try transcript.run("migrator migrate --ledger mine").exitCode == 0)
    #expect(try Self.prices(transcript) == [100, 200])
  }

  @Test("rebuild does not apply them a second time either")
  func rebuild() throws {
    let transcript = try Self.transcript()
    try transcript.write("CREATE TABLE IF NOT EXISTS item (name TEXT);\n", to: "migrations/0001_items.sql")
    let refused = try transcript.run("migrator rebuild --yes")
    #expect(refused.exitCode == 5, "\(refused)")
    #expect(refused.errors.contains("another tool recorded them as applied in schema_migrations"), "\(refused.errors)")
    #expect(try Self.prices(transcript) == [100, 200])
    try transcript.write(Self.files["0001_items"] ?? "", to: "migrations/0001_items.sql")
    #expect(try transcript.run("migrator rebuild --yes --force --force-foreign").exitCode == 0)
    #expect(try Self.prices(transcript) == [100, 200])
  }
}
