#if os(Linux)
  import Foundation
  import Migrator
  import TestEngines
  import Testing

  /// `watch` of an app's own tool, with a program in place of `swift` that takes no time; `SampleAppTests` has the true one.
  @Suite("Watching the sources of an app")
  struct SourceWatchTests {
    @Test("Each save builds and keeps rows, and mistakes do not end the watch")
    func saves() throws {
      let app = try WatchedApp()
      try app.start()
      #expect(app.terminal.waits(for: "keeping its rows?"))
      app.terminal.type("y\r")
      #expect(app.waits())
      try app.use { try $0.execute(sql: "INSERT INTO team (name) VALUES ('typed')") }

      try app.save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, size INTEGER)")
      #expect(app.waits())
      let page = "\(BuiltEngines.packageRoot)/Modules/Migrator/Migrator.docc/TheDevelopmentLoop.md"
      let article = Normalization.normalize(try String(contentsOfFile: page, encoding: .utf8), folder: "/home/ann")
      let text = Normalization.normalize(app.text.replacing("\r\n", with: "\n"), folder: app.folder.path)
      #expect(article.contains(text), "the article does not show:\n\(text)")
      try app.save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, size INTEGER); CREATE TABLE empty (x)")
      #expect(app.waits())
      // The table without rows is gone in the next step, which loses nothing.
      try app.save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, size INTEGER)")
      #expect(app.waits())
      #expect(!app.text.contains("not kept"), "\(app.text)")
      #expect(try app.use { try String.fetchAll($0, sql: "SELECT name FROM team WHERE size IS NULL") } == ["typed"])

      try app.save("BROKEN")
      #expect(app.waits())
      #expect(app.text.contains("error: cannot find 'BROKEN' in scope"), "\(app.text)")
      try app.save("create:CREATE TABEL team (id)")
      #expect(app.waits())
      #expect(app.text.contains("near \"TABEL\""), "\(app.text)")
      #expect(app.text.contains("while executing `CREATE TABEL team (id)`"), "\(app.text)")
      #expect(app.text.contains("next: Correct the migration, and save it."), "\(app.text)")
      try app.save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE more (x)")
      #expect(app.waits())
      #expect(try app.use { try String.fetchAll($0, sql: "SELECT name FROM team") } == ["typed"])
      #expect(try app.use { try $0.tableExists("more") })
      app.terminal.type("\u{3}")
      #expect(app.terminal.end() == 0, "\(app.text)")
      #expect(app.text.hasSuffix("Ended.\r\n"), "\(app.text)")
    }

    @Test("The renames of the app's migrator hold, and a pending migration that removes rows is reported")
    func rows() throws {
      let app = try WatchedApp()
      try app.start(["--yes"])
      #expect(app.waits())
      try app.use { try $0.execute(sql: "INSERT INTO team (name) VALUES ('typed')") }
      let renamed = "renames:team.name=title\ncreate:CREATE TABLE team (id INTEGER PRIMARY KEY, title TEXT)"
      try app.save(renamed)
      #expect(app.waits())
      #expect(app.text.contains("Kept the rows of team (1)") && !app.text.contains("warning"), "\(app.text)")
      #expect(try app.use { try String.fetchAll($0, sql: "SELECT title FROM team") } == ["typed"])
      try app.save(renamed + "\nmore:DELETE FROM team")
      #expect(app.waits())
      #expect(
        app.text.contains("warning: migration \"more\" removes 1 of the 1 row of table \"team\""), "\(app.text)")
      #expect(app.text.contains("`app-database restore newest --database app.sqlite` puts it back"), "\(app.text)")
      try app.run("cd App; '\(app.program)' sqlite built app restore newest --yes --database app.sqlite")
      #expect(try app.use { try String.fetchAll($0, sql: "SELECT title FROM team") } == ["typed"])
      app.terminal.type("\u{3}")
      #expect(app.terminal.end() == 0, "\(app.text)")
    }

    @Test(
      "A refusal that another save can lift does not end the watch, nor does a crash",
      arguments: [nil, "interactive=no,color=no"])
    func laterRefusals(backtrace: String?) throws {
      let app = try WatchedApp()
      try app.start(["--yes"], variables: backtrace.map { ["SWIFT_BACKTRACE": $0] } ?? [:])
      #expect(app.waits())
      let team = "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT)"
      for text in ["", "other:\(team.replacing("team", with: "guild"))"] {
        try app.save(text)
        #expect(app.waits())
        #expect(app.text.contains("contains objects of another migrator"), "\(text): \(app.text)")
      }
      // A precondition of `registerMigration`.
      try app.save("create:\(team)\ncreate:CREATE TABLE more (x)")
      #expect(app.waits())
      #expect(app.text.contains("warning: app-database was ended by signal"), "\(app.text)")
      try app.save("create:\(team)\nmore:CREATE TABLE more (x)")
      #expect(app.waits())
      #expect(try app.use { try $0.tableExists("more") })
      let settings = String(decoding: try app.folder.bytes(of: "App/backtraces"), as: UTF8.self).split(separator: "\n")
      #expect(Set(settings) == [backtrace.map { $0[...] } ?? "interactive=no"])
      app.terminal.type("\u{3}")
      #expect(app.terminal.end() == 0, "\(app.text)")
    }

    @Test("A key is typed once for all rebuilds, and a wrong one ends the watch", arguments: [false, true])
    func typedKey(isRaw: Bool) throws {
      let app = try WatchedApp()
      let key = isRaw ? String(repeating: "0f", count: 32) : "correct horse"
      let options = ["--yes", "--backend", "sqlcipher"] + (isRaw ? ["--raw-key"] : [])
      try app.start(options)
      for question in ["Key for the new database app.sqlite: ", "Repeat the key: "] {
        #expect(app.terminal.waits(for: question))
        app.terminal.type(key + "\r")
      }
      #expect(app.waits())
      for column in ["a", "b"] {
        try app.save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, \(column))")
        #expect(app.waits())
        #expect(
          app.text.contains("migrations: CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, \(column))"),
          "\(app.text)")
      }
      app.terminal.type("\u{3}")
      #expect(app.terminal.end() == 0, "\(app.text)")
      #expect(!app.text.contains("Key for"), "\(app.text)")

      app.terminal.forget(upTo: "Ended.")
      try app.start(options)
      #expect(app.terminal.waits(for: "Key for app.sqlite: "))
      app.terminal.type(isRaw ? String(repeating: "0", count: 64) + "\r" : "wrong\r")
      #expect(app.terminal.end() == 3, "\(app.text)")
    }

    @Test("A key from a file descriptor, which can be read once, is there for all rebuilds")
    func keyDescriptor() throws {
      let app = try WatchedApp()
      try app.folder.write("correct horse".utf8, to: "App/key")
      let command = "exec '\(app.program)' sqlite built app watch --yes --database app.sqlite --key-fd 7 7<key"
      try app.start(shell: command)
      #expect(app.waits())
      try app.save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, size INTEGER)")
      #expect(app.waits())
      #expect(app.text.contains("must be rebuilt") && !app.text.contains("error"), "\(app.text)")
      app.terminal.type("\u{3}")
      #expect(app.terminal.end() == 0, "\(app.text)")
    }

    @Test("Files of editors cause no build; new, renamed and removed files do, also of a local package")
    func files() throws {
      let app = try WatchedApp()
      try app.start(["--yes"])
      #expect(app.waits())
      let sources = "App/Sources/App/"
      for name in [
        ".App.swift.swp", "4913", "App.swift~", ".#App.swift", "#App.swift#", "App.swift.sb-1a-b2", ".DS_Store",
      ] {
        try app.folder.write("x".utf8, to: sources + name)
      }
      try app.folder.write("x".utf8, to: "App/.build/Generated.swift")
      Thread.sleep(forTimeInterval: 0.5)
      #expect(try app.builds() == 1)
      // As vim and Xcode save.
      try app.folder.write("create:CREATE TABLE a (x)\n".utf8, to: sources + ".new")
      try app.run("mv App/Sources/App/.new App/Sources/App/App.swift")
      #expect(app.waits())
      #expect(app.text.contains("Saved: Sources/App/App.swift"), "\(app.text)")
      for (command, expected) in [
        (
          "mkdir App/Sources/App/More; echo 'b:CREATE TABLE b (x)' >App/Sources/App/More/B.swift",
          "Saved: Sources/App/More/B.swift"
        ),
        (
          "mv App/Sources/App/More App/Sources/App/Less",
          "Saved: Sources/App/Less/B.swift\r\nRemoved: Sources/App/More/B.swift"
        ),
        ("rm App/Sources/App/Less/B.swift", "Removed: Sources/App/Less/B.swift"),
        ("echo 'c:CREATE TABLE c (x)' >Core/Sources/Core/Core.swift", "/Core/Sources/Core/Core.swift"),
      ] {
        try app.run(command)
        #expect(app.waits(), "\(command)")
        #expect(app.text.contains("\(expected)\r\n"), "\(command): \(app.text)")
      }
      #expect(try app.use { db in try ["team", "a", "b", "c"].filter { try db.tableExists($0) } } == ["a", "c"])
      #expect(try app.builds() == 6)
      app.terminal.type("\u{3}")
      #expect(app.terminal.end() == 0)
    }

    @Test("A save within a build causes another one, and Ctrl-C ends a build, and a rebuild with 130")
    func interruptions() throws {
      let app = try WatchedApp()
      try app.start(["--yes"])
      #expect(app.waits())
      try app.folder.write(Data(), to: "App/slow")
      try app.save("create:CREATE TABLE a (x)")
      #expect(app.terminal.waits(for: "building"))
      try app.save("create:CREATE TABLE b (x)")
      try app.run("rm App/slow")
      #expect(app.waits())
      #expect(app.waits())
      #expect(try app.use { try $0.tableExists("b") && !$0.tableExists("a") })

      try app.save("create:CREATE TABLE b (x)\nendless:\(SampleMigrations.endless.replacing("\n", with: " "))")
      #expect(app.terminal.waits(for: "1 pending migration"), "\(app.text)")
      Thread.sleep(forTimeInterval: 0.3)
      app.terminal.type("\u{3}")
      #expect(app.terminal.end() == 130, "\(app.text)")
      #expect(app.text.contains("interrupted"), "\(app.text)")
      #expect(try app.use { try $0.tableExists("b") })

      let other = try WatchedApp()
      try other.folder.write(Data(), to: "App/slow")
      try other.start(["--yes"])
      #expect(other.terminal.waits(for: "building"))
      other.terminal.type("\u{3}")
      #expect(other.terminal.end() == 0, "\(other.text)")
      #expect(other.text.hasSuffix("Ended.\r\n"), "\(other.text)")
    }

    @Test(
      "What another save would not change ends the watch: a foreign database, no package, a program outside of a build")
    func refusals() throws {
      let app = try WatchedApp()
      // `migrate` does not mark a database as one for development.
      try app.run("cp App/Sources/App/App.swift App/built")
      try app.run("cd App; '\(app.program)' sqlite built app migrate --database app.sqlite")
      try app.use { try $0.execute(sql: "INSERT INTO team (name) VALUES ('typed')") }
      try app.save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, size INTEGER)")
      try app.start(["--yes"])
      #expect(app.terminal.end() == 5)
      #expect(app.text.contains("Do what the message above says"), "\(app.text)")
      let arguments = ["sqlite", "\(app.folder.path)/App/built", "app", "watch", "--yes", "--database", "x.sqlite"]
      let outside = ToolProcess(folder: app.folder.path)
      let noPackage = try outside.run(URL(filePath: app.program), arguments)
      #expect(noPackage.exitCode == 2 && noPackage.errors.contains("Package.swift"), "\(noPackage.errors)")
      try app.run("mkdir bin; ln App/.build/linux/debug/app-database bin/app-database")
      let installed = try ToolProcess(folder: "\(app.folder.path)/App").run(
        URL(filePath: "\(app.folder.path)/bin/app-database"), arguments)
      #expect(
        installed.exitCode == 2 && installed.errors.contains("swift run app-database watch"), "\(installed.errors)")
      let unasked = try ToolProcess(folder: "\(app.folder.path)/App").run(
        URL(filePath: app.program), arguments.filter { $0 != "--yes" })
      #expect(unasked.exitCode == 5 && unasked.errors.contains("--yes"), "\(unasked.errors)")
    }
  }

  /// A package whose tool watches its sources, a local package that it depends on, and a program in place of `swift`.
  private final class WatchedApp {
    let folder: TemporaryFolder
    let terminal: PseudoTerminal
    var program: String { folder.file("App/.build/linux/debug/app-database") }
    var text: String { terminal.text }

    init() throws {
      folder = try TemporaryFolder()
      terminal = try PseudoTerminal(columns: 200)
      let worker = try TestWorkerProgram.url.path
      try run(
        """
        mkdir -p swift App/Sources/App App/.build/linux/debug Core/Sources/Core
        ln '\(worker)' \(program) 2>/dev/null || cp '\(worker)' \(program)
        touch App/Package.swift App/built Core/Package.swift Core/Sources/Core/Core.swift
        """)
      try folder.write(
        #"{"object": {"dependencies": [{"state": {"name": "fileSystem", "path": "\#(folder.path)/Core"}}]}}"#.utf8,
        to: "App/.build/workspace-state.json")
      // Builds what `WorkerTask.runApp` runs.
      try folder.write(
        """
        #!/bin/sh
        echo "$@" >>builds
        echo "$SWIFT_BACKTRACE" >>backtraces
        [ -e slow ] && echo building
        while [ -e slow ]; do sleep 0.05; done
        (find Sources -name '[!.#]*.swift' | sort; echo ../Core/Sources/Core/Core.swift) | xargs cat >all
        if grep -q BROKEN all; then echo "App.swift:1:1: error: cannot find 'BROKEN' in scope" >&2; exit 1; fi
        mv all built
        """.utf8, to: "swift/swift")
      try run("chmod +x swift/swift")
      try save("create:CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT)")
    }

    func start(_ options: [String] = [], variables: [String: String] = [:]) throws {
      let usual = ["PATH": "\(folder.path)/swift:/usr/bin:/bin", "NO_COLOR": "1"]
      try terminal.start(
        ["sqlite", "built", "app", "watch", "--database", "app.sqlite"] + options, folder: folder.file("App"),
        variables: usual.merging(variables) { $1 }, executable: program)
    }

    /// Starts the watch by a command of the shell.
    func start(shell command: String) throws {
      try terminal.start(
        ["-c", command], folder: folder.file("App"),
        variables: ["PATH": "\(folder.path)/swift:/usr/bin:/bin", "NO_COLOR": "1"], executable: "/bin/sh")
    }

    /// Writes the app's only source file.
    func save(_ text: String) throws { try folder.write((text + "\n").utf8, to: "App/Sources/App/App.swift") }

    /// Forgets what was printed before the last wait, and waits until the watch waits.
    func waits() -> Bool {
      terminal.forget(upTo: "Ctrl-C ends it.\r\n")
      return terminal.waits(for: "Ctrl-C ends it.\r\n")
    }

    func run(_ command: String) throws { try ShellScript.run(command, in: folder.path) }

    /// Returns the number of calls of `swift`.
    func builds() throws -> Int {
      String(decoding: try folder.bytes(of: "App/builds"), as: UTF8.self).split(separator: "\n").count
    }

    @discardableResult
    func use<Value>(_ body: (Database) throws -> Value) throws -> Value {
      let queue = try TestEngine.sqlite.queue(path: folder.file("App/app.sqlite"))
      let value = try queue.write(body)
      try queue.close()
      return value
    }
  }
#endif
