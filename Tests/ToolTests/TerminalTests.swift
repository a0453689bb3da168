import Migrator
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("The tool on a terminal, with an app's own migrations")
struct TerminalTests {
  private let folder: TemporaryFolder
  private let tool: MigratorTool

  init() throws {
    folder = try TemporaryFolder()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create authors") { db in
      try db.execute(sql: "CREATE TABLE author (name TEXT); INSERT INTO author VALUES ('Ursula')")
    }
    tool = MigratorTool(
      name: "app-database", migrator: migrator,
      backends: [
        ToolBackend(name: "sqlite") { TestEngine.sqlite.backend(path: $0.path) },
        ToolBackend(name: "sqlcipher", needsKey: true) { location throws(DatabaseError) in
          let isRight = location.key?.secret.withUnsafeBytes { $0.elementsEqual("one".utf8) } ?? false
          return TestEngine.sqlCipher3.backend(path: location.path, key: isRight ? .passphrase : .otherPassphrase)
        },
      ], database: folder.file("app.db"))
  }

  @Test("Nothing changes unless the answer is yes", arguments: ["", "n", "no", "Y es"])
  func declined(answer: String) throws {
    #expect(run(["rebuild"]) == 0)
    let terminal = Terminal(typing: [answer])
    #expect(tool.run(arguments: ["erase"], environment: terminal.environment()) == 5)
    #expect(terminal.text.contains("author  1 row\n"))
    #expect(try folder.names() == ["app.db"])
    #expect(run(["status", "--check"]) == 0)
  }

  @Test("The command runs if the answer is yes", arguments: ["y", "YES"])
  func confirmed(answer: String) throws {
    #expect(run(["rebuild"]) == 0)
    #expect(run(["erase"], typing: [answer]) == 0)
    #expect(try folder.names() == ["app.db", "app.db.backup-20231114T221320.000Z"])
    #expect(run(["status", "--check"]) == 1)
  }

  @Test("The tool asks twice for the key of a new database, and once for that of an existing one")
  func keys() throws {
    let path = "sqlcipher:" + folder.file("secret.db")
    #expect(run(["status", "--database", path]) == 0)
    #expect(run(["migrate", "--database", path], typing: ["one", "two"]) == 2)
    #expect(try folder.names() == [])
    #expect(run(["migrate", "--database", path], typing: ["one", "one"]) == 0)
    #expect(run(["status", "--database", path, "--check"], typing: ["one"]) == 0)
    #expect(run(["status", "--database", folder.file("secret.db")], typing: ["two"]) == 3)
  }

  @Test("Colors appear only on terminals, and can be turned off")
  func colors() {
    #expect(run(["rebuild"]) == 0)
    let colored = Terminal()
    _ = tool.run(arguments: ["status"], environment: colored.environment(variables: [:]))
    #expect(colored.text.contains("\u{1B}[32mapplied\u{1B}[0m"))
    for (arguments, variables) in [
      (["status", "--no-color"], [:]), (["status"], ["NO_COLOR": "1"]), (["status"], ["TERM": "dumb"]),
    ] {
      let plain = Terminal()
      _ = tool.run(arguments: arguments, environment: plain.environment(variables: variables))
      #expect(!plain.text.contains("\u{1B}"))
    }
  }

  @Test("An app's tool does not create files, and its messages use its name")
  func ownCommands() {
    let terminal = Terminal()
    #expect(tool.run(arguments: ["new", "x"], environment: terminal.environment()) == 2)
    #expect(terminal.text.contains("the migrations of app-database are"))
    #expect(run(["status", "--migrations", "x"]) == 2)
  }

  private func run(_ arguments: [String], typing lines: [String] = []) -> Int32 {
    let terminal = Terminal(typing: lines)
    let code = tool.run(arguments: arguments, environment: terminal.environment())
    #expect(terminal.left.isEmpty, "\(terminal.text)")
    return code
  }
}
