import Foundation
import Migrator
import TestEngines
import Testing

/// A transcript of commands and their output, in which the differences between runs are replaced.
final class Transcript {
  /// The working folder.
  let folder: TemporaryFolder

  private let tool: ToolProcess
  private let secrets: [String]
  private var text = ""
  /// The paragraphs of earlier outputs, which are not repeated; nil if all outputs are complete.
  private var paragraphs: Set<String>?
  /// The forms of the JSON objects that the commands have printed.
  private(set) var forms: Set<String> = []
  /// The published schema, with which each printed object is compared.
  private static let schema = Result { try JSONSchema() }

  /// The variables with the tests' keys, which no command may print.
  private static let secretVariables = ["K", "RAW", "NEW"]

  /// Creates an empty transcript in an empty folder.
  ///
  /// - Parameter isAbbreviated: Whether the transcript has only the first line of a paragraph that is already in it.
  init(variables: [String: String] = [:], isAbbreviated: Bool = false) throws {
    paragraphs = isAbbreviated ? [] : nil
    folder = try TemporaryFolder()
    tool = ToolProcess(folder: folder.path, variables: variables)
    secrets = Self.secretVariables.compactMap { variables[$0] }.filter { $0.utf8.count > 8 }
  }

  /// Returns an empty transcript in a folder with three migrations, each of which adds one row.
  static func withThreeMigrations() throws -> Transcript {
    let transcript = try Transcript()
    try transcript.write("CREATE TABLE t (x); INSERT INTO t VALUES (1);\n", to: "migrations/0001_one.sql")
    try transcript.write("INSERT INTO t VALUES (2);\n", to: "migrations/0002_two.sql")
    try transcript.write("INSERT INTO t VALUES (3);\n", to: "migrations/0003_three.sql")
    return transcript
  }

  /// Writes a file and creates its folders, without adding to the transcript.
  func write(_ text: String, to name: String) throws { try folder.write(text.utf8, to: name) }

  /// Changes a database in the folder, without adding to the transcript.
  func execute(_ sql: String, on database: String = "app.sqlite") throws {
    let queue = try TestEngine.sqlite.queue(path: folder.file(database))
    try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
    try queue.close()
  }

  /// Runs a shell command, and adds it to the transcript with its output.
  ///
  /// - Parameter shown: The text that the transcript shows instead of the command, if it differs between engines.
  @discardableResult
  func run(_ line: String, shown: String? = nil) throws -> ToolProcess.Outcome {
    let outcome = try tool.shell(line)
    for secret in secrets {
      #expect(!outcome.output.contains(secret) && !outcome.errors.contains(secret), "\(line) printed a key")
    }
    if line.contains("--json") { try compareWithSchema(outcome.output, of: line) }
    text += "$ \(shown ?? line)\n" + abbreviated(outcome.output)
    if !outcome.errors.isEmpty {
      text += outcome.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { "! \($0)\n" }.joined()
    }
    text += "[\(outcome.exitCode)]\n\n"
    return outcome
  }

  private func abbreviated(_ output: String) -> String {
    guard paragraphs != nil else { return output }
    return output.components(separatedBy: "\n\n").map { paragraph in
      let lines = paragraph.split(separator: "\n")
      guard lines.count > 2, paragraphs?.insert(paragraph).inserted == false else { return paragraph }
      return "\(lines[0]) (as above)" + (paragraph.hasSuffix("\n") ? "\n" : "")
    }.joined(separator: "\n\n")
  }

  private func compareWithSchema(_ output: String, of line: String) throws {
    for object in JSON.objects(in: output) where object["format"] != nil {
      switch try Self.schema.get().form(of: object) {
      case .success(let form): forms.insert(form)
      case .failure(let error): Issue.record("the output of \(line) does not match the schema: \(error.faults)")
      }
    }
  }

  /// Compares the transcript with the golden file of that name.
  ///
  /// With MIGRATOR_RECORD_GOLDEN=1, writes the file instead and fails the test; never if CI is set.
  func expect(golden name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let actual = Normalization.normalize(text, folder: folder.path)
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/\(name).txt")
    let variables = ProcessInfo.processInfo.environment
    if variables["MIGRATOR_RECORD_GOLDEN"] == "1", variables["CI"] == nil {
      try Data(actual.utf8).write(to: file)
      Issue.record("recorded \(name).txt: read it, and run again without the variable", sourceLocation: sourceLocation)
      return
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(actual == expected, "\(Self.difference(expected, actual))", sourceLocation: sourceLocation)
  }

  /// Returns the first line that differs, with its command.
  private static func difference(_ expected: String, _ actual: String) -> String {
    let one = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let other = actual.split(separator: "\n", omittingEmptySubsequences: false)
    let index =
      zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(one.count, other.count)
    let command = other.prefix(index + 1).last { $0.hasPrefix("$ ") } ?? ""
    let was = index < one.count ? String(one[index]) : "<end>"
    let isNow = index < other.count ? String(other[index]) : "<end>"
    return "line \(index + 1), after `\(command)`\n  golden: \(was)\n  actual: \(isNow)"
  }
}
