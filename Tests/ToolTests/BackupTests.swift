import Foundation
import Migrator
import TestEngines
import Testing

@Suite("Backups of the tool")
struct BackupTests {
  @Test(
    "A backup includes the write-ahead log while other connections have the database open",
    arguments: TestEngine.allCases
  )
  func writeAheadLog(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    try #require(try transcript.run("migrator rebuild\(Self.key(engine))").exitCode == 0)
    var configuration = Configuration()
    configuration.journalMode = .wal
    let path = transcript.folder.file("app.db")
    let queue = try engine.queue(path: path, configuration: configuration)
    try queue.write { db in
      for number in 1...500 { try db.execute(sql: "INSERT INTO author (name) VALUES (?)", arguments: ["n\(number)"]) }
    }
    #expect(try transcript.folder.bytes(of: "app.db-wal").count > 0)
    let outcome = try transcript.run("migrator rebuild --force --yes\(Self.key(engine))")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM author") } == 2)
    try queue.close()

    let names = try transcript.folder.names().filter { $0.contains(".backup-") }
    let backup = try #require(names.first)
    #expect(names.count == 1)
    let kept = try engine.queue(path: transcript.folder.file(backup))
    #expect(try kept.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM author") } == 502)
    #expect(try kept.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    try kept.close()
  }

  @Test(
    "A rebuild that fails again and again does not displace the backups of other states", arguments: TestEngine.allCases
  )
  func failing(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    let rebuild = "migrator rebuild --yes\(Self.key(engine))"
    try #require(try transcript.run(rebuild).exitCode == 0)
    try #require(try transcript.run(rebuild + " --force").exitCode == 0)
    let queue = try engine.queue(path: transcript.folder.file("app.db"))
    try queue.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('new')") }
    try queue.close()
    try transcript.write("CREATE INDEX i ON missing (x);\n", to: "migrations/0003_bad.sql")
    var names: [[String]] = []
    for _ in 0..<4 {
      #expect(try transcript.run(rebuild).exitCode == 4)
      names.append(try transcript.folder.names().filter { $0.contains(".backup-") })
    }
    #expect(names.allSatisfy { $0.count == 2 && $0[0] == names[0][0] } && Set(names).count == 4, "\(names)")
  }

  @Test(
    "Nothing is erased when the backup fails",
    .disabled(if: Sanitizer.isPresent, "a sanitizer's own files exceed the limit"), arguments: TestEngine.allCases)
  func noRoom(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    let rows = (1...3000).map { "INSERT INTO author (name) VALUES ('name number \($0)');" }.joined(separator: "\n")
    try transcript.write(rows, to: "migrations/0003_rows.sql")
    try #require(try transcript.run("migrator rebuild\(Self.key(engine))").exitCode == 0)
    let before = try transcript.folder.bytes(of: "app.db")
    let outcome = try transcript.run("ulimit -f 32; migrator erase --yes\(Self.key(engine))")
    #expect(outcome.exitCode == 5, "\(outcome.errors)")
    #expect(try transcript.folder.bytes(of: "app.db") == before)
    #expect(try transcript.folder.names() == ["app.db", "migrations"])
  }

  @Test(
    "If the disk is full at any moment from the backup on, the database is untouched, and the message says so",
    arguments: ["erase --yes", "rebuild --yes", "rebuild --yes --keep-data"])
  func fullDisk(command: String) throws {
    let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
    try #require(transcript.run("migrator rebuild").exitCode == 0)
    try transcript.run("echo 'ALTER TABLE author ADD COLUMN born;' >>migrations/0001_authors.sql")
    // The engine's shell rolls back a journal that the full disk has kept from being played back.
    let before = try transcript.run("cp app.db start.db; sqlite3 app.db .dump").output
    var (number, undone, isErased) = (0, 0, false)
    // The everyday run tries every third call.
    while !isErased, number < 100 {
      number += TestTier.pick(3, full: 1)
      try transcript.run("rm -f app.db*; cp start.db app.db")
      let outcome = try transcript.run(
        "LD_PRELOAD=\(BuiltEngines.faults) MIGRATOR_FAULTS_FULL=\(number) exec migrator \(command)")
      isErased = outcome.exitCode == 0 || outcome.errors.contains("the database had already been erased")
      guard !isErased else { continue }
      #expect(try transcript.run("sqlite3 app.db .dump").output == before, "call \(number): \(outcome)")
      #expect(outcome.errors.contains("nothing was erased"), "call \(number): \(outcome)")
      if outcome.errors.contains("the backup is kept as app.db.backup-") { undone += 1 }
    }
    #expect(isErased && undone > TestTier.pick(0, full: 2))
  }

