import Foundation
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("Each command, plain and encrypted, as text and as JSON")
struct CommandMatrixTests {
  private static let key = (0..<32).map { String(format: "%02x", $0) }.joined()
  private static let wrongKey = (0..<32).map { String(format: "%02x", 255 - $0) }.joined()
  private static let keyOptions = "--key-env K --raw-key"
  private static let newKeyOptions = "--new-key-env NEW --new-raw-key"

  /// The commands on a database and the arguments with which they ask nothing: the first ones create it, the last erases it.
  private static let commands = [
    ("status", ""), ("plan", ""), ("migrate", ""), ("rebuild", ""), ("watch", "--yes"), ("lint", ""),
    // Otherwise, these commands would read the migrations and need no key.
    ("dump", "--from database"), ("diagram", "--from database"), ("diff", ""), ("check", ""), ("verify", ""),
    ("baseline", ""), ("adopt", ""), ("restore", "newest --yes"), ("erase", "--yes"),
  ]
  /// The commands that change the encryption of a database.
  private static let conversions = [
    ("encrypt", ""), ("decrypt", ""), ("rekey", newKeyOptions), ("upgrade-cipher", ""),
  ]

  @Test("Each command on a database is in the matrix")
  func complete() {
    let names = (Self.commands + Self.conversions).map(\.0)
    #expect(Set(names) == Set(ToolCommand.all.map(\.key)).subtracting(GoldenMatrixTests.withoutDatabase))
    #expect(Set(Self.conversions.map(\.0)) == GoldenMatrixTests.cipher)
  }

  @Test("With the right key, each command does the same as on a plain database")
  func rightKey() throws {
    let plain = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
    let encrypted = try Self.encryptedTranscript()
    for (command, options) in Self.commands {
      guard command != "watch" else {
        let (one, other) = (try Self.watch(plain), try Self.watch(encrypted, Self.keyOptions))
        for index in one.indices { compare(one[index], other[index]) }
        continue
      }
      for format in ["", " --json"] {
        let line = "migrator \(command) \(options)\(format)"
        try compare(plain.run(line), encrypted.run("\(line) \(Self.keyOptions)"))
      }
    }
    func compare(_ plain: ToolProcess.Outcome, _ encrypted: ToolProcess.Outcome) {
      #expect(Self.plainText(encrypted) == Self.plainText(plain))
    }
  }

  /// Returns what a command printed and its exit code, as on a plain database.
  private static func plainText(_ outcome: ToolProcess.Outcome) -> String {
    let text = Normalization.normalize("\(outcome.output)\(outcome.errors)\(outcome.exitCode)", folder: "<folder>")
    return [
      (" \(keyOptions)", ""), ("SQLCipher <version>", "SQLite <version>"), ("\"sqlcipher\"", "\"sqlite\""),
      // The only check that a plain database does not need.
      ("  ok  cipher pages .*\n", ""), (#"\{\s*"findings" : \[\s*\],\s*"name" : "cipher pages",[^}]*\},\s*"#, ""),
    ].reduce(text) { text, change in
      text.replacingOccurrences(of: change.0, with: change.1, options: .regularExpression)
    }
  }

  @Test("The encryption is changed with the right keys")
  func encryption() throws {
    let transcript = try Self.encryptedTranscript()
    let keys = (old: Self.keyOptions, new: "--key-env NEW --raw-key", back: "--new-key-env K --new-raw-key")
    for line in [
      "migrate --quiet \(keys.old)", "upgrade-cipher \(keys.old)", "upgrade-cipher \(keys.old) --json",
      "rekey \(keys.old) \(Self.newKeyOptions) --json", "rekey \(keys.new) \(Self.newKeyOptions)",
      "rekey \(keys.new) \(keys.back)", "decrypt \(keys.old) --json", "decrypt \(keys.old)",
      "encrypt \(keys.old) --json",
      "encrypt \(keys.old)", "decrypt \(keys.old)", "encrypt \(keys.old)",
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
    for (command, options) in Self.commands + Self.conversions {
      let message =
        command == "encrypt"
        ? "app.db is already encrypted, with another key or in another format" : "app.db does not open with this key"
      for format in ["", " --json"] {
        let outcome = try transcript.run("migrator \(command) \(options) --key-env WRONG --raw-key\(format)")
        #expect(outcome.exitCode == 3 && outcome.errors.hasPrefix("error: \(message)"), "\(command)")
        #expect(format.isEmpty || outcome.output.contains("\"what\" : \"\(message)"), "\(command)")
      }
    }
    #expect(try transcript.folder.bytes(of: "app.db") == before)
  }

  @Test("Plain databases: the cases that other transcripts omit")
  func plain() throws {
    let transcript = try Transcript.withSamples(variables: [
      "MIGRATOR_DATABASE": "app.sqlite", "K": Self.key, "NEW": Self.wrongKey,
    ])
    try transcript.run("migrator diff --json")
    try transcript.run("migrator verify --json")
    try transcript.run("migrator status --check --json")
    try Self.watch(transcript)
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
    return try Transcript.withSamples(variables: variables)
  }

  /// Runs a watch, and ends it when it waits for the next save.
  @discardableResult
  private static func watch(_ transcript: Transcript, _ options: String = "") throws -> [ToolProcess.Outcome] {
    try [(" --json", "^}"), ("", "Ctrl-C ends it")].map { format, waits in
      let command = ["migrator watch --yes", options].filter { !$0.isEmpty }.joined(separator: " ") + format
      return try transcript.run(
        "\(command) >out 2>&1 & until grep -qs '\(waits)' out; do sleep 0.02; done; kill -INT $!; wait $!; code=$?; cat out; exit $code",
        shown: "\(command)    (Ctrl-C)")
    }
  }
}
