import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Conversions with the tool")
struct ConversionTests {
  @Test(
    "A database is encrypted, gets another key, and is decrypted, with all its rows",
    arguments: TestTier.pick([.sqlCipher3], full: TestEngine.encrypting))
  func roundTrip(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    try transcript.write("new key\n", to: "new.key")
    for line in [
      "migrator migrate --quiet", "migrator encrypt --key-env K --keep", "migrator status",
      "migrator status --key-env K",
      "migrator encrypt --key-env K", "migrator rekey --key-env K --new-key-file new.key",
      "migrator status --key-env K",
      "migrator rekey --key-env K --new-key-env K", "migrator verify --quiet --key-file new.key",
      "migrator rekey --key-file new.key --new-key-env RAW --new-raw-key --json",
      "migrator rekey --key-env RAW --raw-key --new-key-env K --quiet",
      "migrator upgrade-cipher --key-env K --new-kdf-iterations 5000 --json",
      "migrator decrypt --key-env K --kdf-iterations 5000", "migrator status --check --quiet",
      "migrator verify",
      "ls",
    ] {
      try transcript.run(line)
    }
    try transcript.expect(golden: "conversions")
    let original = try transcript.folder.bytes(of: "app.db-original")
    #expect(original.starts(with: Data("SQLite format 3".utf8)))
  }

  @Test(
    "A file that cannot be converted is refused, and does not change",
    arguments: TestTier.pick([.sqlCipher4], full: TestEngine.encrypting))
  func refusals(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    try transcript.write(String(repeating: "This is no database. ", count: 100), to: "text.db")
    try transcript.run("migrator encrypt --key-env K")
    try transcript.run("migrator migrate --quiet")
    let before = try transcript.folder.bytes(of: "app.db")
    for line in [
      "migrator encrypt", "migrator encrypt --json", "migrator rekey --key-env K", "migrator encrypt --key-env NONE",
      "migrator decrypt --key-env K", "migrator encrypt --database migrations --key-env K",
      "migrator encrypt --key secret",
      "migrator rekey --key-env K --new-key-env K --new-key-fd 3",
      "migrator upgrade-cipher --key-env K --new-cipher-page-size 7",
    ] {
      try transcript.run(line)
    }
    #expect(try transcript.folder.bytes(of: "app.db") == before)
    try transcript.expect(golden: "conversion-refusals")
    for command in ["encrypt", "decrypt", "rekey", "upgrade-cipher"] {
      let text = try transcript.run("migrator \(command) --database text.db")
      #expect(text.exitCode == 3 && text.errors.contains("text.db is a text file"), "\(text.errors)")
    }
    try transcript.write("mine", to: "app.db-original")
    let kept = try transcript.run("migrator encrypt --key-env K --keep")
    #expect(kept.exitCode == 5)
    #expect(kept.errors.contains("app.db-original"), "\(kept.errors)")
    #expect(kept.errors.contains("do not keep the original"), "\(kept.errors)")
    try transcript.run("rm app.db-original")
    // A user's file has the name of the copy, with or without --keep.
    try transcript.write("mine", to: "app.db-converting")
    for line in ["migrator encrypt --key-env K", "migrator encrypt --key-env K --keep"] {
      let refused = try transcript.run(line)
      #expect(refused.exitCode == 5, "\(refused.errors)")
      #expect(refused.errors.contains("app.db-converting") && refused.errors.contains("Move or remove that file"))
      #expect(!refused.errors.contains("cannot be opened") && !refused.errors.contains("keep"), "\(refused.errors)")
    }
    #expect(try transcript.folder.bytes(of: "app.db-converting") == Data("mine".utf8))
    #expect(try transcript.folder.bytes(of: "app.db") == before)
    #expect(try transcript.run("rm app.db-converting; migrator encrypt --quiet --key-env K").exitCode == 0)
    let encrypted = try transcript.run("migrator encrypt --key-env OTHER")
    #expect(encrypted.exitCode == 3 && encrypted.errors.contains("`rekey` changes its key"), "\(encrypted.errors)")
    #expect(try transcript.run("migrator rekey --key-env RAW --new-key-env OTHER").exitCode == 3)
    #expect(try transcript.folder.names() == ["app.db", "migrations", "text.db"])
  }

  @Test("The options that a new format needs are printed, and open the database", arguments: TestEngine.encrypting)
  func newFormat(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    try transcript.run("migrator migrate --quiet --key-env K")
    let options = "--cipher-page-size 8192 --kdf-iterations 5000"
    let upgraded = try transcript.run(
      "migrator upgrade-cipher --key-env K --new-kdf-iterations 5000 --new-cipher-page-size 8192")
    #expect(upgraded.output.contains("From now on, open it with \(options)."), "\(upgraded.output) \(upgraded.errors)")
    #expect(try transcript.run("migrator status --check --key-env K \(options)").exitCode == 0)
  }

  @Test("No key is in the arguments or environment of a process that the tool starts, or in the output")
  func secrecy() throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(.sqlCipher4))
    try transcript.run(
      "migrator migrate --quiet; migrator encrypt --key-env K --verbose --json; migrator verify --key-env K --json")
    let all = try ["migrator rekey --key-env K --new-key-env RAW --json", "migrator status --key-env K --json"]
      .map { try transcript.run($0) }
    for outcome in all {
      #expect(!(outcome.output + outcome.errors).contains("correct horse"))
      #expect(!(outcome.output + outcome.errors).contains("0123456789abcdef"))
    }
  }

  private static func variables(_ engine: TestEngine) -> [String: String] {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": "correct horse"]
    variables["OTHER"] = "battery staple"
    variables["RAW"] = String(repeating: "0123456789abcdef", count: 4)
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    return variables
  }
}
