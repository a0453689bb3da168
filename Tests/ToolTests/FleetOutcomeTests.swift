import Foundation
import Migrator
import TestEngines
import Testing

/// The outcomes of commands on many databases that other connections use, or that have the wrong key.
@Suite("The outcomes of many databases")
struct FleetOutcomeTests {
  /// Reads the messages of a tool until it tries a locked database again.
  private func awaitSecondAttempt(_ errors: FileHandle) {
    var text = ""
    while !text.contains("trying again"), case let bytes = errors.availableData, !bytes.isEmpty {
      text += String(decoding: bytes, as: UTF8.self)
    }
    #expect(text.contains("trying again"), "\(text)")
  }

  @Test("The summary counts the migrations that another connection applied meanwhile")
  func appliedElsewhere() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("echo a.db >list; migrator migrate --databases-from list --quiet")
    let holder = try TestEngine.sqlite.queue(path: transcript.folder.file("a.db"))
    try holder.writeWithoutTransaction { db in
      // The holder records these migrations again while the tool waits for its lock.
      try db.execute(
        sql: """
          CREATE TABLE kept AS SELECT * FROM migrator_history WHERE identifier <> '0001_one';
          DELETE FROM migrator_history WHERE identifier <> '0001_one';
          BEGIN IMMEDIATE;
          """)
      let tool = ToolProcess(folder: transcript.folder.path)
      let (process, output, errors) = try tool.start([
        "migrate", "--databases-from", "list", "--lock-timeout", "60",
      ])
      awaitSecondAttempt(errors)
      // The second attempt now reads the ledger. On a very slow machine, it does so too late, and the test checks less.
      usleep(500_000)
      try db.execute(sql: "INSERT INTO migrator_history SELECT * FROM kept; COMMIT")
      let printed = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(printed.contains("1 up to date"), "\(printed)")
      #expect(printed.contains("1  at 0003_three"), "\(printed)")
    }
  }

  #if os(Linux)
    @Test("A second attempt reports the work of the first one, too")
    func secondAttempt() throws {
      let transcript = try Transcript()
      try transcript.write(
        "CREATE TABLE steps (n); INSERT INTO steps VALUES (8e6);\n", to: "migrations/0001_first.sql")
      try transcript.write(
        """
        -- migrator: no-transaction
        CREATE TABLE IF NOT EXISTS t (x);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (SELECT n FROM steps))
          SELECT max(i) FROM n;
        INSERT INTO t VALUES (2);

        """, to: "migrations/0002_slow.sql")
      try transcript.write("INSERT INTO t VALUES (3);\n", to: "migrations/0003_last.sql")
      try transcript.run("echo a.db >list")
      let tool = ToolProcess(folder: transcript.folder.path)
      let (process, output, errors) = try tool.start([
        "migrate", "--databases-from", "list", "--lock-timeout", "60", "--json",
      ])
      let statistics = "/proc/\(process.processIdentifier)/stat"
      // Reading the database would lock it; but only the slow statement uses half a second of CPU time.
      while process.isRunning,
        let words = try? String(contentsOfFile: statistics, encoding: .utf8).split(separator: " "),
        Int(words[13]) ?? 0 < 50
      { usleep(5000) }
      let holder = try TestEngine.sqlite.queue(path: transcript.folder.file("a.db"))
      try holder.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN IMMEDIATE")
        awaitSecondAttempt(errors)
        // As if the minute had passed after which an unfinished migration counts as abandoned.
        try db.execute(
          sql: """
            UPDATE steps SET n = 1;
            UPDATE migrator_history SET applied_at = '2000-01-01T00:00:00.000Z' WHERE identifier = '0002_slow';
            COMMIT
            """)
      }
      let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let printed = try ToolProcess.Outcome(output: text, errors: "", exitCode: process.terminationStatus).objects()
      #expect(process.terminationStatus == 0)
      let applied = printed.first?["applied"] as? [[String: Any]]
      #expect(applied?.compactMap { $0["identifier"] as? String } == ["0001_first", "0002_slow", "0003_last"])
      let summary = try #require(printed.last?["summary"] as? [String: Any])
      #expect(summary["outcomes"] as? [String: Int] == ["created": 1])
    }
  #endif

  @Test("Ctrl-C ends the wait for a locked database", arguments: ["migrate", "status"])
  func interruptedWait(command: String) throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("echo a.db >list; migrator migrate --databases-from list --quiet --to 0001_one")
    let holder = try TestEngine.sqlite.queue(path: transcript.folder.file("a.db"))
    try holder.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN EXCLUSIVE")
      let tool = ToolProcess(folder: transcript.folder.path)
      let (process, output, errors) = try tool.start([
        command, "--databases-from", "list", "--lock-timeout", "60", "--json",
      ])
      awaitSecondAttempt(errors)
      let start = ContinuousClock.now
      process.interrupt()
      let printed = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(ContinuousClock.now - start < .seconds(30))
      #expect(process.terminationStatus == 130, "\(printed)")
      try db.execute(sql: "ROLLBACK")
    }
  }

  @Test("After a run that ended halfway, the command to run again has no token, which no longer holds")
  func commandWithoutToken() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("migrator migrate --database a.db --to 0001_one; cp a.db b.db")
    let plan = try transcript.run("migrator plan --databases '?.db' --json | tail -n 1")
    let summary = try #require(plan.objects().last?["summary"] as? [String: Any])
    let token = try #require(summary["token"] as? String)
    let holder = try TestEngine.sqlite.queue(path: transcript.folder.file("b.db"))
    try holder.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      let run = try transcript.run(
        "migrator migrate --databases '?.db' --plan \(token) --lock-timeout 0 --max-failures 0")
      #expect(run.exitCode == 4 && run.errors.contains("Run `migrator migrate --databases '?.db' --max-failures 0 "))
      #expect(!run.errors.contains("--plan"), "\(run.errors)")
      try db.execute(sql: "ROLLBACK")
    }
  }

  @Test("The remedies for keys name options that work with many databases")
  func keyRemedies() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir -p keys/folder.db.key; printf secret >keys/plain.db.key; printf secret >key")
    try transcript.run("migrator migrate --database plain.db --quiet")
    try transcript.run("head -c 4096 /dev/zero | tr '\\0' '\\377' >secret.db; cp secret.db folder.db")
    let keyless = try transcript.run("migrator status --databases secret.db")
    #expect(keyless.errors.contains("named secret.db.key, and name its folder with --key-dir"), "\(keyless.errors)")
    #expect(!keyless.errors.contains("interactive terminal"), "\(keyless.errors)")
    let plain = try transcript.run("migrator status --databases plain.db --key-dir keys")
    #expect(plain.errors.contains("next: Remove or rename the key file keys/plain.db.key"), "\(plain.errors)")
    let folder = try transcript.run("migrator status --databases folder.db --key-dir keys")
    #expect(folder.errors.contains("the key file keys/folder.db.key cannot be read"), "\(folder.errors)")
    #expect(folder.errors.contains("next: Check that it is a file"), "\(folder.errors)")
    let descriptor = try transcript.run("migrator migrate --databases secret.db --key-fd 3 3<key")
    #expect(
      descriptor.errors.contains("Run `migrator migrate --databases secret.db --key-fd 3 3<FILE` again"),
      "\(descriptor.errors)")
  }
}
