import Foundation
import Migrator
import TestEngines
import Testing

/// Commands on many databases.
///
/// The normal suite uses a few hundred databases; MIGRATOR_SOAK=1 uses as many as the promises name.
@Suite("Many databases")
struct FleetToolTests {
  private static let isLong = ProcessInfo.processInfo.environment["MIGRATOR_SOAK"] != nil
  private static let raw = String(repeating: "5a", count: 32)
  private static let otherRaw = String(repeating: "a5", count: 32)

  /// Returns the rows of each database, which are 1, 2 and so on if each migration ran once; nil for a missing table.
  private func rows(_ path: String) throws -> [Int]? {
    let queue = try TestEngine.sqlite.queue(path: path)
    return try queue.read { db in
      try db.tableExists("t") ? try Int.fetchAll(db, sql: "SELECT x FROM t ORDER BY rowid") : nil
    }
  }

  @Test("The commands on many databases, as a user sees them")
  func golden() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir tenants && seq -f 'tenants/%02g.db' 12 >list")
    try transcript.run("migrator migrate --databases-from list --to 0001_one --jobs 1")
    try transcript.run("migrator migrate --database tenants/03.db --to 0002_two --quiet")
    try transcript.run("migrator status --databases 'tenants/*.db' --jobs 1")
    try transcript.run("migrator status --databases 'tenants/*.db' --jobs 1 --check --quiet")
    try transcript.run("migrator status --databases 'tenants/0[1-4].db' --jobs 1 --check")
    try transcript.run("migrator plan --databases 'tenants/0[1-4].db' --jobs 1")
    try transcript.run("migrator verify --databases 'tenants/0[1-4].db' --jobs 1 --verbose")
    try transcript.run("echo 'this is a text file, no database' >tenants/05.db; rm tenants/06.db; mkdir tenants/06.db")
    try transcript.run("migrator migrate --databases 'tenants/*.db' --jobs 1 --canary 2")
    try transcript.run("migrator migrate --databases 'tenants/*.db' --jobs 1 --max-failures 0")
    try transcript.run("migrator migrate --databases 'tenants/0[4-7].db' --jobs 1 --max-failures 0 --json")
    try transcript.run("migrator migrate --databases 'tenants/*.sqlite'")
    try transcript.run("migrator migrate --database a.db --databases 'tenants/*.db'")
    try transcript.run("migrator migrate --database a.db --jobs 2")
    try transcript.run("migrator status --databases 'tenants/*.db' --shard 3/2")
    try transcript.run("migrator migrate --databases 'tenants/*.db' --jobs many")
    try transcript.run("migrator migrate --databases 'tenants/*.db' --key-dir keys")
    try transcript.run("migrator status --databases 'tenants/*.db' --canary 2")
    try transcript.run("migrator migrate --databases 'tenants/*.db' --jobs 0")
    try transcript.run("mkdir keys; migrator status --databases 'tenants/*.db' --key-dir keys --key-env KEY")
    try transcript.run("migrator status --databases tenants/01.db tenants/02.db")
    try transcript.run("echo tenants/typo.db >typo")
    try transcript.run("migrator plan --databases-from typo --databases 'tenants/0[1-5].db'")
    try transcript.run("migrator migrate --databases-from typo --key-dir keys --quiet")
    for part in ["1/2", "2/2"] { try transcript.run("migrator status --databases-from typo --shard \(part)") }
    try transcript.run("migrator status --databases-from typo --json")
    try transcript.run("echo >empty; migrator migrate --databases-from empty")
    try transcript.run("migrator migrate --databases-from - </dev/null")
    try transcript.run("cat list | migrator migrate --databases-from - --jobs 1 --max-failures 1 2>&1")
    try transcript.expect(golden: "fleet")
  }

  @Test("A plan for many databases, and their migration, name what is lost")
  func losses() throws {
    let transcript = try Transcript()
    try transcript.write(
      "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO users (name) VALUES ('Ada');\n"
        + "CREATE TABLE orders (id INTEGER PRIMARY KEY);\nINSERT INTO orders VALUES (1);\n",
      to: "migrations/0001_tables.sql")
    try transcript.run("seq -f '%02g.db' 5 >list; migrator migrate --databases-from list --quiet")
    try transcript.write(
      "ALTER TABLE users DROP COLUMN name;\nDROP TABLE orders;\n", to: "migrations/0002_drop.sql")
    try transcript.run("migrator plan --database 01.db")
    try transcript.run("migrator plan --databases '*.db' --jobs 1")
    let plan = try transcript.run("migrator plan --databases '*.db' --jobs 1 --json | tail -n 1")
    let summary = try #require(plan.objects().last?["summary"] as? [String: Any])
    #expect((summary["losses"] as? [[String: Any]])?.map { $0["count"] as? Int } == [5, 5])
    try transcript.run("migrator migrate --databases '*.db' --jobs 1 --confirm-loss --max-failures 0")
    try transcript.run("migrator migrate --databases '*.db' --jobs 1 --canary 2")
    try transcript.expect(golden: "fleet-losses")
  }

  @Test("Databases in which nothing is pending are no canaries")
  func idleCanaries() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir db; seq -f 'db/%02g.db' 10 >list; head -n 4 list | migrator migrate --databases-from -")
    try transcript.run("rm db/04.db; echo 'this is a text file, no database' >db/05.db")
    let outcome = try transcript.run("migrator migrate --databases-from list --canary 2 --max-failures 0")
    #expect(outcome.exitCode == 4)
    #expect(outcome.errors.contains("db/05.db, among the 2 canaries, failed; 5 databases were not started"))
    #expect(!outcome.errors.contains("--max-failures 0 (no limit)"), "\(outcome.errors)")
    try transcript.run("rm db/05.db")
    let again = try transcript.run("migrator migrate --databases-from list --canary 2")
    #expect(again.exitCode == 0)
    #expect(again.output.contains("6 created, 4 up to date"), "\(again.output)")
  }

  @Test("A pattern leaves out the backups of databases")
  func backups() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir db; touch db/a db/a-wal db/a.backup-20260131T235959.123Z db/b.backup-plan")
    let outcome = try transcript.run("migrator status --databases 'db/*' --jobs 1 --json")
    #expect(try outcome.objects().compactMap { $0["database"] as? String } == ["db/a", "db/b.backup-plan"])
  }

  @Test("A new database is created without encryption only if no key is expected")
  func keyFolder() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir keys; printf secret >keys/a.db.key; printf '%s\n' a.db b.db sqlite:c.db >list")
    let outcome = try transcript.run("migrator migrate --databases-from list --key-dir keys --max-failures 0")
    #expect(outcome.exitCode == 4)
    #expect(outcome.errors.contains("there is no key file for the new database b.db"), "\(outcome.errors)")
    #expect(outcome.output.contains("2 created, 1 failed"), "\(outcome.output)")
    #expect(!FileManager.default.fileExists(atPath: transcript.folder.file("b.db")))
    #expect(try rows(transcript.folder.file("c.db")) == [1, 2, 3])
  }

  @Test("After a failing canary no other database is begun")
  func canary() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir db; echo 'this is a text file, no database' >db/b.db; touch db/a.db db/c.db db/d.db")
    let outcome = try transcript.run("migrator migrate --databases 'db/*.db' --canary 2 --max-failures 0 --jobs 1")
    #expect(outcome.exitCode == 4)
    #expect(outcome.output.contains("1 migrated, 1 failed, 2 not started"), "\(outcome.output)")
    #expect(try rows(transcript.folder.file("db/a.db")) == [1, 2, 3])
    #expect(try rows(transcript.folder.file("db/c.db")) == nil)
  }

  @Test("A dry run attempts all databases, as a plan does")
  func dryRun() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("touch c.db; for name in a b; do echo 'this is a text file, no database' >$name.db; done")
    let outcome = try transcript.run("migrator migrate --databases '*.db' --dry-run --canary 1 --jobs 1")
    let plan = try transcript.run("migrator plan --databases '*.db' --jobs 1")
    #expect(outcome.exitCode == 4)
    #expect(outcome.errors == plan.errors)
    #expect(outcome.errors.contains("error: 2 of 3 databases failed\n"), "\(outcome.errors)")
  }

  @Test("More jobs and canaries than databases are as many as there are databases")
  func excess() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("touch a.db c.db; echo 'this is a text file, no database' >b.db")
    let outcome = try transcript.run("migrator migrate --databases '*.db' --jobs \(Int.max) --canary 1000")
    #expect(outcome.exitCode == 4)
    #expect(outcome.errors.contains("b.db, among the 3 canaries, failed"), "\(outcome.errors)")
  }

  @Test("A slow reader receives the line of each database in one piece")
  func slowReader() throws {
    let transcript = try Transcript()
    // The lines are longer than the pages of a pipe, which the reader empties one by one.
    for number in 1...200 { try transcript.write("SELECT \(number);\n", to: "migrations/\(number)_step.sql") }
    let outcome = try transcript.run(
      "seq 40 | migrator status --databases-from - --jobs 8 --json | (sleep 1; dd bs=4096 2>/dev/null)")
    #expect(try outcome.objects().count == 41)
  }

  @Test("A database that has several names is migrated once")
  func names() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir db other; touch db/a.db; ln -s ../db/a.db other/link.db; ln db/a.db other/hard.db")
    let outcome = try transcript.run(
      "printf '%s\\n' db/a.db ./db//a.db $PWD/db/a.db other/../db/a.db sqlite:db/a.db db/new.db other/../db/new.db "
        + "| migrator migrate --databases 'other/*.db' --databases-from - --json")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try outcome.objects().count == 3)
    #expect(try rows(transcript.folder.file("db/a.db")) == [1, 2, 3])
    #expect(try rows(transcript.folder.file("db/new.db")) == [1, 2, 3])
  }

  @Test("A missing database to which several broken links lead is migrated once")
  func brokenLinks() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run(
      "mkdir db other; ln -s ../db/new.db other/1.db; ln -s $PWD/db/./new.db other/2.db; ln -s 1.db other/3.db; "
        + "ln -s other links; ln -s 4.db other/4.db; ln -s ../db/second.db other/5.db")
    let outcome = try transcript.run(
      "printf '%s\\n' other/1.db other/2.db links/3.db db/new.db other/4.db links/4.db other/5.db "
        + "| migrator status --databases-from - --json")
    // A link to itself leads nowhere: its names are compared.
    let databases = try outcome.objects().compactMap { $0["database"] as? String }
    #expect(databases.sorted() == ["other/1.db", "other/4.db", "other/5.db"])
  }

  @Test("Shards divide the databases, and a new database moves no other one")
  func shards() throws {
    let transcript = try Transcript.withThreeMigrations()
    try transcript.run("mkdir db; for n in $(seq 100); do : >db/$n.db; done")
    func shard(_ number: Int) throws -> Set<String> {
      let outcome = try transcript.run("migrator status --databases 'db/*.db' --shard \(number)/4 --json")
      return Set(try outcome.objects().compactMap { $0["database"] as? String })
    }
    let before = try (1...4).map(shard)
    #expect(before.reduce(0) { $0 + $1.count } == 100)
    #expect(before.reduce(Set()) { $0.union($1) }.count == 100)
    #expect(before.allSatisfy { $0.count > 10 })
    try transcript.run(": >db/0new.db; rm db/50.db")
    for (number, earlier) in before.enumerated() {
      #expect(try shard(number + 1).symmetricDifference(earlier).isSubset(of: ["db/0new.db", "db/50.db"]))
    }
  }

  @Test("A mixed fleet: each database gets its own outcome, and the summary adds up")
  func mixed() throws {
    let transcript = try Transcript.withThreeMigrations()
    let copies = Self.isLong ? 100 : 6
    try transcript.run("mkdir db keys; printf %s \(Self.raw) >raw; printf %s \(Self.otherRaw) >other")
    try transcript.run("migrator migrate --quiet --to 0001_one --database plain")
    try transcript.run("migrator migrate --quiet --to 0001_one --database secret --raw-key --key-file raw")
    try transcript.run("cp -r migrations newer; echo 'CREATE TABLE n (x);' >newer/0009_newer.sql")
    try transcript.run("migrator migrate --quiet --migrations newer --database newer.db")
    try transcript.run("head -c 2500 plain >damaged; migrator migrate --quiet --database done")
    var expected: [String: Int] = [:]
    for copy in 0..<copies {
      let commands = [
        "plain": "cp plain db/plain\(copy).db", "done": "cp done db/done\(copy).db",
        "own": "cp secret db/own\(copy).db; cp raw keys/own\(copy).db.key",
        "wrong": "cp secret db/wrong\(copy).db; cp other keys/wrong\(copy).db.key",
        "keyless": "cp secret db/keyless\(copy).db", "folder": "mkdir db/folder\(copy).db",
        "damaged": "cp damaged db/damaged\(copy).db", "newer": "cp newer.db db/newer\(copy).db",
        "readonly": "cp plain db/readonly\(copy).db; chmod 444 db/readonly\(copy).db",
        "missing": "echo db/missing\(copy).db >>missing",
      ]
      try transcript.run(commands.values.joined(separator: "; "))
      for kind in commands.keys {
        let isRefused = kind == "readonly" && geteuid() != 0
        let failing = ["wrong", "keyless", "folder", "damaged", "missing"].contains(kind)
        expected["db/\(kind)\(copy).db"] = failing || isRefused ? 1 : 0
      }
    }
    // One database is locked from the beginning to the end.
    try transcript.run("cp plain db/locked.db; ls -d db/* >list; cat missing >>list")
    expected["db/locked.db"] = 1
    let holder = try TestEngine.sqlite.queue(path: transcript.folder.file("db/locked.db"))
    try holder.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN EXCLUSIVE")
      let outcome = try transcript.run(
        "migrator migrate --databases-from list --key-dir keys --raw-key --max-failures 0 --must-exist "
          + "--lock-timeout 0.1 --jobs 4 --json")
      try db.execute(sql: "ROLLBACK")
      #expect(outcome.exitCode == 4)
      #expect(outcome.errors.contains("note: db/locked.db was locked by another connection"))
      var lines = try outcome.objects()
      let summary = try #require(lines.popLast()?["summary"] as? [String: Any])
      var outcomes: [String: Int] = [:]
      for line in lines {
        let database = try #require(line["database"] as? String)
        #expect(outcomes[database] == nil, "\(database) was reported twice")
        outcomes[database] = line["error"] == nil ? 0 : 1
      }
      #expect(outcomes == expected)
      let failed = expected.values.reduce(0, +)
      #expect(summary["databases"] as? Int == expected.count)
      #expect(summary["failed"] as? Int == failed)
      #expect(summary["succeeded"] as? Int == expected.count - failed)
      #expect(summary["notBegun"] as? Int == 0)
      let causes = try #require(summary["failures"] as? [[String: Any]])
      #expect(causes.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == failed)
      #expect(causes.allSatisfy { $0["count"] as? Int == 1 || $0["count"] as? Int == copies })
    }
    for (path, isFailing) in expected where isFailing == 0 && !path.contains("own") {
      #expect(try rows(transcript.folder.file(path)) == [1, 2, 3], "\(path)")
    }
  }

  @Test("Killed at random moments, each database is at a migration boundary, and the same command completes")
  func killed() throws {
    var random = SeededGenerator.announced("killed fleets")
    let count = Self.isLong ? 300 : 40
    for round in 0..<(Self.isLong ? 200 : 5) {
      let transcript = try Transcript.withThreeMigrations()
      try transcript.run("mkdir db; seq -f 'db/%g.db' \(count) >list")
      let tool = ToolProcess(folder: transcript.folder.path)
      let (process, output, _) = try tool.start(["migrate", "--databases-from", "list", "--jobs", "4", "--json"])
      // A moment after some of the databases are done.
      let bytes = Int.random(in: 0..<(count * 150), using: &random)
      var read = 0
      while read < bytes, let data = try output.read(upToCount: min(4096, bytes - read)) { read += data.count }
      usleep(UInt32.random(in: 0..<3000, using: &random))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      for number in 1...count {
        let path = transcript.folder.file("db/\(number).db")
        guard FileManager.default.fileExists(atPath: path) else { continue }
        let rows = try rows(path) ?? []
        let applied = try TestEngine.sqlite.queue(path: path).read { db in
          try db.tableExists("migrator_history")
            ? try Int.fetchOne(db, sql: "SELECT count(*) FROM migrator_history") ?? 0 : 0
        }
        #expect(rows == Array([1, 2, 3].prefix(applied)), "round \(round): \(path)")
      }
      let again = try transcript.run("migrator migrate --databases-from list --jobs 4 --quiet")
      #expect(again.exitCode == 0, "\(again.errors)")
      for number in 1...count { #expect(try rows(transcript.folder.file("db/\(number).db")) == [1, 2, 3]) }
    }
  }

  #if os(Linux)
    @Test("Ctrl-C interrupts all running databases, and the same command completes")
    func interrupted() throws {
      let transcript = try Transcript.withThreeMigrations()
      try transcript.write(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;\n",
        to: "migrations/0004_endless.sql")
      try transcript.run("mkdir db; seq -f 'db/%g.db' 8 >list")
      let tool = ToolProcess(folder: transcript.folder.path)
      let (process, _, errors) = try tool.start(["migrate", "--databases-from", "list", "--jobs", "3"])
      let statistics = "/proc/\(process.processIdentifier)/stat"
      // Reading a database would lock it; but only the endless statements use a second of CPU time.
      while process.isRunning,
        let words = try? String(contentsOfFile: statistics, encoding: .utf8).split(separator: " "),
        Int(words[13]) ?? 0 < 100
      { usleep(5000) }
      process.interrupt()
      let complained = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 130, "\(complained)")
      #expect(complained.contains("5 databases were not started"), "\(complained)")
      #expect(complained.contains("interrupted while working on 3 databases"), "\(complained)")
      #expect(!complained.contains("failed") && !complained.contains("`migrator migrate` again"), "\(complained)")
      let again = try transcript.run("migrator migrate --databases-from list --to 0003_three --quiet")
      #expect(again.exitCode == 0, "\(again.errors)")
      for number in 1...8 { #expect(try rows(transcript.folder.file("db/\(number).db")) == [1, 2, 3]) }
    }

    @Test(
      "Few descriptors and little memory are enough for any number of databases",
      .disabled(if: Sanitizer.isPresent, "a sanitizer uses terabytes of address space"))
    func limits() throws {
      let transcript = try Transcript.withThreeMigrations()
      let count = Self.isLong ? 10_000 : 200
      try transcript.run("mkdir db; seq -f 'db/%g.db' \(count) >list")
      for result in ["created", "up to date"] {
        let outcome = try transcript.run(
          "ulimit -n 64; ulimit -v 307200; migrator migrate --databases-from list --jobs 2")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\(count) \(result)\n"), "\(outcome.output)")
      }
    }
  #endif

  @Test("GNU parallel runs four shards in four processes: each database once, and the summaries add up")
  func parallel() throws {
    let transcript = try Transcript.withThreeMigrations()
    guard try transcript.run("command -v parallel").exitCode == 0 else {
      Issue.record("GNU parallel is missing: run Tools/setup --tests")
      return
    }
    try transcript.run("mkdir db; seq -f 'db/%g.db' 200 >list")
    let outcome = try transcript.run(
      "parallel -j 4 migrator migrate --databases-from list --shard {}/4 --json ::: 1 2 3 4")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let lines = try outcome.objects()
    let databases = lines.compactMap { $0["database"] as? String }
    #expect(databases.sorted() == (1...200).map { "db/\($0).db" }.sorted())
    let summaries = lines.compactMap { $0["summary"] as? [String: Any] }
    #expect(summaries.count == 4)
    #expect(summaries.reduce(0) { $0 + ($1["succeeded"] as? Int ?? 0) } == 200)
    for number in 1...200 { #expect(try rows(transcript.folder.file("db/\(number).db")) == [1, 2, 3]) }
  }
}
