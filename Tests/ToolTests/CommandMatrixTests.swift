import Foundation
import TestEngines
import Testing

@Suite("Each command, plain and encrypted, as text and as JSON")
struct CommandMatrixTests {
  private static let key = (0..<32).map { String(format: "%02x", $0) }.joined()
  private static let wrongKey = (0..<32).map { String(format: "%02x", 255 - $0) }.joined()
  private static let keyOptions = "--key-env K --raw-key"
  private static let newKeyOptions = "--new-key-env NEW --new-raw-key"

  @Test("All commands work with the right key")
  func encrypted() throws {
    let transcript = try Self.encryptedTranscript()
    for command in [
      "plan", "rebuild", "migrate", "status", "lint", "dump", "diff", "diagram", "rebuild", "baseline", "adopt",
    ] {
      try transcript.run("migrator \(command) \(Self.keyOptions) --json")
    }
    for command in ["status --check", "plan", "verify", "check", "baseline", "adopt", "rebuild"] {
      try transcript.run("migrator \(command) \(Self.keyOptions)")
    }
    for command in ["verify", "check"] { try transcript.run("migrator \(command) \(Self.keyOptions) --json") }
    try Self.watch(transcript, Self.keyOptions)
    for command in ["restore", "restore --json", "restore nothing", "restore nothing --json", "restore newest --yes"] {
      try transcript.run("migrator \(command) \(Self.keyOptions)")
    }
    let keys = (old: Self.keyOptions, new: "--key-env NEW --raw-key", back: "--new-key-env K --new-raw-key")
    for line in [
      "upgrade-cipher \(keys.old)", "upgrade-cipher \(keys.old) --json",
      "rekey \(keys.old) \(Self.newKeyOptions) --json", "rekey \(keys.new) \(Self.newKeyOptions)",
      "rekey \(keys.new) \(keys.back)", "decrypt \(keys.old) --json", "decrypt \(keys.old)",
      "encrypt \(keys.old) --json",
      "encrypt \(keys.old)", "decrypt \(keys.old)", "encrypt \(keys.old)", "erase --yes \(keys.old) --json",
      "erase \(keys.old)",
    ] {
      try transcript.run("migrator \(line)")
    }
    try transcript.expect(golden: "matrix-encrypted")
  }

  @Test("With a wrong key, each command reports it, does nothing, and exits with 3")
  func wrongKey() throws {
    let transcript = try Self.encryptedTranscript()
    try transcript.run("migrator migrate --quiet \(Self.keyOptions)")
    try transcript.run("migrator rebuild --force --force-foreign --yes --quiet \(Self.keyOptions)")
    let before = try transcript.folder.bytes(of: "app.db")
    let wrong = "--key-env WRONG --raw-key"
    for command in [
      "status", "plan", "migrate", "rebuild --yes", "watch --yes", "erase --yes", "dump", "diff", "diagram", "lint",
      "check", "verify", "baseline", "adopt", "restore newest --yes", "decrypt", "rekey \(Self.newKeyOptions)",
      "upgrade-cipher", "encrypt",
    ] {
      // Without --from, these commands would read the migrations and need no key.
      let from = ["dump", "diagram"].contains(command) ? " --from database" : ""
      #expect(try transcript.run("migrator \(command)\(from) \(wrong)").exitCode == 3, "\(command)")
      #expect(try transcript.run("migrator \(command)\(from) \(wrong) --json").exitCode == 3, "\(command)")
    }
    #expect(try transcript.folder.bytes(of: "app.db") == before)
    try transcript.expect(golden: "matrix-wrong-key")
  }

  @Test("Plain databases: the cases that other transcripts omit")
  func plain() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite", "K": Self.key, "NEW": Self.wrongKey])
    try transcript.writeSamples()
    try transcript.run("migrator diff --json")
    try transcript.run("migrator verify --json")
    try transcript.run("migrator status --check --json")
    try Self.watch(transcript, "")
    for command in ["restore", "restore --json", "restore nothing", "restore nothing --json", "restore newest --yes"] {
      try transcript.run("migrator \(command)")
    }
    for command in ["erase", "adopt", "rebuild --force"] { try transcript.run("migrator \(command) --json") }
    for command in ["rekey \(Self.newKeyOptions)", "upgrade-cipher", "decrypt"] {
      try transcript.run("migrator \(command) \(Self.keyOptions)")
      try transcript.run("migrator \(command) \(Self.keyOptions) --json")
    }
    try transcript.run("migrator adopt --json --database none.sqlite")
    try transcript.run("migrator new '!?' --json")
    try transcript.run("migrator completions fish | head -3")
    try transcript.run("migrator completions tcsh")
    try transcript.run("migrator completions tcsh --json")
    try transcript.run("migrator help nothing --json")
    try transcript.write("DELETE FROM author;\nCREATE TABEL wrong (a);\n", to: "migrations/0003_wrong.sql")
    for command in ["dump --from migrations", "diagram --from migrations", "check", "lint", "diff"] {
      try transcript.run("migrator \(command) --json")
    }
    try transcript.expect(golden: "matrix-plain")
  }

  private static func encryptedTranscript() throws -> Transcript {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": key, "NEW": wrongKey, "WRONG": wrongKey]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = TestEngine.sqlCipher4.libraryPath
    let transcript = try Transcript(variables: variables)
    try transcript.writeSamples()
    return transcript
  }

  /// Runs a watch, and ends it when it waits for the next save.
  private static func watch(_ transcript: Transcript, _ options: String) throws {
    for (format, waits) in [("", "Ctrl-C ends it"), (" --json", "^}")] {
      let command = ["migrator watch --yes", options].filter { !$0.isEmpty }.joined(separator: " ") + format
      try transcript.run(
        "\(command) >out 2>&1 & until grep -qs '\(waits)' out; do sleep 0.02; done; kill -INT $!; wait $!; code=$?; cat out; exit $code",
        shown: "\(command)    (Ctrl-C)")
    }
  }
}
