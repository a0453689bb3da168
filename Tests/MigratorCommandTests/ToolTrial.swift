import Foundation
import Migrator
import SQLSyntax
@testable import MigratorCommand
import TestEngines

/// A folder of migrations and a database beside it, on which the tool runs in this process.
struct ToolTrial {
  let engine: TestEngine
  private let fixture: FolderFixture

  /// The path of the folder `migrations`.
  var migrations: String { fixture.path + "/migrations" }
  /// The path of the database.
  var database: String { fixture.path + "/app.sqlite" }

  /// Writes migrations, by their names.
  init(_ engine: TestEngine, _ files: [String: String]) throws {
    self.engine = engine
    fixture = try FolderFixture([:])
    for (name, text) in files { try write(text, to: name) }
  }

  /// Writes a migration.
  func write(_ text: String, to name: String) throws { try fixture.write(Data(text.utf8), to: "migrations/" + name) }

  /// Removes a migration.
  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(migrations)/\(name)") }

  /// The outcome of a command.
  struct Outcome {
    let exitCode: Int32
    let output: String
    let errors: String

    /// All text that the command printed, on one line, since lines may break anywhere.
    var text: String { (output + " " + errors).split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The object that the command printed.
    func json() throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// Runs the tool with arguments that are separated by spaces.
  ///
  /// - Parameter typing: The answers to its questions, on a terminal; nil for no terminal.
  func run(
    _ arguments: String, usesDatabase: Bool = true, typing: [String]? = nil,
    longestStatement: Duration = .longestScratchStatement
  ) -> Outcome {
    let backend = ToolBackend(name: "test", recognizes: { _ in true }) { [engine] location throws(DatabaseError) in
      engine.backend(path: location.path, key: .raw)
    }
    let places = ["--migrations", migrations] + (usesDatabase ? ["--database", database] : [])
    return MigratorTool(backends: [backend]).outcome(
      of: arguments.split(separator: " ").map(String.init) + places, typing: typing, longestStatement: longestStatement)
  }

  /// Uses the database on a new connection.
  func use<Value>(_ body: (DatabaseQueue) throws -> Value) throws -> Value {
    let queue = try engine.queue(path: database, key: .raw)
    let value = try body(queue)
    try queue.close()
    return value
  }

  /// Returns the rows of the tables, by name, each as text; without the migrator's own tables.
  func rows() throws -> [String: [String]] {
    try use { queue in
      try queue.read { db in
        var rows: [String: [String]] = [:]
        for table in try db.schema().objects where table.kind == .table && !table.isShadow {
          guard !table.name.hasPrefix("migrator_") else { continue }
          rows[table.name] = try Row.fetchAll(db, sql: "SELECT * FROM main.\(table.name.quotedIdentifier)")
            .map { "\($0)" }.sorted()
        }
        return rows
      }
    }
  }
}

extension MigratorTool {
  /// Runs a command in this process.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether standard output and standard error are terminals.
  ///   - typing: The lines that are typed on a terminal; nil if standard input is none.
  ///   - longestStatement: The duration of the longest statement on a scratch database.
  func outcome(
    of arguments: [String], variables: [String: String] = [:], isTerminal: Bool = false,
    typing: [String]? = nil, longestStatement: Duration = .longestScratchStatement
  ) -> ToolTrial.Outcome {
    let (output, errors, typed) = (Lock(""), Lock(""), Lock(typing ?? []))
    let environment = ToolEnvironment(
      variable: { variables[$0] }, isInputTerminal: typing != nil, isOutputTerminal: isTerminal,
      isErrorTerminal: isTerminal || typing != nil,
      writeOutput: { text in
        output.withLock { $0 += text }
        return 0
      },
      writeError: { text in errors.withLock { $0 += text } },
      readLine: { typed.withLock { $0.isEmpty ? nil : $0.removeFirst() } }, readSecret: { _ in nil },
      now: { 1_795_287_839 }, longestScratchStatement: longestStatement)
    let exitCode = run(arguments: arguments, environment: environment)
    return ToolTrial.Outcome(exitCode: exitCode, output: output.withLock { $0 }, errors: errors.withLock { $0 })
  }
}
