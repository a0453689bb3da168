import Foundation
import TestEngines
import Testing

@Suite("The configuration file and DATABASE_URL")
struct ConfigurationTests {
  private static let configuration = """
    {
      "database": "dev.sqlite",
      "migrations": "db/migrations",
      "lock-timeout": 1.5,
      "environments": {
        "test": {"database": "sqlite:test.sqlite"},
        "quiet": {"quiet": true, "database": "quiet.sqlite"}
      }
    }
    """

  private func transcript(variables: [String: String] = [:]) throws -> Transcript {
    let transcript = try Transcript(variables: variables)
    try transcript.write(SampleMigrations.authors, to: "db/migrations/0001_authors.sql")
    try transcript.write(Self.configuration, to: "migrator.json")
    try transcript.write("", to: "src/deep/main.c")
    return transcript
  }

  @Test("The nearest file applies, its paths are relative to it, and the command line beats it")
  func nearest() throws {
    let transcript = try transcript()
    try transcript.run("migrator migrate --quiet")
    try transcript.run("cd src/deep && migrator status")
    try transcript.run("cd src/deep && migrator status --verbose --json | grep -e database -e Folder")
    try transcript.run("cd src && migrator migrate --env test --quiet; cd .. && ls")
    try transcript.run("migrator migrate --env quiet")
    try transcript.run("migrator migrate --quiet --database other.sqlite; ls")
    try transcript.write("{\"database\": \"nearer.sqlite\"}", to: "src/migrator.json")
    try transcript.run("cd src/deep && migrator status --migrations ../../db/migrations")
    try transcript.run("cd src/deep && migrator status --config ../../migrator.json --env test")
    try transcript.run("migrator status --config src/deep/main.c")
    try transcript.run("migrator status --config nowhere.json")
    try transcript.run("migrator status --config src")
    try transcript.run("rm migrator.json && migrator status --env test")
    try transcript.expect(golden: "configuration")
  }

