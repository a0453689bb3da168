import Foundation
import Migrator
import SQLCipherBackend
import SQLCipherCommand
import SQLiteCommand
import TestEngines
import Testing

@testable import MigratorCommand

/// The commands during which the power fails.
enum PowerCutCommand: String, CaseIterable, Sendable {
  case migrate, rebuild, rebuildKeepingData, erase, backup, encrypt, decrypt, rekey, upgrade

  static func all(for engine: TestEngine) -> [PowerCutCommand] {
    allCases.filter { engine.isEncrypted || !$0.isConversion }
  }

  var isConversion: Bool { [.encrypt, .decrypt, .rekey, .upgrade].contains(self) }

  /// The arguments of the tool; empty for a backup, which an app makes.
  var arguments: [String] {
    switch self {
    case .migrate: ["migrate"]
    case .rebuild: ["rebuild", "--force", "--yes"]
    case .rebuildKeepingData: ["rebuild", "--force", "--yes", "--keep-data"]
    case .erase: ["erase", "--yes"]
    case .backup: []
    case .encrypt: ["encrypt"]
    case .decrypt: ["decrypt"]
    case .rekey: ["rekey", "--new-key-env", "NEW", "--new-raw-key"]
    case .upgrade: ["upgrade-cipher"]
    }
  }
}

/// A database in a folder without other files, the command to record, and the states that a power failure may leave.
final class PowerCutTrial {
  let engine: TestEngine
  let command: PowerCutCommand
  let hasLog: Bool
  private let source: TemporaryFolder
  private let variables: [String: String]
  private var original: [(name: String, bytes: Data)] = []
  private(set) var changes: [RecordedDisk.Change] = []
  /// The state of the database before the command.
  private(set) var old: [String] = []
  /// The states at which the command may be interrupted, the one before it included.
  private(set) var allowed: Set<[String]> = []
  /// The state after the command.
  private(set) var final: [String] = []

