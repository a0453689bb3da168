import Foundation
import Migrator
import TestEngines
import Testing

/// The owners and permissions of the files that take the place of a database, or stand for it.
@Suite("Owners and permissions of converted databases and of backups")
struct ConvertedFileTests {
  private static let modes = ["0600", "0640"]
  private static let umasks = TestTier.pick(["022"], full: ["000", "022", "077"])

  private static func transcript(_ engine: TestEngine) throws -> Transcript {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": TestKey.rawText, "NEW": String(TestKey.rawText.reversed())]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let transcript = try Transcript(variables: variables)
    try transcript.write("CREATE TABLE a (x);\nINSERT INTO a VALUES (1);\n", to: "migrations/1_a.sql")
    return transcript
  }

  /// Converts a database three times, with the given owner, and lists the files after each conversion.
  private static func convert(
    _ engine: TestEngine, _ transcript: Transcript, mode: String, umask: String, owner: String?
  ) throws {
    try transcript.run("rm -f app.db*; migrator migrate --quiet --database app.db; chmod \(mode) app.db")
    if let owner { try transcript.run("chown \(owner) app.db; chmod \(mode) app.db") }
    let expected = owner ?? "\(getuid()):\(getgid())"
    for command in [
      "encrypt --keep --key-env K --raw-key", "rekey --key-env K --raw-key --new-key-env NEW --new-raw-key",
      "decrypt --key-env NEW --raw-key",
    ] {
      let outcome = try transcript.run(
        "umask \(umask); migrator \(command) --quiet; echo done $?; stat -c '%u:%g %04a %n' app.db*")
      let files = outcome.output.split(separator: "\n").map(String.init)
      #expect(
        files == ["done 0", "\(expected) \(mode) app.db", "\(expected) \(mode) app.db-original"],
        "\(command), umask \(umask): \(outcome.output) \(outcome.errors)")
    }
  }

  @Test(
    "A conversion keeps the permissions of the file, whatever the umask",
    arguments: TestTier.pairs(TestEngine.encrypting, modes))
  func permissions(engine: TestEngine, mode: String) throws {
    for umask in Self.umasks {
      try Self.convert(engine, Self.transcript(engine), mode: mode, umask: umask, owner: nil)
    }
  }

  @Test(
    "A conversion by root keeps the owner of the file", .enabled(if: getuid() == 0, onlyRoot),
    arguments: TestTier.pairs(TestEngine.encrypting, modes))
  func owner(engine: TestEngine, mode: String) throws {
    for umask in Self.umasks {
      try Self.convert(engine, Self.transcript(engine), mode: mode, umask: umask, owner: "65534:65534")
    }
  }

  /// Runs a command that makes a backup first, and returns the owner and the permissions of the database and the backup.
  private static func backUp(
    _ engine: TestEngine, mode: String, umask: String, prepare: String = ""
  ) throws -> [String] {
    let transcript = try transcript(engine)
    let key = engine.isEncrypted ? " --key-env K --raw-key" : ""
    try #require(try transcript.run("migrator rebuild --quiet\(key)").exitCode == 0)
    let outcome = try transcript.run(
      "\(prepare)chmod \(mode) app.db; umask \(umask); migrator rebuild --force --yes --quiet\(key); "
        + "stat -c '%u:%g %04a' app.db app.db.backup-*")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test(
    "A backup has the permissions of the database, whatever the umask",
    arguments: TestTier.pairs(TestEngine.allCases, modes + ["0644", "0660"]))
  func backups(engine: TestEngine, mode: String) throws {
    let own = "\(getuid()):\(getgid()) \(mode)"
    for umask in Self.umasks { #expect(try Self.backUp(engine, mode: mode, umask: umask) == [own, own], "\(umask)") }
  }

  @Test(
    "A backup by root belongs to the owner of the database", .enabled(if: getuid() == 0, onlyRoot),
    arguments: TestTier.pairs(TestEngine.allCases, modes))
  func backupOwner(engine: TestEngine, mode: String) throws {
    for umask in Self.umasks {
      let files = try Self.backUp(engine, mode: mode, umask: umask, prepare: "chown 65534:65534 app.db; ")
      #expect(files == ["65534:65534 \(mode)", "65534:65534 \(mode)"], "\(umask)")
    }
  }

  private static let onlyRoot: Comment =
    "NOT TESTED: the owner of created files. Only root can give a file to another user: run the tests as root, too."

  @Test(
    "A backup whose group cannot be that of the database is private", .enabled(if: getuid() == 0, onlyRoot),
    arguments: TestEngine.allCases)
  func foreignGroup(engine: TestEngine) throws {
    // A process of the owner, which is not in the group of the file.
    let transcript = try Self.transcript(engine)
    let key = engine.isEncrypted ? " --key-env K --raw-key" : ""
    try #require(try transcript.run("migrator rebuild --quiet\(key)").exitCode == 0)
    let outcome = try transcript.run(
      "chown -R 65534:65534 .; chown 65534:0 app.db; chmod 0640 app.db; "
        + "setpriv --reuid=65534 --regid=65534 --clear-groups migrator rebuild --force --yes --quiet\(key); "
        + "stat -c '%u:%g %04a' app.db app.db.backup-*")
    #expect(outcome.output == "65534:0 0640\n65534:65534 0600\n", "\(outcome.output) \(outcome.errors)")
  }
}
