import Foundation
import Migrator
import TestEngines
import Testing

/// Apps that are built as outside packages: those of `Tests/SampleApps` by SwiftPM, with the plugins, and the one of the README.
///
/// One after another, since two builds in one scratch folder disturb each other.
@Suite(
  "Apps in separate packages", .serialized,
  .disabled(if: Sanitizer.isPresent, "an outside package is not built with the sanitizer"))
struct SampleAppTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL.path
  private static let apps = "\(root)/Tests/SampleApps"
  private static let fullOnly: Comment =
    "NOT TESTED in this run: building the sample apps takes minutes of processor time. Tools/test --full does it."

  /// The folder of the sample apps' programs, built once.
  private static let programs = Result {
    try built("\(root)/Tools/checks/sample-apps").split(separator: "\n").last.map(String.init) ?? ""
  }

  /// A shell that finds the sample apps and the tool.
  private func shell(in folder: TemporaryFolder) throws -> ToolProcess {
    let path = "\(try Self.programs.get()):\(try ToolProcess.folder()):/usr/bin:/bin"
    return ToolProcess(folder: folder.path, variables: ["PATH": path, "DIARY_KEY": "sesame"])
  }

  /// Runs a command that succeeds, and returns what it printed.
  private func output(_ command: String, _ shell: ToolProcess) throws -> String {
    let outcome = try shell.shell(command)
    try #require(outcome.exitCode == 0, "\(command)\n\(outcome.output)\(outcome.errors)")
    return outcome.output
  }

  @Test(
    "Two lines give an app every command, on plain and encrypted databases", .enabled(if: TestTier.isFull, fullOnly))
  func commands() throws {
    let transcript = try Transcript(variables: [
      "PATH": "\(try Self.programs.get()):/usr/bin:/bin", "K": "correct horse",
    ])
    for database in ["--database app.sqlite", "--database app.db --key-env K"] {
      let path = database.hasSuffix("K") ? "sqlcipher:app.db --key-env K" : "app.sqlite"
      for command in [
        "status --check --quiet", "plan --no-rehearsal", "rebuild", "migrate", "status", "verify --quiet", "rebuild",
        "rebuild --force --yes",
        "erase --yes", "migrate --dry-run --quiet",
      ] {
        try transcript.run("app-database \(command) --database \(path)")
      }
    }
    for command in [
      "new prices", "status --migrations x --database a", "help | head -8", "completions fish | head -2",
    ] {
      try transcript.run("app-database \(command)")
    }
    try transcript.expect(golden: "sample-app")
  }

  @Test(
    "An app embeds its SQL files, and shares the database with the tool, which reads the same files",
    .enabled(if: TestTier.isFull, fullOnly))
  func embedded() throws {
    let folder = try TemporaryFolder()
    let shell = try shell(in: folder)
    #expect(try output("Notes notes.sqlite 'two words' one", shell) == "2: two words\n1: one\n")
    #expect(try output("Notes notes.sqlite", shell) == "2: two words\n1: one\n")
    let options = "--migrations '\(Self.apps)/Sources/Notes/Migrations' --check"
    let status = try output("migrator status --database notes.sqlite \(options)", shell)
    #expect(status.contains("2 applied") && !status.contains("edited"))
    _ = try output("migrator migrate --database other.sqlite \(options.dropLast(8))", shell)
    #expect(try output("Notes other.sqlite", shell) == "")
  }

  @Test(
    "Apps lend a connection of GRDB and of SQLite.swift, and keep the history of either",
    .enabled(if: TestTier.isFull, fullOnly))
  func borrowed() throws {
    let folder = try TemporaryFolder()
    let shell = try shell(in: folder)
    let players = "CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);"
    let history = "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);"
    let users = "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT); PRAGMA user_version = 1;"
    for (app, sql) in [
      ("Scores", "\(players) \(history) INSERT INTO grdb_migrations VALUES ('Create players');"),
      ("Contacts", users),
    ] {
      #expect(try output("\(app) new.sqlite && rm new.sqlite", shell) == "0\n")
      let database = try TestEngine.sqlite.queue(path: folder.file("\(app).sqlite"))
      try database.write { db in
        try db.execute(sql: sql + "INSERT INTO \(app == "Scores" ? "player (name)" : "users (email)") VALUES ('x')")
      }
      try database.close()
      for _ in 1...2 { #expect(try output("\(app) \(app).sqlite", shell) == "1\n") }
    }
  }

  @Test(
    "An app keeps an encrypted database, of which no text reaches the disk", .enabled(if: TestTier.isFull, fullOnly))
  func encrypted() throws {
    let folder = try TemporaryFolder()
    let shell = try shell(in: folder)
    for entries in ["plain text", "plain text\nplain text"] {
      #expect(try output("Diary diary.db 'plain text'", shell) == entries + "\n")
    }
    #expect(try folder.bytes(of: "diary.db").firstRange(of: Data("plain text".utf8)) == nil)
    #expect(try shell.shell("DIARY_KEY=wrong Diary diary.db").exitCode != 0)
  }

  @Test(
    "An app whose SQLCipher is linked statically runs it beside the loaded SQLite, also when it is stripped",
    .enabled(if: TestTier.isFull, fullOnly))
  func linked() throws {
    let folder = try TemporaryFolder()
    let shell = try shell(in: folder)
    _ = try output("strip -o stripped \"$(command -v Linked)\"", shell)
    #expect(try !output("nm -D stripped", shell).contains("sqlite3_"))
    let lines = try output("mkdir data && ./stripped data", shell).split(separator: "\n").map(String.init)
    let loaded = try TestEngine.sqlite.engineDescription().version
    let linked = try #require(lines.first?.split(separator: " ").last)
    #expect(
      lines == [
        "pool: Ursula, SQLite \(linked)", "borrowed: true", "plain: Ursula, SQLite \(loaded)",
        "encrypted: Ursula, SQLite \(linked)", "plain again: notADatabase",
      ])
    for name in ["diary.db", "library.db"] {
      #expect(try folder.bytes(of: "data/\(name)").firstRange(of: Data("author".utf8)) == nil)
    }
  }

  @Test(
    "An app whose SQLite is linked statically loads nothing, and keeps every rule of the contract",
    .enabled(if: TestTier.isFull, fullOnly))
  func loadsNothing() throws {
    let folder = try TemporaryFolder()
    let shell = try shell(in: folder)
    let refusal = """
      #include <unistd.h>
      void *dlopen(const char *name, int mode) { (void)!write(2, "REFUSED", 7); return 0; }
      char *dlerror(void) { return "refused"; }
      """
    try folder.write(refusal.utf8, to: "refusal.c")
    try ShellScript.run("clang -w -shared -fPIC refusal.c -o refusal.so", in: folder.path)
    let outcome = try shell.shell("mkdir data && LD_PRELOAD=./refusal.so LinkedPlain data")
    #expect(outcome.exitCode == 0 && !outcome.errors.contains("REFUSED"), "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "[\"Create authors\"]")
    let counts = lines.last?.split(separator: " ") ?? []
    #expect(counts.count == 4 && counts[0] == counts[2], "\(outcome.output)")
    // An app that loads its engine fails in this way.
    let other = try shell.shell("LD_PRELOAD=./refusal.so Library app.sqlite")
    #expect(other.exitCode != 0 && other.errors.contains("REFUSED"))
  }

  @Test(
    "An app and its own tool share a database; either may migrate it first",
    .enabled(if: TestTier.isFull, fullOnly), arguments: [true, false])
  func shared(appFirst: Bool) throws {
    let folder = try TemporaryFolder()
    let shell = try shell(in: folder)
    let commands = ["Library app.sqlite", "app-database migrate --database app.sqlite"]
    for command in appFirst ? commands : commands.reversed() { _ = try output(command, shell) }
    #expect(try output("Library app.sqlite", shell) == "Ursula\n")
    #expect(try output("app-database status --check --database app.sqlite", shell).contains("2 applied"))
  }

  #if os(Linux)
    @Test(
      "An app's own tool builds its package at each save, also for a local package with the migrations",
      .enabled(if: TestTier.isFull, fullOnly))
    func watch() throws {
      _ = try Self.programs.get()
      let folder = try TemporaryFolder()
      let files = [
        "App/Package.swift": """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
          name: "WatchedApp", platforms: [.macOS(.v13)],
          dependencies: [.package(name: "Migrator", path: "\(Self.root)"), .package(path: "../WatchedCore")],
          targets: [
            .executableTarget(
              name: "watched-app",
              dependencies: [
                "WatchedCore", .product(name: "MigratorCommand", package: "Migrator"),
                .product(name: "SQLiteCommand", package: "Migrator"),
              ])
          ])
        """,
        "App/Sources/watched-app/main.swift": """
        import MigratorCommand
        import SQLiteCommand
        import WatchedCore

        MigratorTool(name: "watched-app", migrator: migrator(), backends: [.sqlite]).main()
        """,
        "WatchedCore/Package.swift": """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
          name: "WatchedCore", platforms: [.macOS(.v13)],
          products: [.library(name: "WatchedCore", targets: ["WatchedCore"])],
          dependencies: [.package(name: "Migrator", path: "\(Self.root)")],
          targets: [.target(name: "WatchedCore", dependencies: [.product(name: "Migrator", package: "Migrator")])])
        """,
      ]
      func write(_ text: String, to name: String) throws {
        let file = URL(filePath: folder.file(name))
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
      }
      func save(_ body: String) throws {
        let text = """
          import Migrator

          public func migrator() -> DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("Create players") { db in \(body) }
            return migrator
          }
          """
        try write(text, to: "WatchedCore/Sources/WatchedCore/Migrations.swift")
      }
      for (name, text) in files { try write(text, to: name) }
      try save(#"try db.execute(sql: "CREATE TABLE player (name TEXT)")"#)
      // The folder of the sample apps, in which this package is built already.
      let build = "swift build --package-path '\(folder.path)/App' --scratch-path '\(Self.root)/.build/samples'"
      _ = try Self.built("\(build) --product watched-app")
      let bin = try Self.programs.get()

      let terminal = try PseudoTerminal(columns: 200)
      try terminal.start(
        ["watch", "--yes", "--database", "app.sqlite"], folder: folder.file("App"),
        variables: ProcessInfo.processInfo.environment, executable: "\(bin)/watched-app")
      #expect(terminal.waits(for: "Ctrl-C ends it.", atMost: .seconds(600)), "\(terminal.text)")
      let path = folder.file("App/app.sqlite")
      try TestEngine.sqlite.queue(path: path).write { try $0.execute(sql: "INSERT INTO player VALUES ('Ann')") }
      for (body, expected) in [
        (#"try db.execute(sql: "CREATE TABLE player (name TEXT)""#, "error:"),
        (#"try db.execute(sql: "CREATE TABLE player (name TEXT, score INTEGER)")"#, "Kept the rows of player (1)"),
      ] {
        terminal.forget()
        try save(body)
        #expect(terminal.waits(for: "Ctrl-C ends it.", atMost: .seconds(600)), "\(terminal.text)")
        #expect(terminal.text.contains(expected), "\(terminal.text)")
      }
      terminal.type("\u{3}")
      #expect(terminal.end() == 0, "\(terminal.text)")
      let names = try TestEngine.sqlite.queue(path: path).read { db in
        try String.fetchAll(db, sql: "SELECT name FROM player WHERE score IS NULL")
      }
      #expect(names == ["Ann"])
    }
  #endif

  @Test(
    "`swift package migrator` runs the tool in a package that depends on this one",
    .enabled(if: TestTier.isFull, fullOnly))
  func plugin() throws {
    let folder = try TemporaryFolder()
    _ = try output("Notes notes.sqlite one", shell(in: folder))
    let package = "'\(Self.root)/Tools/checks/sample-apps' migrator"
    let options = "--migrations Sources/Notes/Migrations --database '\(folder.path)/notes.sqlite'"
    #expect(try Self.built("\(package) status \(options)").contains("2 applied"))
    let failure = try ToolProcess(folder: folder.path, variables: ProcessInfo.processInfo.environment)
      .shell("\(package) status --no-such-option 2>&1")
    #expect(failure.exitCode == 1 && failure.output.contains("--no-such-option"))
    #expect(failure.output.contains("Plugin ended with exit code 2"))
    // Without options, it finds the folder that a target embeds, and names the database for development.
    let status = try Self.built("\(package) status")
    #expect(status.contains("dev.sqlite does not exist yet") && status.contains("2 pending"), "\(status)")
    // The variable of that name would exclude the databases of a configuration file.
    try folder.write(Data(#"{"databases": "*.sqlite"}"#.utf8), to: "migrator.json")
    let fleet = try Self.built("\(package) status --config '\(folder.path)/migrator.json'")
    #expect(fleet.contains("1 database in"), "\(fleet)")
  }

  @Test("The README's unchanged package and program create a plain and an encrypted database")
  func readme() throws {
    let app = try TemporaryFolder.forThisRun()
    _ = try Self.built("'\(Self.root)/Tools/checks/readme-app' '\(ToolProcess.programs.path)' '\(app)'")
    let folder = try TemporaryFolder()
    let tool = ToolProcess(
      folder: folder.path, variables: ["PATH": "\(app):\(try ToolProcess.folder()):/usr/bin:/bin", "K": "sesame"])
    for _ in 1...2 { try #require(tool.shell("App").exitCode == 0) }
    let plain = try folder.bytes(of: "library.sqlite")
    let encrypted = try folder.bytes(of: "diary.db")
    #expect(plain.starts(with: Array("SQLite format 3\0".utf8)))
    #expect(plain.firstRange(of: Data("CREATE TABLE".utf8)) != nil)
    #expect(encrypted.firstRange(of: Data("CREATE TABLE".utf8)) == nil)
    let dump = try tool.shell("migrator dump --database library.sqlite").output
    #expect(dump.contains(#""name" TEXT NOT NULL COLLATE "NOCASE""#))
    #expect(try tool.shell("migrator dump --database diary.db --key-env K").output == dump)
  }

  /// Runs a script that builds something, and returns what it printed.
  private static func built(_ script: String) throws -> String {
    let variables = ProcessInfo.processInfo.environment
    // One pipe for both: a linker's errors may exceed the capacity of a pipe that is read second.
    let outcome = try ToolProcess(folder: root, variables: variables).shell("\(script) 2>&1")
    try #require(outcome.exitCode == 0, "\(outcome.output)")
    return outcome.output
  }
}
