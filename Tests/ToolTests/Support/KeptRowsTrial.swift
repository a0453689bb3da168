import Foundation
import Migrator
import TestEngines
import Testing

/// A development database with a user's rows, whose only migration was edited, and the tool that rebuilds it.
final class KeptRowsTrial {
  private let engine: TestEngine
  private let folder: TemporaryFolder
  private let original: TemporaryFolder
  private let tool: ToolProcess

  private static let key = [UInt8](0..<32)

  init(_ engine: TestEngine) throws {
    self.engine = engine
    folder = try TemporaryFolder()
    original = try TemporaryFolder()
    var variables = ["MIGRATOR_DATABASE": "app.db", "K": Self.key.map { String(format: "%02x", $0) }.joined()]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    tool = ToolProcess(folder: folder.path, variables: variables)
    try FileManager.default.createDirectory(atPath: folder.file("migrations"), withIntermediateDirectories: true)
    try write(Self.migration(engine))
    let outcome = try run(["rebuild"])
    try #require(outcome.exitCode == 0, "\(outcome.errors)")
    try use { db in
      try db.execute(sql: Self.rows)
      if engine.hasFTS5 { try db.execute(sql: "INSERT INTO bare (rowid, body) VALUES (70, 'my bare')") }
    }
    // The rows of the table with a new column are restored, too.
    try write(Self.migration(engine).replacingOccurrences(of: "body TEXT)", with: "body TEXT, note TEXT)"))
    try Self.copy(from: folder, to: original)
  }

  /// Returns the migration that creates each table; the user's rows are added to its rows.
  static func migration(_ engine: TestEngine) -> String {
    """
    CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);
    INSERT INTO doc (id, body) VALUES (1, 'first doc');
    CREATE VIRTUAL TABLE own USING fts4 (body);
    INSERT INTO own (docid, body) VALUES (1, 'first own');
    CREATE VIRTUAL TABLE search USING fts4 (content="doc", body);
    CREATE VIRTUAL TABLE box USING rtree (id, x0, x1);

    """
      + (engine.hasFTS5
        ? "CREATE VIRTUAL TABLE bare USING fts5 (body, content='');\nINSERT INTO bare (rowid, body) VALUES (1, 'first');\n"
        : "")
  }

  private static let rows = """
    INSERT INTO doc VALUES (20, 'my doc'), (30, 'my other doc');
    INSERT INTO own (docid, body) VALUES (50, 'mine own');
    INSERT INTO box VALUES (6, 0, 10), (7, 20, 30);
    INSERT INTO search (search) VALUES ('rebuild');
    """

  /// Returns the result of ``content(_:)`` for a database with all rows.
  static func full(_ engine: TestEngine) -> [String] {
    ["doc 1 20 30", "own 1 50", "box 6 7", "search 20 30"] + (engine.hasFTS5 ? ["bare 70"] : [])
  }

  /// Returns the rows in a database; a missing table has none.
  static func content(_ db: Database) throws -> [String] {
    let queries = [
      ("doc", "SELECT id FROM doc"), ("own", "SELECT docid FROM own"), ("box", "SELECT id FROM box"),
      ("search", "SELECT docid FROM search WHERE search MATCH 'my'"),
      ("bare", "SELECT rowid FROM bare WHERE bare MATCH 'my'"),
    ]
    return try queries.compactMap { table, query in
      guard try db.tableExists(table) else { return nil }
      return try ([table] + Int.fetchAll(db, sql: query + " ORDER BY 1").map(String.init)).joined(separator: " ")
    }
  }

  /// Writes the migration, or another one.
  func write(_ sql: String, to name: String = "1_all.sql") throws {
    try folder.write(Array(sql.utf8), to: "migrations/\(name)")
  }

  /// Runs the tool until it exits.
  func run(_ arguments: [String]) throws -> ToolProcess.Outcome { try tool.run(arguments + keyArguments) }

  /// Runs the tool, and kills it at one of the calls that change files.
  ///
  /// - Returns: Whether it was killed there.
  func runKilled(at call: Int, _ arguments: [String]) throws -> Bool {
    try run(with: ["KILL": "\(call)"], arguments).terminationReason == .uncaughtSignal
  }

  /// Returns the calls that change files in an uninterrupted rebuild, or in another command.
  func calls(of arguments: [String] = ["rebuild", "--yes", "--keep-data"]) throws -> [String] {
    let list = try TemporaryFolder()
    let process = try run(with: ["LOG": list.file("calls")], arguments)
    #expect(process.terminationStatus == 0)
    return String(decoding: try list.bytes(of: "calls"), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Makes the present state of all files the original one, and returns the names of the backups.
  func keep() throws -> [String] {
    for name in try original.names() { try FileManager.default.removeItem(atPath: original.file(name)) }
    try Self.copy(from: folder, to: original)
    return try folder.names().filter { $0.contains(".backup-") }
  }

  /// Restores all files to their original state.
  func reset() throws {
    for name in try folder.names() { try FileManager.default.removeItem(atPath: folder.file(name)) }
    try Self.copy(from: original, to: folder)
  }

  /// Returns the contents of the database and of each backup.
  func contents() throws -> [[String]] {
    try folder.names().filter { $0 == "app.db" || BackupFolder.isBackup($0) }.map { name in
      var content: [String] = []
      try use(name) { content = try Self.content($0) }
      return content
    }
  }

  /// Uses the database, or one of the backups.
  func use(
    _ name: String = "app.db", enforcesForeignKeys: Bool = true, _ body: (Database) throws -> Void
  ) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = enforcesForeignKeys
    let queue = try engine.queue(path: folder.file(name), key: .raw, configuration: configuration)
    try queue.write(body)
    try queue.close()
  }

  private var keyArguments: [String] { engine.isEncrypted ? ["--key-env", "K", "--raw-key"] : [] }

  private func run(with faults: [String: String], _ arguments: [String]) throws -> Process {
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    var tool = tool
    tool.variables["LD_PRELOAD"] = BuiltEngines.faults
    for (name, value) in faults { tool.variables["MIGRATOR_FAULTS_\(name)"] = value }
    let (process, output) = try tool.startMerged(arguments + keyArguments)
    _ = output.readDataToEndOfFile()
    process.waitUntilExit()
    return process
  }

  private static func copy(from source: TemporaryFolder, to target: TemporaryFolder) throws {
    for name in try source.names() {
      try FileManager.default.copyItem(atPath: source.file(name), toPath: target.file(name))
    }
  }
}

extension TestEngine {
  /// Whether the engine has the FTS5 module.
  var hasFTS5: Bool { self != .sqlCipher3 }
}
