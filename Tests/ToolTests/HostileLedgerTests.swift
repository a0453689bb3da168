import Foundation
import Migrator
import TestEngines
import Testing

/// Ledgers that someone prepared to deceive, delay or exhaust the program that reads them.
@Suite("Ledgers of unknown origin")
struct HostileLedgerTests {
  private static let commands = [
    "status", "status --json", "plan", "verify", "check", "lint", "dump", "diff", "diagram", "migrate --dry-run",
    "migrate", "rebuild --yes", "erase --yes", "baseline", "adopt sqlx",
  ]

  /// Runs all commands, none of which may use the ledger's rows.
  private static func expectRefusals(
    _ engine: TestEngine, _ transcript: Transcript, because reason: String, without secret: String
  ) throws {
    let before = try transcript.folder.bytes(of: "app.db")
    for command in commands {
      let outcome = try transcript.run("timeout 20 migrator \(command)\(HostileDatabaseTests.key(engine))")
      let text = outcome.output + outcome.errors
      #expect(!text.contains(secret), "\(command): \(text)")
      #expect([1, 3].contains(outcome.exitCode), "\(command), \(outcome.exitCode): \(text)")
      #expect(text.contains(reason), "\(command): \(text)")
    }
    #expect(try transcript.folder.bytes(of: "app.db") == before)
  }

  @Test("A virtual table in place of the ledger is refused, and not read", arguments: TestEngine.allCases)
  func virtualTable(engine: TestEngine) throws {
    let transcript = try HostileDatabaseTests.transcript(
      engine,
      """
      CREATE VIRTUAL TABLE migrator_history USING fts4 (
        sequence, identifier, position, applied_at, duration, fingerprint, checksum, objects, cursor);
      INSERT INTO migrator_history
      VALUES (1, 'secret', 0, '2026-01-01T00:00:00.000Z', 0.5, 'secret', 'secret', 'secret', NULL);
      """)
    try Self.expectRefusals(engine, transcript, because: "it is a view or a virtual table", without: "secret")
  }
}