  static let marker = "a-private-row-of-the-user"
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
    source = try TemporaryFolder()
    let hex = { (bytes: Range<UInt8>) in bytes.map { String(format: "%02x", $0) }.joined() }
    var variables = ["K": hex(0..<32), "NEW": hex(0..<48), "NO_COLOR": "1"]
    variables["MIGRATOR_SQLCIPHER_LIBRARY"] = engine.libraryPath
    self.variables = variables
    for (index, sql) in Self.migrations.enumerated() { try source.write(Data(sql.utf8), to: "\(index + 1)_a.sql") }
    try prepare()
    try record()
  }

  // MARK: Forms

  private enum Form: CaseIterable { case plain, raw, other, older }

  private func backend(_ form: Form, _ path: String) -> any DatabaseBackend {
    switch form {
    case .plain: TestEngine.sqlite.backend(path: path)
    case .raw: engine.backend(path: path, key: .raw)
    case .other: engine.backend(path: path, key: .rawWithSalt)
    case .older:
      engine.backend(path: path, key: .raw, settings: CipherSettings(compatibility: engine == .sqlCipher3 ? 1 : 3))
    }
  }

  private var formBefore: Form {
    switch command {
    case .encrypt: .plain
    case .upgrade: .older
    default: engine.isEncrypted ? .raw : .plain
    }
  }

  private var formAfter: Form {
    switch command {
    case .decrypt: .plain
    case .rekey: .other
    case .encrypt, .upgrade: .raw
    default: formBefore
    }
  }

  /// The options with which the tool opens the database in its first form.
  private func keyOptions(_ form: Form) -> [String] {
    switch form {
    case .plain: []
    case .raw: ["--key-env", "K", "--raw-key"]
    case .other: ["--key-env", "NEW", "--raw-key"]
    case .older: ["--key-env", "K", "--raw-key", "--cipher-compatibility", engine == .sqlCipher3 ? "1" : "3"]
    }
  }

  // MARK: Running commands

  private func arguments(_ arguments: [String], _ options: [String], _ folder: TemporaryFolder) -> [String] {
    arguments + ["--database", folder.file(Self.database), "--migrations", source.path] + options
  }

  private func run(_ arguments: [String], _ options: [String], in folder: TemporaryFolder) throws -> (Int32, String) {
    // A conversion blocks its thread until a task is done, which tests that run on all threads for tasks would prevent.
    if arguments == command.arguments, command.isConversion {
      let tool = ToolProcess(folder: folder.path, variables: variables)
      let outcome = try tool.run(self.arguments(arguments, options, folder))
      return (outcome.exitCode, outcome.output + outcome.errors)
    }
    let terminal = Terminal()
    let tool = MigratorTool(backends: [.sqlite, .sqlCipher])
    let code = tool.run(
      arguments: self.arguments(arguments, options, folder), environment: terminal.environment(variables: variables))
    return (code, terminal.text)
  }

  /// The options of the command: those of the key that it starts from, or that it encrypts with.
  private var options: [String] {
    switch command {
    case .encrypt, .upgrade: keyOptions(.raw)
    default: keyOptions(formBefore)
    }
  }

  private func makeBackup(in folder: TemporaryFolder) throws {
    let copy = folder.file(Self.database) + "-copy"
    guard !FileManager.default.fileExists(atPath: copy) else { return }
    let queue = try DatabaseQueue(backend(formBefore, folder.file(Self.database)))
    try queue.backup(to: copy)
    try queue.close()
  }

  // MARK: Preparing

  private func prepare() throws {
    let folder = try TemporaryFolder()
    let options = keyOptions(formBefore)
    let last = command == .migrate ? 1 : Self.migrations.count
    func migrate(_ folder: TemporaryFolder, to number: Int) throws {
      let (code, text) = try run(["migrate", "--to", "\(number)_a"], options, in: folder)
      try #require(code == 0, "\(text)")
    }
    try migrate(folder, to: last)
    var configuration = Configuration()
    if hasLog { configuration.journalMode = .wal }
    let queue = try DatabaseQueue(backend(formBefore, folder.file(Self.database)), configuration: configuration)
    try queue.write { db in
      for number in 1...40 {
        try db.execute(
          sql: "INSERT INTO note VALUES (?, ?, ?)", arguments: [number, 1 + number % 2, "\(Self.marker) \(number)"])
      }
    }
    try queue.close()
    for name in try folder.names() { original.append((name, try folder.bytes(of: name))) }
    old = try #require(try state(in: folder, formBefore))
    allowed = [old]
    if command == .migrate {
      for number in 2...Self.migrations.count {
        try migrate(folder, to: number)
        allowed.insert(try #require(try state(in: folder, formBefore)))
      }
    } else if command == .rebuild || command == .rebuildKeepingData || command == .erase {
      let fresh = try TemporaryFolder()
      allowed.insert([])
      if command != .erase {
        for number in 1...Self.migrations.count {
          try migrate(fresh, to: number)
          allowed.insert(try #require(try state(in: fresh, formBefore)))
        }
      }
    }
  }

  /// Runs the command in a process that is recorded.
  private func record() throws {
    try #require(FileManager.default.fileExists(atPath: BuiltEngines.faults), "Run Tools/setup.")
    let (folder, list) = (try TemporaryFolder(), try TemporaryFolder())
    for (name, bytes) in original { try folder.write(bytes, to: name) }
    let faults = ["LD_PRELOAD": BuiltEngines.faults, "MIGRATOR_FAULTS_RECORD": list.file("calls")]
    disk = try RecordedDisk(folder)
    if command == .backup {
      let process = Process()
      process.executableURL = try TestWorkerProgram.url
      process.arguments = [engine.rawValue, folder.file(Self.database), "back-up-once"]
      process.environment = ProcessInfo.processInfo.environment.merging(faults) { $1 }
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    } else {
      let tool = ToolProcess(folder: folder.path, variables: variables.merging(faults) { $1 })
      let outcome = try tool.run(arguments(command.arguments, options, folder))
      try #require(outcome.exitCode == 0, "\(outcome.errors)")
    }
    changes = RecordedDisk.Change.all(in: try list.bytes(of: "calls"), folder: folder.path)
    try #require(changes.count > 3)
    final = try #require(try state(in: folder, formAfter))
    allowed.insert(final)
  }

  /// The disk before the command.
  private(set) var disk: RecordedDisk?

  // MARK: Checking

  /// Returns the definitions and the rows of a database, without the migrator's own tables; nil when the file does not
  /// have the form, and `damaged` when it is.
  private func state(in folder: TemporaryFolder, _ form: Form, name: String = database) throws -> [String]? {
    do {
      let queue = try DatabaseQueue(backend(form, folder.file(name)))
      defer { try? queue.close() }
      return try queue.read { db in
        guard try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"] else { return ["damaged"] }
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

  /// Returns the defect of an image, and of the database after the command ran again; nil for none.
  ///
  /// - Parameters:
  ///   - isAtEnd: Whether the command had reported success.
  ///   - looksFirst: Whether the image is examined before the command runs again; otherwise, no other connection recovers
  ///     it for the command.
  func defect(of image: TemporaryFolder, isAtEnd: Bool, looksFirst: Bool) throws -> String? {
    let names = try image.names()
    if command == .encrypt, isAtEnd {
      for name in names where try image.bytes(of: name).range(of: Data(Self.marker.utf8)) != nil {
        return "plaintext in \(name)"
      }
    }
    if looksFirst, let defect = try defectBefore(image, names) { return defect }
    if command == .backup {
      try makeBackup(in: image)
    } else {
      let (code, text) = try run(command.arguments, options, in: image)
      guard code == 0 else { return "the command ends with \(code): \(text)" }
    }
    guard let state = try state(in: image, formAfter) else { return "it does not open after the command ran again" }
    guard state == final || command == .rebuild && allowed.contains(state) else { return "\(state), not \(final)" }
    let left = try image.names().filter { name in
      name != Self.database && !(name.contains(".backup-") && name.hasSuffix("Z") || name.contains("Z-"))
        && name != Self.database + "-copy"
    }
    guard left.isEmpty else { return "leftover files: \(left)" }
    return command == .backup ? try backupDefect(image) : nil
  }

  private func defectBefore(_ image: TemporaryFolder, _ names: [String]) throws -> String? {
    let states = try (formBefore == formAfter ? [formBefore] : [formBefore, formAfter])
      .compactMap { try state(in: image, $0) }
    guard states.count == 1, let state = states.first else { return "it opens in \(states.count) forms" }
    guard allowed.contains(state) else { return "between two migrations: \(state)" }
    // The rows of the user are in the database or in a backup.
    let hasRows = state.contains { $0.contains(Self.marker) }
    guard !hasRows else { return nil }
    let backups = names.filter { $0.contains(".backup-") && !$0.contains(".unfinished") && !$0.hasSuffix("-wal") }
    let isKept = try backups.contains { try self.state(in: image, formBefore, name: $0) == old }
    return isKept ? nil : "the rows are in no file: \(names)"
  }

  private func backupDefect(_ image: TemporaryFolder) throws -> String? {
    let copy = try state(in: image, formBefore, name: Self.database + "-copy")
    return copy == old ? nil : "the backup has \(copy ?? [])"
  }
}
