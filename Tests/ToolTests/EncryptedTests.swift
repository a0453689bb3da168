import Foundation
import Migrator
import TestEngines
import Testing

@Suite("The tool on an encrypted database")
struct EncryptedTests {
  @Test("Every command works as on a plain one", arguments: TestEngine.encrypting)
  func commands(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    try transcript.write("correct horse\n", to: "key")
    for line in [
      "migrator status --backend sqlcipher", "migrator rebuild --backend sqlcipher --key-file key",
      "migrator migrate --key-env K", "migrator status --key-fd 3 3<key",
      "migrator rebuild --force --yes --key-file key",
      "migrator erase --yes --key-file key", "migrator rebuild --quiet --key-file key",
    ] {
      try transcript.run(line)
    }
    try transcript.expect(golden: "encrypted")
    for name in try transcript.folder.names() where name.hasPrefix("app.db") {
      let bytes = try transcript.folder.bytes(of: name)
      #expect(!bytes.starts(with: Data("SQLite format 3".utf8)), "\(name)")
      #expect(bytes.range(of: Data("Stanislaw".utf8)) == nil, "\(name)")
    }
  }

  @Test(
    "Before a new file gets the format of SQLCipher 3, a note says so, and names the way to that of 4",
    arguments: TestEngine.encrypting)
  func olderFormat(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    let note =
      "note: the new file gets the format of SQLCipher 3, whose key derivation is weaker than that of version 4. "
    let migrate = "migrator migrate --backend sqlcipher --key-env K"
    let outcome = try transcript.run(migrate)
    #expect(
      outcome.output.contains(note + "For version 4, name a newer library with --sqlcipher-library PATH.")
        == (engine == .sqlCipher3 && TestEngine.hasSQLCipher3), "\(outcome)")
    #expect(try !transcript.run(migrate).output.contains("note:"), "the file is not new")
    #expect(try !transcript.run("\(migrate) --database other.db --cipher-compatibility 3").output.contains("note:"))
  }

  @Test(
    "A raw key with or without its salt opens the database that it created",
    arguments: TestTier.pairs(TestEngine.encrypting, [64, 96]))
  func rawKeys(engine: TestEngine, digits: Int) throws {
    let key = String(repeating: "0123456789abcdefABCDEF9876543210", count: 3).prefix(digits)
    let transcript = try Transcript.withSamples(variables: Self.variables(engine).merging(["RAW": String(key)]) { $1 })
    #expect(try transcript.run("migrator migrate --key-env RAW --raw-key").exitCode == 0)
    #expect(try transcript.run("migrator status --check --key-env RAW --raw-key").exitCode == 0)
    #expect(try transcript.run("migrator status --key-env K").exitCode == 3)
  }

  @Test(
    "Encrypting and rekeying name the backups that still open without the new key", arguments: TestEngine.encrypting)
  func earlierBackups(engine: TestEngine) throws {
    var variables = Self.variables(engine)
    variables["NEW"] = "battery staple"
    let transcript = try Transcript.withSamples(variables: variables)
    func run(_ line: String) throws -> ToolProcess.Outcome {
      let outcome = try transcript.run("migrator \(line)")
      #expect(outcome.exitCode == 0, "\(line): \(outcome)")
      return outcome
    }
    _ = try run("rebuild --backend sqlite")
    #expect(try run("encrypt --key-env K").errors.isEmpty, "there is no backup yet")
    _ = try run("decrypt --key-env K")
    _ = try run("rebuild --force --yes --backend sqlite")
    let encrypted = try run("encrypt --key-env K")
    #expect(encrypted.errors.contains("may open without the new key: app.db.backup-"), "\(encrypted)")
    let rekeyed = try run("rekey --key-env K --new-key-env NEW")
    #expect(rekeyed.errors.contains("may open without the new key: app.db.backup-"), "\(rekeyed)")
  }

  private static func variables(_ engine: TestEngine) -> [String: String] {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": "correct horse"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    return variables
  }
}
