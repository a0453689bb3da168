import Foundation
@testable import MigratorCommand

/// A command line that reads a database and must not change it.
struct ReadingCommand: CustomStringConvertible {
  /// The form of the output.
  enum Form: String, CaseIterable {
    case terminal, pipe, json
  }

  let line: String
  let form: Form

  var description: String { form == .json ? "\(line) --json" : "\(line) (\(form))" }

  /// The command lines that read, by their command.
  private static let lines = [
    "status": ["status --check --verbose"],
    "plan": ["plan --rows all --verbose"],
    "migrate": ["migrate --dry-run"],
    "dump": ["dump --from database"],
    "diff": ["diff --suggest", "diff --from migrations DATABASE --suggest"],
    "diagram": ["diagram --from database", "diagram --from database --format dot"],
    "lint": ["lint"],
    "check": ["check"],
    "verify": ["verify --verbose", "verify --databases DATABASE"],
  ]

  /// The commands that only write, or that use no database.
  private static let others: Set<String> = [
    "rebuild", "watch", "erase", "restore", "new", "baseline", "adopt", "encrypt", "decrypt", "rekey", "upgrade-cipher",
    "completions", "help",
  ]

  /// The tool's commands that neither list contains.
  static let missing = Set(ToolCommand.all.map(\.key)).subtracting(lines.keys).subtracting(others)

  /// Returns one line of each command in one form; consecutive numbers give all lines in all forms.
  static func all(_ number: UInt64) -> [ReadingCommand] {
    let number = Int(number % 600)
    return ToolCommand.all.compactMap { lines[$0.key] }.enumerated().map { index, lines in
      ReadingCommand(
        line: lines[number / Form.allCases.count % lines.count],
        form: Form.allCases[(number + index) % Form.allCases.count])
    }
  }

  /// Returns the arguments for a database.
  func arguments(_ database: String, _ options: [String]) -> [String] {
    let words = line.replacing("DATABASE", with: database).split(separator: " ").map(String.init)
    let place = words.contains("--databases") ? [] : ["--database", database]
    return words + place + options + (form == .json ? ["--json"] : ["--no-color"])
  }

  /// Returns the fault of an outcome; nil if there is none.
  func fault(of outcome: ToolTrial.Outcome) -> String? {
    let (output, errors) = (outcome.output, outcome.errors)
    guard let code = ExitCode(rawValue: outcome.exitCode), code != .interrupted else {
      return "the exit code is \(outcome.exitCode)"
    }
    if code != .done, output.isEmpty, errors.isEmpty { return "it exits with \(code) without a message" }
    // The progress bar, which begins after half a second, clears its line.
    let text = errors.replacing("\r\u{1B}[K", with: "")
    if let scalar = Self.harmful(text) { return "standard error contains \(scalar.debugDescription)" }
    // A pipe gets definitions unchanged, so that they can be loaded.
    let isDefinition = form == .pipe && (line.hasPrefix("dump") || line.hasPrefix("diagram"))
    if !isDefinition, let scalar = Self.harmful(output) { return "standard output contains \(scalar.debugDescription)" }
    guard form == .json else { return nil }
    // For many databases, a command prints an object on each line, but one object if it fails before the first database.
    if !line.contains("--databases") || output.hasPrefix("{\n") {
      return Self.isObject(output) ? nil : "it prints no JSON object: \(output.prefix(200))"
    }
    let other = output.split(separator: "\n").first { !Self.isObject(String($0)) }
    return other.map { "it prints no JSON object: \($0.prefix(200))" }
  }

  private static func isObject(_ text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) is [String: Any]
  }

  /// Returns the first character that controls a terminal or reverses text.
  private static func harmful(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.first { scalar in
      switch scalar.value {
      case 0x09, 0x0A: false
      case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
  }
}
