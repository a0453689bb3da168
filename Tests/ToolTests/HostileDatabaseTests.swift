import Foundation
import Migrator
import TestEngines
import Testing

/// Databases that someone prepared to harm the user who examines them.
@Suite("Databases of unknown origin")
struct HostileDatabaseTests {
  /// A query with the columns of a ledger and rows without an end.
  private static let endless = """
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
    SELECT n AS sequence, 'm' || n AS identifier, n AS version, n AS position, 'x' AS applied_at, 1.0 AS duration,
      '' AS fingerprint, '' AS checksum, '' AS objects, NULL AS cursor FROM c
    """

  /// Returns a session with one migration and a database that the SQL has prepared.
  static func transcript(_ engine: TestEngine, _ sql: String) throws -> Transcript {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": TestKey.rawText]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let transcript = try Transcript(variables: variables)
    try transcript.write("CREATE TABLE a (x);\n", to: "migrations/1_a.sql")
    let queue = try engine.queue(path: transcript.folder.file("app.db"))
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
    return transcript
  }

  static func key(_ engine: TestEngine) -> String { engine.isEncrypted ? " --key-env K --raw-key" : "" }

  @Test("A view in place of the ledger is refused, and not read", arguments: TestEngine.allCases)
  func ledger(engine: TestEngine) throws {
    let transcript = try Self.transcript(engine, "CREATE VIEW migrator_history AS \(Self.endless)")
    for command in [
      "status", "migrate", "plan", "verify", "check", "lint", "rebuild --yes", "erase --yes", "baseline",
      "adopt sqlx",
    ] {
      let outcome = try transcript.run("timeout 20 migrator \(command)\(Self.key(engine))")
      if command == "lint" { continue }
      #expect(outcome.exitCode == 3, "\(command): \(outcome.output) \(outcome.errors)")
      #expect(outcome.errors.contains("it is a view or a virtual table"), "\(command): \(outcome.errors)")
    }
  }

  @Test("A view in place of another tool's history or of the tool's mark is not read", arguments: TestEngine.allCases)
  func otherHistories(engine: TestEngine) throws {
    for table in ["grdb_migrations", "schema_migrations", "_sqlx_migrations"] {
      let transcript = try Self.transcript(engine, "CREATE VIEW \(table) AS \(Self.endless)")
      let erased = try transcript.run("timeout 20 migrator erase --yes --force-foreign\(Self.key(engine))")
      #expect(erased.exitCode == 0, "\(table): \(erased.errors)")
    }
    let marked = try Self.transcript(
      engine,
      "CREATE TABLE mine (x); CREATE VIEW migrator_development AS SELECT *, 'x' AS rowsToPutBack FROM (\(Self.endless))"
    )
    let refused = try marked.run("timeout 20 migrator rebuild --force --yes\(Self.key(engine))")
    #expect(refused.exitCode == 5 && refused.errors.contains("--force-foreign"), "\(refused.errors)")
  }

  @Test("JSON contains no character that controls a terminal", arguments: TestEngine.allCases)
  func json(engine: TestEngine) throws {
    let name = "a\u{9B}31m\u{7F}\u{202E}b\u{2066}\u{85}"
    let transcript = try Self.transcript(engine, "CREATE TABLE \"\(name)\" (x)")
    try transcript.write("CREATE TABLE b (x);\n", to: "migrations/2_\(name).sql")
    for command in ["diff", "plan", "status", "dump", "diagram", "lint", "verify", "check", "migrate"] {
      let outcome = try transcript.run("migrator \(command) --json\(Self.key(engine))")
      let harmful = outcome.output.unicodeScalars.filter { scalar in
        scalar.value < 0x20 && scalar != "\n" || (0x7F...0x9F).contains(scalar.value)
          || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      }
      #expect(harmful.isEmpty, "\(command): \(harmful)")
      if ["diff", "plan", "status"].contains(command) {
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        #expect("\(object)".unicodeScalars.contains("\u{9B}") || "\(object)".contains("u{9B}"), "\(command): \(object)")
        #expect(outcome.output.contains(#"a\u009B31m\u007F\u202Eb\u2066\u0085"#), "\(command): \(outcome.output)")
      }
    }
  }

  @Test(
    "A mark that names another file than a backup is ignored",
    arguments: TestTier.pairs(
      TestEngine.allCases, ["../victim.db", "/etc/passwd", "victim.db", "sub/app.db.backup-20200102T030405.123Z"]))
  func mark(engine: TestEngine, name: String) throws {
    let transcript = try Self.transcript(
      engine,
      """
      CREATE TABLE migrator_development (note TEXT, rowsToPutBack TEXT);
      INSERT INTO migrator_development VALUES ('', '\(name)');
      """)
    let victim = try engine.queue(path: transcript.folder.file("victim.db"))
    try victim.write { try $0.execute(sql: "CREATE TABLE a (x); INSERT INTO a VALUES ('private')") }
    try victim.close()
    for options in ["", " --keep-data"] {
      let outcome = try transcript.run("migrator rebuild --yes\(options)\(Self.key(engine))")
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(!(outcome.output + outcome.errors).contains(name), "\(outcome.output) \(outcome.errors)")
    }
    let queue = try engine.queue(path: transcript.folder.file("app.db"))
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM a") } == 0)
    try queue.close()
  }
}