  @Test("A backup with a collation of the app is restored as the message says, but not if another table is damaged")
  func restoresWithCollationOfApp() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    try transcript.writeSamples()
    let path = transcript.folder.file("app.db")
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      try db.add(
        collation: DatabaseCollation("of_app") {
          $0 == $1 ? .orderedSame : $0 < $1 ? .orderedAscending : .orderedDescending
        })
    }
    let queue = try TestEngine.sqlite.queue(path: path, configuration: configuration)
    let page = try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE k (a TEXT COLLATE of_app PRIMARY KEY) WITHOUT ROWID; INSERT INTO k VALUES ('x');
          CREATE TABLE t (x); INSERT INTO t VALUES (1);
          """)
      return try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 't'")
    }
    try queue.close()
    let erased = try transcript.run("migrator erase --yes --force-foreign")
    try #require(erased.exitCode == 0 && erased.output.contains("`migrator restore newest` puts it back"), "\(erased)")
    let restored = try transcript.run("migrator restore newest --yes")
    #expect(restored.exitCode == 0, "\(restored)")
    let again = try TestEngine.sqlite.queue(path: path, configuration: configuration)
    #expect(try again.read { try String.fetchOne($0, sql: "SELECT a FROM k") } == "x")
    try again.close()

    let name = try #require(try transcript.folder.names().first { $0.contains(".backup-") })
    var bytes = try transcript.folder.bytes(of: name)
    let start = (try #require(page) - 1) * 4096
    bytes.replaceSubrange(start..<start + 100, with: repeatElement(0xff, count: 100))
    try transcript.folder.write(bytes, to: name)
    let refused = try transcript.run("migrator restore \(name) --yes")
    #expect(refused.exitCode != 0 && refused.errors.contains("damaged"), "\(refused)")
  }

  @Test("A backup with the key of that time is not restored under a later one, and the message says why")
  func earlierKey() throws {
    var variables = ["MIGRATOR_DATABASE": "sqlcipher:app.db", "OLD": "one", "NEW": "two"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = TestEngine.sqlCipher4.libraryPath
    let transcript = try Transcript.withSamples(variables: variables)
    let lines = [
      "rebuild --key-env OLD", "rebuild --force --yes --key-env OLD", "rekey --key-env OLD --new-key-env NEW",
    ]
    for line in lines {
      try #require(transcript.run("migrator \(line)").exitCode == 0, "\(line)")
    }
    let before = try transcript.folder.bytes(of: "app.db")
    let states = [(nil, "--key-env NEW"), ("decrypt --key-env NEW", "--database sqlite:app.db")]
    for (change, key) in states {
      if let change { try #require(transcript.run("migrator \(change)").exitCode == 0) }
      let outcome = try transcript.run("migrator restore newest --yes \(key)")
      #expect(outcome.exitCode == 3, "\(outcome)")
      #expect(outcome.errors.contains("error: app.db.backup-"), "\(outcome.errors)")
      #expect(outcome.errors.contains("only with the key that the database had when the backup was made"))
      if change == nil { #expect(try transcript.folder.bytes(of: "app.db") == before) }
    }
    // The remedy works.
    for line in ["encrypt --key-env OLD", "restore newest --yes --key-env OLD", "status --key-env OLD"] {
      let outcome = try transcript.run("migrator \(line)")
      #expect(outcome.exitCode == 0, "\(line): \(outcome)")
    }
  }

  @Test("Incomplete backups are removed, but files with similar names are not", arguments: TestEngine.allCases)
  func unfinished(engine: TestEngine) throws {
    let transcript = try Transcript.withSamples(variables: Self.variables(engine))
    try #require(try transcript.run("migrator rebuild\(Self.key(engine))").exitCode == 0)
    let moment = "app.db.backup-20200102T030405.123Z"
    let left =
      ["", "-2", "-12"].map { "\(moment)\($0).unfinished" }
      + ["-wal", "-shm", "-journal"].map { "\(moment).unfinished\($0)" }
    let others = [
      "app.db.backup-mine.unfinished-export.csv", "\(moment).unfinished.csv", "\(moment).unfinished-x",
      "\(moment)-+2.unfinished", "\(moment)-02.unfinished", "\(moment)-1.unfinished", "\(moment)-2-3.unfinished",
      "app.db.backup-20200102T030405Z.unfinished", "app.db.backup-20200102T0304AA.123Z.unfinished",
      "my \(moment).unfinished", "other.db.backup-20200102T030405.123Z.unfinished",
      "app.db.backup-\u{661}0200102T030405.123Z.unfinished", "\(moment)-+2", "app.db.backup-20200102", "app.db.backup-",
      "app.db.backup-mine.unfinished", "app.db.backup-mine",
    ]
    for name in left + others { try transcript.write(name, to: name) }
    // More rebuilds than the number of retained backups.
    for _ in 1...5 {
      let outcome = try transcript.run("migrator rebuild --force --yes\(Self.key(engine))")
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
    }
    let names = try transcript.folder.names()
    #expect(Set(names).isDisjoint(with: left))
    for name in others { #expect(try transcript.folder.bytes(of: name) == Data(name.utf8)) }
  }

  /// Returns the key option; none for the plain engine, since a key option selects the other backend.
  private static func key(_ engine: TestEngine) -> String { engine.isEncrypted ? " --key-env K --raw-key" : "" }

  private static func variables(_ engine: TestEngine) -> [String: String] {
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": TestKey.rawText]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    return variables
  }
}
