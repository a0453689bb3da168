import Foundation
import Migrator
import SQLCipherBackend
import SQLCipherCommand
import SQLiteCommand
import TestEngines
import Testing

@testable import MigratorCommand

/// The commands during which the power fails.
enum PowerCutCommand: Hashable, Sendable {
  case create, migrate, rebuild, rebuildKeepingRows, erase, backUp
  case convert(TestConversion, keepsOriginal: Bool = false)

  static func all(for engine: TestEngine) -> [PowerCutCommand] {
    let conversions: [PowerCutCommand] = [
      .convert(.encrypt), .convert(.encrypt, keepsOriginal: true), .convert(.decrypt), .convert(.rekey),
      .convert(.upgrade),
    ]
    return [.create, .migrate, .rebuild, .rebuildKeepingRows, .erase, .backUp] + (engine.isEncrypted ? conversions : [])
  }

  /// The arguments of the tool; nil for what only apps or tasks of the worker do.
  var toolArguments: [String]? {
    switch self {
    case .create, .migrate: ["migrate"]
    case .rebuild: ["rebuild", "--yes"]
    case .rebuildKeepingRows: ["rebuild", "--yes", "--keep-data"]
    case .erase: ["erase", "--yes"]
    case .backUp, .convert: nil
    }
  }

  var conversion: TestConversion? { if case .convert(let conversion, _) = self { conversion } else { nil } }

  var keepsOriginal: Bool { self == .convert(.encrypt, keepsOriginal: true) }

  /// Whether the command removes rows, which must then be in a backup.
  var removesRows: Bool { [.rebuild, .rebuildKeepingRows, .erase].contains(self) }

  /// Whether a power failure after the command's end may not undo it.
  ///
  /// SQLite does not sync a folder after it removed a journal, so the last transaction may be undone
  /// (https://www.sqlite.org/pragma.html#pragma_synchronous, EXTRA).
  var isDurable: Bool { self == .backUp || conversion != nil }
}

/// A database in a folder without other files, the recording of a command on it, and the states that a power failure may
/// leave.
final class PowerCutTrial {
  let engine: TestEngine
  let command: PowerCutCommand
  /// Whether the database is in WAL mode, with a log that is not in the file yet.
  let hasLog: Bool
  private let source: TemporaryFolder
  private let variables: [String: String]
  private var original: [(name: String, bytes: Data)] = []
  /// The disk before the command.
  private var disk: RecordedDisk
  private(set) var changes: [RecordedChange] = []
  /// The state of the database before the command.
  private(set) var old: [String] = []
  /// The states that a power failure may leave, those before and after the command included.
  private(set) var allowed: Set<[String]> = []
  /// The states of the backups that an earlier use left, by their names; they have none of the user's rows.
  private(set) var olderBackups: [String: [String]] = [:]
  /// The state after the command.
  private(set) var final: [String] = []

  static let marker = "a-private-row-of-the-user"
  static let rowCount = 120
  static let database = "app.db"

  private static let migrations = [
    """
    CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL);
    CREATE TABLE note (id INTEGER PRIMARY KEY, author INTEGER REFERENCES author (id), body TEXT);
    INSERT INTO author (name) VALUES ('Ursula'), ('Stanisław');
    """,
    """
    CREATE INDEX note_on_author ON note (author);
    CREATE VIEW titles AS SELECT name, body FROM note JOIN author ON author.id = note.author;
    """,
    """
    CREATE TABLE new_author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, born INTEGER DEFAULT 1900);
    INSERT INTO new_author (id, name) SELECT id, name FROM author;
    DROP VIEW titles; DROP TABLE author; ALTER TABLE new_author RENAME TO author;
    """,
    "UPDATE author SET born = born + id; CREATE UNIQUE INDEX author_on_name ON author (name);",
  ]

