import Foundation
import TestEngines
import Testing

/// Files of Apple's SQLite, whose pages end with reserved bytes: no command takes them for encrypted.
@Suite("Plain databases with reserved bytes, in the tool")
struct ReservedBytesToolTests {
  private static let succeeding = [
    "status --database a.db", "plan --database a.db", "migrate --database a.db", "verify --database a.db",
    "check --database a.db", "dump --database a.db", "diff --check --database a.db", "diagram --database a.db",
    "lint --database a.db", "migrate --databases '*.db'", "verify --databases '*.db'", "restore --database a.db",
    "rebuild --force --yes --force-foreign --database a.db", "restore --yes --database a.db a.db.backup-*",
    "erase --yes --force-foreign --database a.db", "migrate --database a.db", "encrypt --database a.db --key-file key",
    "decrypt --database a.db --key-file key", "status --check --database a.db",
  ]

  @Test(
    "Every command uses them without a key",
    arguments: TestTier.pick([12, 48], full: [8, 10, 12, 16, 32, 48, 80]))
  func commands(reserved: Int) throws {
    let transcript = try Transcript.withSamples()
    try transcript.write("sesame", to: "key")
    try transcript.write("another", to: "newkey")
    for name in ["a.db", "b.db"] {
      let statements = "'.filectrl reserve_bytes \(reserved)' VACUUM"
      try #require(try transcript.run("sqlite3 \(name) \(statements)").exitCode == 0)
      #expect(try transcript.folder.bytes(of: name)[20] == UInt8(reserved))
    }
    for command in Self.succeeding {
      let outcome = try transcript.run("migrator \(command)")
      #expect(outcome.exitCode == 0, "\(command): \(outcome.errors)")
    }
    let rekey = try transcript.run("migrator rekey --database a.db --key-file key --new-key-file newkey")
    #expect(rekey.exitCode == 3 && rekey.errors.contains("a.db is not encrypted, but a key was given"))
  }
}