  @Test("The address of a server and the dash for standard input are not paths")
  func addresses() throws {
    let transcript = try transcript()
    for text in [
      #"{"database": "dqlite:127.0.0.1:1/app", "lock-timeout": 0}"#,
      #"{"database": "127.0.0.1:1/app", "backend": "dqlite", "lock-timeout": 0}"#,
    ] {
      try transcript.write(text, to: "migrator.json")
      let outcome = try transcript.run("cd src/deep && migrator status --migrations ../../db/migrations")
      #expect(outcome.errors.contains("dqlite:127.0.0.1:1/app"), "\(outcome.errors)")
    }
    try transcript.write(#"{"databases-from": "-"}"#, to: "migrator.json")
    let list = try transcript.run(
      "cd src/deep && echo ../../listed.sqlite | migrator migrate --migrations ../../db/migrations")
    #expect(list.exitCode == 0, "\(list.errors)")
    #expect(try transcript.folder.names().contains("listed.sqlite"))
  }

  @Test("A variable beats the file, with a warning where it overrides the selected environment")
  func variables() throws {
    let transcript = try transcript(variables: ["MIGRATOR_DATABASE": "variable.sqlite"])
    let outcome = try transcript.run("migrator migrate --quiet")
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    #expect(try transcript.folder.names().contains("variable.sqlite"))
    let overridden = try transcript.run("migrator status --env test")
    #expect(overridden.output.hasPrefix("variable.sqlite "))
    #expect(overridden.errors.contains("MIGRATOR_DATABASE overrides \"database\" from the configuration file"))
    let typed = try transcript.run("migrator status --env test --database typed.sqlite")
    #expect(typed.output.hasPrefix("typed.sqlite "))
    #expect(typed.errors.isEmpty)
  }

  @Test(
    "The key file and the library come from the file, and a key source on the command line replaces that one",
    arguments: TestEngine.encrypting)
  func keys(engine: TestEngine) throws {
    let transcript = try Transcript(variables: ["K": "correct horse"])
    try transcript.write(SampleMigrations.authors, to: "migrations/1_authors.sql")
    try transcript.write("correct horse\n", to: "secrets/key")
    let library = engine.libraryPath.map { ", \"sqlcipher-library\": \"\($0)\"" } ?? ""
    try transcript.write(
      "{\"database\": \"app.db\", \"key-file\": \"secrets/key\"\(library)}", to: "migrator.json")
    try transcript.write("", to: "src/main.c")
    #expect(try transcript.run("cd src && migrator migrate --migrations ../migrations").exitCode == 0)
    #expect(try transcript.run("migrator status --check --key-env K").exitCode == 0)
    try transcript.write("wrong", to: "secrets/key")
    #expect(try transcript.run("migrator status --check").exitCode == 3)
  }

  @Test("A mistake is reported with the name of the file and the option, and no value is shown")
  func mistakes() throws {
    let transcript = try transcript()
    let programs = try self.transcript()
    let texts = [
      "{\"databse\": \"a\"}", "{\n  \"key\": \"swordfish\"\n}", "{\"new-key\": \"swordfish\"}",
      "{\"raw-key\": \"swordfish\"}", "{\"database\": 5}", "{\"database\": \"\"}", "{\"quiet\": \"yes\"}",
      "{\"lock-timeout\": true}", "{\"lock-timeout\": \"swordfish\"}", "{\"lock-timeout\": -1}",
      "{\"backend\": \"swordfish\"}", "{\"ledger\": \"sqlite_x\"}", "{\"config\": \"a\"}", "{\"env\": \"a\"}",
      "{\"help\": true}", "{\"environments\": []}", "{\"environments\": {\"a\": 1}}",
      "{\"environments\": {\"a\": {\"databse\": \"b\"}}}", "{\"environments\": {\"a\": {\"environments\": {}}}}",
      "[]", "", "{\"database\" \"a\"}", "{\"database\": \"a\" \"ledger\": \"b\"}", "{\"database\": \"a",
      "{\"database\": }",
      "{} {}", "{\"database\": null}", "{\"rename\": [\"a=b\", 1]}",
    ]
    for text in texts {
      try transcript.write(text, to: "migrator.json")
      let outcome = try transcript.run("migrator status", shown: "migrator status  # \(text)")
      #expect(outcome.exitCode == 2, "\(text)")
      #expect(!outcome.errors.contains("swordfish"), "\(outcome.errors)")
      #expect(outcome.errors.hasPrefix("error: migrator.json: "), "\(outcome.errors)")
      try programs.write(text, to: "migrator.json")
      let json = try programs.run("migrator status --json").output
      #expect(json.contains("\"file\" : \"migrator.json\"") && !json.contains("swordfish"), "\(json)")
    }
    try transcript.run("migrator status --env prod")
    for command in ["migrator --version", "migrator help new", "migrator status --help", "migrator completions fish"] {
      #expect(try transcript.run("\(command) | head -1").exitCode == 0)
    }
    try transcript.write(Self.configuration, to: "migrator.json")
    try transcript.run("migrator status --env tst")
    try transcript.run("migrator status --env production")
    try transcript.expect(golden: "configuration-mistakes")
  }

  @Test("An app's tool ignores the options that only the tool for SQL files has")
  func optionsOfOtherCommands() throws {
    let transcript = try transcript()
    try transcript.write(
      "{\"database\": \"a.sqlite\", \"migrations\": \"db/migrations\", \"schema\": \"schema.sql\", \"force\": true}",
      to: "migrator.json")
    #expect(try transcript.run("migrator status").exitCode == 0)
    let check = try transcript.run("migrator check")
    #expect(check.output.contains("there is no file schema.sql"), "\(check.output)")
  }

  @Test(
    "A file that another user put into a parent folder is refused",
    .enabled(if: geteuid() == 0, "only the superuser can give files away"))
  func otherUser() throws {
    let transcript = try transcript()
    try transcript.run("chown 65534 migrator.json")
    let outcome = try transcript.run("cd src && migrator status")
    #expect(outcome.exitCode == 5 && outcome.errors.contains("../migrator.json belongs to another user"))
    #expect(try transcript.run("cd src && migrator status --config ../migrator.json").exitCode == 0)
    try transcript.run("chown 65534 src")
    #expect(try transcript.run("cd src && migrator status").exitCode == 0)
  }

  @Test(
    "A folder with the name of the configuration file, or a name that occurs twice, is an error",
    arguments: [
      ("mkdir migrator.json", "error: the configuration file migrator.json cannot be read\n"),
      (
        #"echo '{"database": "a.db", "database" : "b.db"}' >migrator.json"#,
        "error: migrator.json: \"database\" occurs twice\n"
      ),
      (
        #"echo '{"database": "a\\"b", "environments": {"x": {"database": ":", "json": true, "json": true}}}' >migrator.json"#,
        "error: migrator.json: \"json\" occurs twice\n"
      ),
      (
        #"echo '{"environments": {"a": {"database": "x"}, "b": {"database": "x"}}, "database": "b"}' >migrator.json"#,
        ""
      ),
    ])
  func unusableFile(line: String, error: String) throws {
    let transcript = try Transcript.withSamples()
    let outcome = try transcript.run("\(line) && timeout 20 migrator status")
    #expect(outcome.exitCode == (error.isEmpty ? 0 : 2))
    #expect(outcome.errors.hasPrefix(error), "\(outcome.errors)")
  }

  @Test(
    "DATABASE_URL names the database in the forms of other tools, after MIGRATOR_DATABASE",
    arguments: [
      ("sqlite:app.sqlite", "app.sqlite"), ("sqlite://app.sqlite", "app.sqlite"),
      ("sqlite:./app.sqlite?mode=rwc", "./app.sqlite"), ("sqlite:///tmp/none.sqlite", "/tmp/none.sqlite"),
      ("SQLite:app.sqlite", "app.sqlite"), ("sqlite:my%20app.db", "my app.db"), ("sqlite:100%.db", "100%.db"),
    ])
  func databaseURL(url: String, path: String) throws {
    let transcript = try Transcript.withSamples(variables: ["DATABASE_URL": url])
    let outcome = try transcript.run("migrator status")
    #expect(outcome.output.hasPrefix("\(path) does not exist yet"), "\(outcome.output)\(outcome.errors)")
    let typed = try transcript.run("migrator status --database '\(url)'")
    // The next command needs the option, too.
    let isPlain = !url.contains("?")
    let option = " --database \(isPlain ? url : "'\(url)'")"
    #expect(typed.output.contains("migrator migrate\(option)`"), "\(typed)")
    #expect(typed.output.replacing(option, with: "") == outcome.output, "\(typed.errors)")
    let preferred = try transcript.run("MIGRATOR_DATABASE=other.sqlite migrator status")
    #expect(preferred.output.hasPrefix("other.sqlite "))
  }

  @Test(
    "A DATABASE_URL of another kind is ignored, which the error about a missing database says without a password",
    arguments: [
      "postgres://me:secret@host/db", "file:secret.db", "sqlite::memory:", "sqlite://x?mode=memory", "secret",
    ])
  func otherURL(url: String) throws {
    let transcript = try Transcript.withSamples(variables: ["DATABASE_URL": url])
    let outcome = try transcript.run("migrator status")
    #expect(outcome.exitCode == 2)
    let reason = "why: DATABASE_URL is ignored: it does not have the form sqlite:PATH\n"
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(!outcome.errors.contains("secret"))
    #expect(try transcript.run("migrator status --database app.sqlite").errors.isEmpty)
    #expect(try transcript.run("migrator lint").exitCode == 0)
  }

  @Test(
    "A database of another kind is refused without creating a file",
    arguments: ["postgres://me:secret@host/db", "mysql:x"]
  )
  func otherAddress(url: String) throws {
    let transcript = try Transcript.withSamples()
    let outcome = try transcript.run("migrator migrate --database '\(url)'")
    #expect(outcome.exitCode == 2)
    #expect(outcome.errors.hasPrefix("error: \(url.prefix { $0 != ":" }): is not supported\n"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("secret"))
    #expect(try transcript.folder.names() == ["migrations"])
    // A name with a colon is possible for a file that exists, or with "./".
    #expect(
      try transcript.run("migrator migrate --quiet --database ./mysql:x && migrator status --check --database mysql:x")
        .exitCode == 0)
  }
}