  init(_ engine: TestEngine, _ command: PowerCutCommand, hasLog: Bool) throws {
    (self.engine, self.command, self.hasLog) = (engine, command, hasLog)
    source = try TemporaryFolder(isInMemory: true)
    var variables = ["K": TestConversion.keyBytes[0].map { String(format: "%02x", $0) }.joined(), "NO_COLOR": "1"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    self.variables = variables
    for (index, sql) in Self.migrations.enumerated() { try source.write(Data(sql.utf8), to: "\(index + 1)_a.sql") }
    disk = try RecordedDisk(TemporaryFolder(isInMemory: true))
    try prepare()
    try findAllowedStates()
    let folder = try TemporaryFolder(isInMemory: true)
    try writeOriginal(into: folder)
    try record(in: folder)
  }

  /// Records the command again, on an image that a power failure during another trial left.
  init(again trial: PowerCutTrial, on image: TemporaryFolder) throws {
    (engine, command, hasLog) = (trial.engine, trial.command, trial.hasLog)
    (source, variables) = (trial.source, trial.variables)
    (disk, old, allowed, olderBackups) = (trial.disk, trial.old, trial.allowed, trial.olderBackups)
    // A backup does not replace the one that is complete.
    if command == .backUp, try image.names().contains(Self.database + "-copy") {
      try FileManager.default.removeItem(atPath: image.file(Self.database + "-copy"))
    }
    try record(in: image)
    try #require(final == trial.final)
  }

  // MARK: Forms

  var formBefore: TestForm { command.conversion?.before(engine) ?? ownForm }

  var formAfter: TestForm { command.conversion?.after(engine) ?? ownForm }

  private var ownForm: TestForm { TestForm(key: engine.isEncrypted ? TestKey.raw.encryptionKey : nil) }

  private func makeQueue(
    _ form: TestForm, _ path: String, _ configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    guard let key = form.key else { return try TestEngine.sqlite.queue(path: path, configuration: configuration) }
    return try DatabaseQueue(
      SQLCipher(path: path, key: key, settings: form.settings, engine: engine.source),
      configuration: configuration)
  }

  // MARK: Preparing

  private func prepare() throws {
    guard command != .create else { return }
    let folder = try TemporaryFolder(isInMemory: true)
    switch command {
    case .migrate, .create: try runTool(["migrate", "--to", "1_a"], in: folder)
    // A database that `rebuild` created may be erased.
    case .rebuild, .rebuildKeepingRows, .erase: try runTool(["rebuild"], in: folder)
    case .backUp, .convert:
      let queue = try makeQueue(formBefore, folder.file(Self.database))
      try queue.write { db in for sql in Self.migrations { try db.execute(sql: sql) } }
      try queue.close()
    }
    var configuration = Configuration()
    if hasLog { configuration.journalMode = .wal }
    if command.removesRows { try writeOlderBackups(in: folder, configuration) }
    let queue = try makeQueue(formBefore, folder.file(Self.database), configuration)
    try queue.write { db in
      for number in 1...Self.rowCount {
        try db.execute(
          sql: "INSERT INTO note VALUES (?, ?, ?)", arguments: [number, 1 + number % 2, "\(Self.marker) \(number)"])
      }
    }
    // Before the log is moved into the file.
    for name in try folder.names() where !name.hasSuffix("-shm") { original.append((name, try folder.bytes(of: name))) }
    try queue.close()
    if command.removesRows, command != .erase {
      try source.write(Data("\(Self.migrations[3]) CREATE INDEX note_on_body ON note (body);".utf8), to: "4_a.sql")
    }
  }

  /// Writes as many backups as the tool retains, so that the next one makes it remove the oldest.
  private func writeOlderBackups(in folder: TemporaryFolder, _ configuration: Configuration) throws {
    for number in 1...3 {
      let name = "\(Self.database).backup-2020010\(number)T000000.000Z"
      try folder.write(try folder.bytes(of: Self.database), to: name)
      let queue = try makeQueue(formBefore, folder.file(name), configuration)
      try queue.write { db in
        try db.execute(sql: "INSERT INTO note VALUES (?, 1, 'older')", arguments: [number])
      }
      try queue.close()
      olderBackups[name] = try state(in: folder, formBefore, name: name) ?? []
    }
  }

  private func writeOriginal(into folder: TemporaryFolder) throws {
    for (name, bytes) in original { try folder.write(bytes, to: name) }
  }

  private func findAllowedStates() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try writeOriginal(into: folder)
    old = try state(in: folder, formBefore) ?? []
    allowed = command.removesRows ? [old, []] : [old]
    guard [.create, .migrate, .rebuild, .rebuildKeepingRows].contains(command) else { return }
    let migrated = command.removesRows ? try TemporaryFolder(isInMemory: true) : folder
    for number in 1...Self.migrations.count {
      try runTool(["migrate", "--to", "\(number)_a"], in: migrated)
      allowed.insert(try #require(try state(in: migrated, formBefore)))
    }
  }

  /// Runs the command in a process that is recorded.
  private func record(in folder: TemporaryFolder) throws {
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    let list = try TemporaryFolder(isInMemory: true)
    try list.write([], to: "calls")
    disk = try RecordedDisk(folder)
    let faults = ["LD_PRELOAD": BuiltEngines.faults, "MIGRATOR_FAULTS_RECORD": list.file("calls")]
    let tool = ToolProcess(folder: folder.path, variables: variables.merging(faults) { $1 })
    let outcome =
      if let arguments = command.toolArguments {
        try tool.run(self.arguments(arguments, folder))
      } else {
        try tool.run(TestWorkerProgram.url, [engine.rawValue, folder.file(Self.database)] + workerArguments)
      }
    try #require(outcome.exitCode == 0, "\(outcome.output) \(outcome.errors)")
    changes = try RecordedChange.all(in: list.bytes(of: "calls"), folder: folder.path)
    try requireSameFiles(in: folder)
    final = try #require(try state(in: folder, formAfter))
    allowed.insert(final)
  }

  /// Returns the disk after a number of the changes.
  func disk(after count: Int) -> RecordedDisk {
    changes.prefix(count).reduce(into: disk) { disk, change in disk.make(change) }
  }

  private var workerArguments: [String] {
    guard let conversion = command.conversion else { return ["back-up-once"] }
    return ["convert", conversion.rawValue] + (command.keepsOriginal ? ["keeping"] : [])
  }

  /// Requires that the recording is complete: all changes result in the files that the process left.
  private func requireSameFiles(in folder: TemporaryFolder) throws {
    var random = SeededGenerator(seed: 0)
    let image = try TemporaryFolder(isInMemory: true)
    try disk(after: changes.count).writeImage(
      RecordedDisk.Survivors(contents: .all, names: .all), into: image, &random)
    let names = try folder.names()
    let calls = "\(command), log \(hasLog), \(changes.suffix(12).map(\.description))"
    try #require(try image.names() == names, "\(calls)")
    for name in names { try #require(try image.bytes(of: name) == folder.bytes(of: name), "\(name): \(calls)") }
  }

  // MARK: Running

  private func arguments(_ arguments: [String], _ folder: TemporaryFolder) -> [String] {
    arguments + ["--database", folder.file(Self.database), "--migrations", source.path]
      + (engine.isEncrypted ? ["--key-env", "K", "--raw-key"] : [])
  }

  private func runTool(_ arguments: [String], in folder: TemporaryFolder) throws {
    let terminal = Terminal()
    let code = MigratorTool(backends: [.sqlite, .sqlCipher]).run(
      arguments: self.arguments(arguments, folder), environment: terminal.environment(variables: variables))
    guard code == 0 else { throw Failure(code: code, text: terminal.text) }
  }

  private struct Failure: Error {
    let code: Int32
    let text: String
  }

  /// Runs the command in this process.
  func run(in folder: TemporaryFolder) throws {
    if let arguments = command.toolArguments { return try runTool(arguments, in: folder) }
    let path = folder.file(Self.database)
    if let conversion = command.conversion {
      try conversion.run(path, engine, keepingOriginal: command.keepsOriginal)
    } else if !FileManager.default.fileExists(atPath: path + "-copy") {
      let queue = try makeQueue(formBefore, path)
      try queue.backup(to: path + "-copy")
      try queue.close()
    }
  }

  // MARK: States

  /// Returns the definitions and the rows of a database, without the migrator's own tables; nil when there is no file of
  /// the form, and one entry when it is damaged.
  func state(in folder: TemporaryFolder, _ form: TestForm, name: String = database) throws -> [String]? {
    do {
      let queue = try makeQueue(form, folder.file(name))
      defer { try? queue.close() }
      return try queue.read { db in
        let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        guard integrity == ["ok"] else { return ["damaged: \(integrity)"] }
        let objects = try db.schema().objects.filter { !$0.tableName.hasPrefix("migrator_") }
        return try objects.map { "\($0.name) \($0.sql ?? "")" }.sorted()
          + objects.filter { $0.kind == .table }.sorted { $0.name < $1.name }.flatMap { table in
            try Row.fetchAll(db, sql: "SELECT * FROM \(table.name)").map { "\(table.name) \($0)" }
          }
      }
    } catch let error as DatabaseError
      where [.wrongKey, .notADatabase, .plaintextDatabase, .fileMissing].contains(error.condition)
    {
      return nil
    }
  }
}
