import Foundation
import Migrator
import TestEngines
import Testing

/// The names, owners and permissions of the files that commands create.
@Suite("Created files")
struct CreatedFileTests {
  private static func transcript(_ engine: TestEngine, variables: [String: String] = [:]) throws -> Transcript {
    var all = ["MIGRATOR_DATABASE": "app.db", "K": TestKey.rawText].merging(variables) { $1 }
    all["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    let transcript = try Transcript(variables: all)
    try transcript.write("CREATE TABLE a (x);\nCREATE INDEX a_x ON a (x);\n", to: "migrations/1_a.sql")
    try #require(try transcript.run("migrator rebuild --quiet\(key(engine))").exitCode == 0)
    return transcript
  }

  /// Inserts rows, and puts the database into WAL mode.
  private static func fill(_ engine: TestEngine, _ transcript: Transcript) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try engine.queue(path: transcript.folder.file("app.db"), configuration: configuration)
    try queue.write { db in
      for number in 1...5000 {
        try db.execute(sql: "INSERT INTO a VALUES (?)", arguments: ["row \(number * 7919 % 5000)"])
      }
    }
    try queue.close()
  }

  private static func key(_ engine: TestEngine) -> String { engine.isEncrypted ? " --key-env K --raw-key" : "" }

  @Test("A backup belongs to the owner of the database", .enabled(if: getuid() == 0), arguments: TestEngine.allCases)
  func owner(engine: TestEngine) throws {
    for umask in ["000", "022", "077"] {
      let transcript = try Self.transcript(engine)
      try Self.fill(engine, transcript)
      try transcript.run("chown 65534:65534 app.db; chmod 640 app.db")
      let outcome = try transcript.run(
        "umask \(umask); migrator rebuild --force --yes\(Self.key(engine)); stat -c '%u:%g %a %n' app.db*")
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("65534:65534 640 app.db\n"), "\(outcome.output)")
      #expect(outcome.output.contains("65534:65534 640 app.db.backup-"), "\(outcome.output)")
    }
  }

  @Test("A new database is not created for migrations that are refused")
  func refused() throws {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db"])
    for name in ["1_a", "2_b"] { try transcript.write("CREATE TABLE a (x);\n", to: "migrations/\(name).sql") }
    let outcome = try transcript.run("migrator migrate")
    #expect(outcome.exitCode == 5 && outcome.errors.contains("has the same contents as 1_a"), "\(outcome)")
    #expect(try transcript.folder.names() == ["migrations"])
  }

  @Test(
    "The result of reading a private database is private",
    arguments: TestTier.pairs(TestEngine.allCases, ["dump", "diagram"]))
  func privateResult(engine: TestEngine, command: String) throws {
    let transcript = try Self.transcript(engine)
    for (mode, umask, expected) in [("600", "000", "600"), ("664", "027", "640"), ("640", "000", "640")] {
      let outcome = try transcript.run(
        "chmod \(mode) app.db; umask \(umask); rm -f result; migrator \(command) --output result\(Self.key(engine)); "
          + "stat -c %a result")
      #expect(outcome.output.hasSuffix("\n\(expected)\n"), "\(outcome.output) \(outcome.errors)")
    }
    let ofMigrations = try transcript.run(
      "umask 022; rm -f result; migrator \(command) --from migrations --output result\(Self.key(engine)); "
        + "stat -c %a result")
    #expect(ofMigrations.output.hasSuffix("\n644\n"), "\(ofMigrations.output) \(ofMigrations.errors)")
  }

  @Test("A result keeps the owner of the file that it replaces", .enabled(if: getuid() == 0))
  func replacedOwner() throws {
    let transcript = try Self.transcript(.sqlite)
    let outcome = try transcript.run(
      "touch result; chown 65534:65534 result; chmod 604 result; migrator dump --output result; stat -c '%u:%g %a' result"
    )
    #expect(outcome.output.hasSuffix("\n65534:65534 604\n"), "\(outcome.output) \(outcome.errors)")
  }

  @Test("A dump that is killed at any call leaves no incomplete result, and can run again")
  func killedResults() throws {
    let transcript = try Self.transcript(.sqlite)
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    let faults = "LD_PRELOAD=\(BuiltEngines.faults)"
    let list = try TemporaryFolder()
    try transcript.run("\(faults) MIGRATOR_FAULTS_LOG=\(list.file("calls")) migrator dump --quiet --output result")
    let whole = try transcript.folder.bytes(of: "result")
    let names = try transcript.folder.names()
    let calls = String(decoding: try list.bytes(of: "calls"), as: UTF8.self).split(separator: "\n")
    var unfinishedCount = 0
    for call in 1...max(1, calls.count) {
      try transcript.run("rm result; \(faults) MIGRATOR_FAULTS_KILL=\(call) migrator dump --quiet --output result")
      let left = try transcript.folder.names()
      unfinishedCount += left.contains { $0.hasSuffix(".partial") } ? 1 : 0
      if left.contains("result") { #expect(try transcript.folder.bytes(of: "result") == whole, "call \(call)") }
      #expect(try transcript.run("migrator dump --quiet --output result").exitCode == 0)
      #expect(try transcript.folder.bytes(of: "result") == whole)
      for name in left where name.hasSuffix(".partial") { try transcript.run("rm \(name)") }
      #expect(try transcript.folder.names() == names, "call \(call), \(calls)")
    }
    #expect(unfinishedCount > 0, "\(calls)")
  }

  @Test("Commands leave no file beside a backup in WAL mode", arguments: TestEngine.allCases)
  func besideBackups(engine: TestEngine) throws {
    let transcript = try Self.transcript(engine)
    try Self.fill(engine, transcript)
    for options in ["", " --keep-data", " --keep-data", "", ""] {
      let outcome = try transcript.run("migrator rebuild --force --yes\(options)\(Self.key(engine))")
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
    }
    let names = try transcript.folder.names()
    #expect(!names.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(names)")
    #expect(names.contains { $0.hasPrefix("app.db.backup-") })
  }

  @Test("Rows are written only to the folder of the database", arguments: TestEngine.allCases)
  func places(engine: TestEngine) throws {
    let (kept, temporary) = (try TemporaryFolder(), try TemporaryFolder())
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    let transcript = try Self.transcript(
      engine, variables: ["TMPDIR": temporary.path, "SQLITE_TMPDIR": temporary.path])
    try Self.fill(engine, transcript)
    let faults = "LD_PRELOAD=\(BuiltEngines.faults) MIGRATOR_FAULTS_KEEP=\(kept.path)"
    let outcome = try transcript.run(
      "\(faults) migrator rebuild --force --keep-data --yes\(Self.key(engine))")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let folder = transcript.folder.path.replacing("/", with: "%")
    let names = try kept.names()
    #expect(names.contains { $0.hasPrefix(folder) })
    // The process also writes to a file of the system, to prevent core dumps.
    #expect(names.filter { !$0.hasPrefix(folder) && !$0.hasPrefix("%proc%") } == [])
  }
}
