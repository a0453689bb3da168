import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Ending the tool early")
struct SignalTests {
  @Test("Ctrl-C rolls the running migration back and ends with 130")
  func interrupt() throws {
    let (transcript, outcome) = try endEarly { $0.interrupt() }
    #expect(outcome.exitCode == 130)
    #expect(outcome.errors.contains("everything in 0002_endless; 0001_first stays applied"))
    try expectFirstOnly(transcript)
  }

  @Test("Ctrl-C does not roll back a migration without a transaction, and says so")
  func interruptWithoutTransaction() throws {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE first (a);\n", to: "migrations/0001_first.sql")
    try transcript.write(
      "-- migrator: no-transaction\nCREATE TABLE second (a);\n\(Self.endlessQuery);\n",
      to: "migrations/0002_endless.sql")
    #expect(try transcript.run("migrator migrate --quiet --to 0001_first --database app.sqlite").exitCode == 0)
    let tool = ToolProcess(folder: transcript.folder.path)
    let (process, _, errors) = try tool.start(["migrate", "--database", "app.sqlite"])
    let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
    let tables = "SELECT count(*) FROM sqlite_master WHERE name = 'second'"
    while process.isRunning, try queue.read({ try Int.fetchOne($0, sql: tables) }) == 0 { usleep(1000) }
    process.interrupt()
    let complained = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130, "\(complained)")
    #expect(
      complained.contains("rolled back: nothing, because 0002_endless runs without a transaction"), "\(complained)")
    #expect(complained.contains("next: Find out which statements of the migration have run"), "\(complained)")
    #expect(try queue.read { try Int.fetchOne($0, sql: tables) } == 1)
  }

  #if os(Linux)
    @Test(
      "Ctrl-C interrupts a statement of a rehearsal, and nothing is changed",
      arguments: [
        "plan", "check", "lint", "dump --from migrations", "diff", "diagram --from migrations",
        "rebuild --force --force-foreign --yes",
      ])
    func rehearsal(command: String) throws {
      let transcript = try Self.migrated()
      try transcript.write("CREATE TABLE second AS \(Self.endlessQuery);\n", to: "migrations/0002_endless.sql")
      try interruptWorking(command, transcript)
    }

    @Test("Ctrl-C interrupts the check of a file that takes long")
    func verification() throws {
      let transcript = try Self.migrated()
      let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
      try queue.writeWithoutTransaction { db in
        // The integrity check computes the expression for each row, which takes milliseconds.
        try db.execute(
          sql: """
            CREATE TABLE slow (a);
            CREATE INDEX slow_index ON slow (length(replace(hex(zeroblob(a)), '00', 'ab')));
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
              INSERT INTO slow SELECT 1000000 FROM n;
            """)
      }
      try queue.close()
      try interruptWorking("verify", transcript)
    }

    /// Interrupts a command that works for a long time, and expects that it changes nothing.
    private func interruptWorking(_ command: String, _ transcript: Transcript) throws {
      let before = try transcript.folder.bytes(of: "app.sqlite")
      let tool = ToolProcess(folder: transcript.folder.path)
      let words = command.split(separator: " ").map(String.init)
      let (process, _, errors) = try tool.start(words + ["--database", "app.sqlite"])
      let statistics = "/proc/\(process.processIdentifier)/stat"
      // The command prints nothing while it works; but only the long part uses a quarter of a second of CPU time.
      while process.isRunning,
        let words = try? String(contentsOfFile: statistics, encoding: .utf8).split(separator: " "),
        Int(words[13]) ?? 0 < 25
      { usleep(5000) }
      process.interrupt()
      let complained = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == 130, "\(complained)")
      #expect(complained.contains("error: interrupted"), "\(complained)")
      #expect(try transcript.folder.bytes(of: "app.sqlite") == before)
      #expect(try transcript.folder.names() == ["app.sqlite", "migrations"])
    }

    @Test(
      "Ctrl-C ends a command that waits for a lock",
      arguments: ["status", "verify", "plan", "dump", "diff", "diagram"])
    func waiting(command: String) throws {
      let transcript = try Self.migrated()
      let before = try transcript.folder.bytes(of: "app.sqlite")
      let printed = try TemporaryFolder()
      let queue = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN EXCLUSIVE")
        // Tests that run in the background may ignore the signal, and so would the processes that they start.
        let process = try ToolProcess(folder: transcript.folder.path).startShell(
          "exec env --default-signal=INT migrator \(command) --database app.sqlite 2> \(printed.file("errors"))")
        func errors() -> String { (try? String(contentsOfFile: printed.file("errors"), encoding: .utf8)) ?? "" }
        while process.isRunning, !errors().contains("waiting") { usleep(1000) }
        process.interrupt()
        process.waitUntilExit()
        // Shells report 130 for a process that the signal ended, too.
        let isEnded = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT
        #expect(isEnded || process.terminationStatus == 130, "\(process.terminationStatus) \(errors())")
        #expect(errors().contains("app.sqlite is locked by another connection; waiting"), "\(errors())")
        try db.execute(sql: "ROLLBACK")
      }
      try queue.close()
      #expect(try transcript.folder.bytes(of: "app.sqlite") == before)
      #expect(try transcript.folder.names() == ["app.sqlite", "migrations"])
    }
  #endif

  @Test(
    "Ctrl-C ends a conversion, and leaves the whole old or the whole new database",
    arguments: TestTier.pairs(TestEngine.encrypting, ["encrypt", "decrypt"]))
  func conversion(engine: TestEngine, command: String) throws {
    let folder = try TemporaryFolder()
    let (old, new) = command == "encrypt" ? (TestEngine.sqlite, engine) : (engine, .sqlite)
    let queue = try old.queue(path: folder.file("app.db"))
    try queue.write { db in
      try db.execute(sql: "CREATE TABLE first (a)")
      for _ in 1...40 { try db.execute(sql: "INSERT INTO first VALUES (zeroblob(1000000))") }
    }
    try queue.close()
    let before = try folder.bytes(of: "app.db")
    var variables = ["K": TestKey.rawText]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let (process, _, errors) = try ToolProcess(folder: folder.path, variables: variables)
      .start([command, "--database", "app.db", "--key-env", "K", "--raw-key"])
    let copy = folder.file("app.db-converting")
    while process.isRunning, !FileManager.default.fileExists(atPath: copy) { usleep(1000) }
    process.interrupt()
    let complained = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // On a loaded machine, the conversion may end before the signal arrives.
    let isConverted = process.terminationStatus == 0
    #expect(isConverted || process.terminationStatus == 130, "\(process.terminationStatus) \(complained)")
    #expect(isConverted || complained.contains("error: interrupted"), "\(complained)")
    #expect(try isConverted || folder.bytes(of: "app.db") == before)
    #expect(try folder.names() == ["app.db"])
    let converted = try (isConverted ? new : old).queue(path: folder.file("app.db"))
    #expect(try converted.read { try Int.fetchOne($0, sql: "SELECT sum(length(a)) FROM first") } == 40_000_000)
    try converted.close()
  }

  /// Returns a folder with one migration, and a database with it.
  private static func migrated() throws -> Transcript {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE first (a);\n", to: "migrations/0001_first.sql")
    try #require(try transcript.run("migrator migrate --quiet --database app.sqlite").exitCode == 0)
    return transcript
  }

  private static let endlessQuery =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT max(i) FROM n"

  @Test("A killed tool leaves the database between two migrations")
  func killed() throws {
    let (transcript, _) = try endEarly { kill($0.processIdentifier, SIGKILL) }
    try expectFirstOnly(transcript)
  }

  /// Ends the tool while a migration runs that would take hours.
  private func endEarly(_ end: (Process) -> Void) throws -> (Transcript, ToolProcess.Outcome) {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE first (a);\n", to: "migrations/0001_first.sql")
    let endless = """
      INSERT INTO first VALUES (1);
      CREATE TABLE second (a);
      INSERT INTO second
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT max(i) FROM n;
      """
    try transcript.write(endless, to: "migrations/0002_endless.sql")
    let tool = ToolProcess(folder: transcript.folder.path)
    let (process, output, errors) = try tool.start(["migrate", "--database", "app.sqlite"])
    var printed = ""
    // The line appears when the first migration is committed.
    while !printed.contains("0001_first"), case let bytes = output.availableData, !bytes.isEmpty {
      printed += String(decoding: bytes, as: UTF8.self)
    }
    // The journal shows that the second migration writes; the commit of the first one deleted its journal.
    let journal = transcript.folder.file("app.sqlite-journal")
    while process.isRunning, !FileManager.default.fileExists(atPath: journal) { usleep(1000) }
    end(process)
    let complained = errors.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      transcript,
      ToolProcess.Outcome(
        output: printed, errors: String(decoding: complained, as: UTF8.self), exitCode: process.terminationStatus)
    )
  }

  private func expectFirstOnly(_ transcript: Transcript) throws {
    let status = try transcript.run("migrator status --database app.sqlite")
    #expect(status.exitCode == 0, "\(status.errors)")
    #expect(status.output.contains("1 applied, 1 pending"))
    let rows = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
      .read { try Int.fetchOne($0, sql: "SELECT count(*) FROM first") }
    #expect(rows == 0)
  }
}
