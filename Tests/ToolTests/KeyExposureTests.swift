#if os(Linux)
  import Foundation
  import TestEngines
  import Testing

  @Suite("Exposure of keys")
  struct KeyExposureTests {
    private static let secret = "unmistakable-passphrase-4711"
    private static let marker = "planted-marker-0815"

    @Test(
      "A process with a key exposes it neither in its arguments nor in its variables, and leaves no core dump",
      .disabled(if: Sanitizer.isPresent, "a sanitizer handles the signals of a crash itself"))
    func core() throws {
      let trial = try CoreTrial(["--database", "sqlcipher:app.db", "--key-file", "key"])
      try trial.waitForWork()
      #expect(!(try trial.file("cmdline")).contains(Self.secret))
      #expect(!(try trial.file("environ")).contains(Self.secret))
      #expect(try trial.file("coredump_filter").trimmingCharacters(in: .whitespacesAndNewlines) == "00000000")
      #expect(try trial.file("limits").contains(#/Max core file size +0 +0 /#))
      try trial.crash()
      #expect(try trial.cores().isEmpty)
    }

    @Test(
      "With a wrong key, standard error has the tool's message alone: no log of the engine, and no key",
      arguments: TestEngine.allCases.filter(\.isEncrypted))
    func wrongKey(engine: TestEngine) throws {
      var variables = ["MIGRATOR_DATABASE": "sqlcipher:app.db", "OLD": Self.marker, "WRONG": Self.secret]
      variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
      let transcript = try Transcript.withSamples(variables: variables)
      try #require(transcript.run("migrator migrate --quiet --key-env OLD").exitCode == 0)
      let before = try transcript.folder.bytes(of: "app.db")
      for command in ["status", "migrate", "rebuild --yes", "verify", "decrypt"] {
        let outcome = try transcript.run("migrator \(command) --key-env WRONG")
        #expect(outcome.exitCode == 3 && outcome.errors.hasPrefix("error: "), "\(command): \(outcome)")
        #expect(outcome.errors.split(separator: "\n").count <= 3, "\(outcome.errors)")
        #expect(!"\(outcome)".contains(Self.secret) && !"\(outcome)".contains(Self.marker))
        #expect(try transcript.folder.bytes(of: "app.db") == before, "\(command)")
      }
    }

    @Test(
      "Swift's crash reports, which print registers and memory, are off in a process with a key",
      .disabled(if: Sanitizer.isPresent, "a sanitizer handles the signals of a crash itself"), arguments: [true, false])
    func report(hasKey: Bool) throws {
      let trial = try CoreTrial(
        hasKey ? ["--database", "sqlcipher:app.db", "--key-file", "key"] : ["--database", "app.db"], reports: true)
      try trial.waitForWork()
      let caught = try #require(trial.file("status").firstMatch(of: #/SigCgt:\s*([0-9a-f]+)/#)?.output.1)
      let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV].reduce(0 as UInt64) { $0 | 1 << UInt64($1 - 1) }
      #expect(try #require(UInt64(caught, radix: 16)) & crashes == (hasKey ? 0 : crashes))
    }

    @Test(
      "Control: a process without a key may dump core, and the search finds a marker in it",
      .disabled(if: Sanitizer.isPresent, "a sanitizer handles the signals of a crash itself"))
    func control() throws {
      let trial = try CoreTrial(["--database", "app.db"])
      try trial.waitForWork()
      #expect(try trial.file("coredump_filter").trimmingCharacters(in: .whitespacesAndNewlines) != "00000000")
      try trial.crash()
      // If the system sends core dumps elsewhere, there is no file to search.
      guard try trial.writesCoresHere() else { return }
      let cores = try trial.cores()
      #expect(cores.count == 1)
      for core in cores { #expect(try trial.bytes(core).range(of: Data(Self.marker.utf8)) != nil) }
    }

    @Test("Child processes inherit no variable that could contain a key")
    func children() throws {
      let transcript = try Transcript.withSamples(variables: ["SECRET": Self.secret, "MIGRATOR_DATABASE": "app.db"])
      try transcript.write(
        "#!/bin/sh\nenv >seen; tr '\\\\0' '\\\\n' </proc/$$/cmdline >>seen; cat >/dev/null\n", to: "bin/dot")
      let line = "migrator migrate --quiet --key-env SECRET; chmod +x bin/dot; PATH=$PWD/bin:$PATH "
      _ = try transcript.run(line + "migrator diagram --key-env SECRET --format svg")
      let seen = String(decoding: try transcript.folder.bytes(of: "seen"), as: UTF8.self)
      #expect(seen.contains("PATH="))
      #expect(!seen.contains(Self.secret), "\(seen)")
    }

    @Test("Child processes do not inherit the descriptor that a key was read from")
    func descriptors() throws {
      let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
      try transcript.write(Self.secret, to: "key")
      try transcript.write("#!/bin/sh\nls -l /proc/$$/fd >seen; cat >/dev/null\n", to: "bin/dot")
      let line = "migrator migrate --quiet --key-file key; chmod +x bin/dot; PATH=$PWD/bin:$PATH "
      _ = try transcript.run(line + "migrator diagram --key-fd 7 --format svg 7<key")
      let seen = String(decoding: try transcript.folder.bytes(of: "seen"), as: UTF8.self)
      #expect(seen.contains("pipe:") && !seen.contains("/key"), "\(seen)")
    }

    /// The tool in an endless migration, until the test makes it crash.
    private final class CoreTrial {
      private let transcript: Transcript
      private let process: Process

      init(_ arguments: [String], reports: Bool = false) throws {
        transcript = try Transcript()
        try transcript.write(KeyExposureTests.secret + "\n", to: "key")
        let endless =
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT max(i) FROM n"
        try transcript.write(
          "CREATE TABLE t (a);\nINSERT INTO t VALUES ('\(KeyExposureTests.marker)');\nINSERT INTO t \(endless);\n",
          to: "migrations/1_t.sql")
        // The core limit of a developer who wants core dumps.
        // Swift's crash handler would catch the signal and continue.
        let tool = ToolProcess(
          folder: transcript.folder.path, variables: ["SWIFT_BACKTRACE": "enable=\(reports ? "yes" : "no")"])
        process = try tool.startShell(
          "ulimit -c unlimited; exec migrator migrate \(arguments.joined(separator: " ")) >said 2>&1")
      }

      deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

      func waitForWork() throws {
        let journal = transcript.folder.file("app.db-journal")
        while process.isRunning, !FileManager.default.fileExists(atPath: journal) { usleep(1000) }
        let said = String(decoding: try transcript.folder.bytes(of: "said"), as: UTF8.self)
        try #require(process.isRunning, "\(said)")
      }

      func file(_ name: String) throws -> String {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process.processIdentifier)/\(name)"))
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
      }

      func crash() throws {
        // A signal that dumps core and is not blocked in the threads of the tests.
        kill(process.processIdentifier, SIGSEGV)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
      }

      func cores() throws -> [String] { try transcript.folder.names().filter { $0.hasPrefix("core") } }

      func writesCoresHere() throws -> Bool {
        try String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8).hasPrefix("core")
      }

      func bytes(_ name: String) throws -> Data { try transcript.folder.bytes(of: name) }
    }
  }
#endif
