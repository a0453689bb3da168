import Foundation
import TestEngines
import Testing

@Suite("The published schema of the JSON output")
struct OutputSchemaTests {
  @Test("every command prints objects of a published form, and every form is printed")
  func forms() throws {
    var variables = ["MIGRATOR_DATABASE": "app.sqlite", "K": String(repeating: "5a", count: 32)]
    variables["NEW"] = String(repeating: "a5", count: 32)
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = TestEngine.sqlCipher4.libraryPath
    let transcript = try Transcript.withSamples(variables: variables)
    let key = "--database app.db --key-env K --raw-key"
    let commands = [
      "", "--version", "help migrate", "completions fish", "status", "plan", "migrate --dry-run", "lint",
      "lint --rules", "check",
      "dump --from migrations", "diagram --from migrations", "migrate", "status", "verify", "diff", "adopt", "baseline",
      "restore", "new empty", "new same --to database", "erase", "erase --yes --force-foreign", "rebuild",
      "rebuild --force --yes --keep-data", "restore", "restore newest --yes", "status --databases '*.sqlite'",
      "plan --databases '*.sqlite' --to nothing", "migrate \(key)", "upgrade-cipher \(key)",
      "rekey \(key) --new-key-env NEW --new-raw-key", "decrypt --database app.db --key-env NEW --raw-key",
      "encrypt \(key)", "migrate --database nowhere/app.db",
    ]
    for command in commands { try transcript.run("migrator \(command) --json") }
    try transcript.run(
      "migrator watch --yes --database dev.sqlite --json >out & until grep -qs '^}' out; do sleep 0.02; done; kill -INT $!; "
        + "wait $!; cat out")
    try transcript.run("echo 'ALTER TABLE author RENAME COLUMN nothing TO something;' >migrations/9_wrong.sql")
    for command in ["plan", "migrate"] { try transcript.run("migrator \(command) --json") }
    let schema = try JSONSchema()
    #expect(Set(schema.forms).subtracting(transcript.forms) == [])
    #expect(Set(schema.forms).isSuperset(of: transcript.forms))
  }

  @Test("an object that lacks a member, or has another one, or one of another type, has no published form")
  func faults() throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    let object = try #require(JSON.objects(in: transcript.run("migrator status --json").output).first?.members)
    let schema = try JSONSchema()
    #expect(throws: Never.self) { try schema.form(of: .object(object)).get() }
    for name in ["exists", "migrations", "counts", "format", "command"] {
      var other = object
      other[name] = nil
      // Any command may print an object without its name, but not with these members.
      #expect(throws: JSONSchema.Faults.self, "without \(name)") { try schema.form(of: .object(other)).get() }
      other[name] = .list([.number(1.5)])
      #expect(throws: JSONSchema.Faults.self, "\(name)") { try schema.form(of: .object(other)).get() }
    }
    var other = object
    other["surprise"] = .flag(true)
    #expect(throws: JSONSchema.Faults.self) { try schema.form(of: .object(other)).get() }
  }

  @Test("the next command after an error can be run as it is, and never confirms anything")
  func next() throws {
    let transcript = try Transcript.withSamples()
    let steps = [
      ("status --database app.sqlite", nil),
      ("migrate --database app.sqlite --to wrong", "migrator status --database app.sqlite"),
      ("erase --database app.sqlite --json", nil),
      ("migrate --databases '*.sqlite' --to wrong", "migrator status --databases '*.sqlite'"),
      ("migrate --databases-from list --jobs 1 --to wrong", "migrator status --databases-from list --jobs 1"),
      ("migrate --databases-from - --to wrong <list", nil),
      ("migrate --databases A.DB --plan 1", "migrator plan --databases A.DB --json"),
      ("migrate --database A.DB --plan 1", "migrator plan --database A.DB --json"),
    ]
    try transcript.run("migrator migrate --database app.sqlite")
    try transcript.run("cp app.sqlite A.DB && echo app.sqlite >list")
    for (line, expected) in steps {
      let object = try #require(JSON.objects(in: transcript.run("migrator \(line) --json").output).first)
      let next = object["error"]?["next"]?.text
      #expect(next == expected, "\(line)")
      if let next { #expect(try transcript.run(next).exitCode == 0) }
    }
  }
}
