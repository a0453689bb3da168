import Foundation
import Testing

@testable import MigratorCommand

/// Fails when no transcript shows a command, or one of its outcomes; `CommandMatrixTests` has those with keys.
@Suite("The golden transcripts are complete")
struct GoldenMatrixTests {
  /// One command in a transcript.
  private struct Entry {
    var command: String
    var line: String
    var output: String
    var exitCode: Int

    var isJSON: Bool { line.contains("--json") }
    var isEncrypted: Bool { line.contains("--key-") || line.contains("sqlcipher") }
    var saysNothingToDo: Bool {
      ["Nothing to do", "Nothing was changed", "No difference", "is up to date"].contains(where: output.contains)
    }
  }

  /// The commands without a database, which have no encrypted form.
  static let withoutDatabase: Set<String> = ["new", "completions", "help"]
  /// The commands for encrypted databases.
  static let cipher: Set<String> = ["encrypt", "decrypt", "rekey", "upgrade-cipher"]
  /// The commands that may have nothing to do.
  private static let repeatable: Set<String> = [
    "plan", "migrate", "rebuild", "watch", "erase", "dump", "diff", "baseline", "adopt", "encrypt", "decrypt", "rekey",
    "upgrade-cipher",
  ]

  @Test("They show help, success, nothing to do and failure of each command, as text and JSON")
  func commands() throws {
    #expect(ToolCommand.all.map(\.key) == ToolCommand.all.map { $0.value().name })
    let entries = try Self.entries()
    for command in ToolCommand.all.map(\.key) {
      let own = entries.filter { $0.command == command }
      #expect(entries.contains { $0.line == "migrator help \(command)" && $0.exitCode == 0 }, "help \(command)")
      for isJSON in [false, true] {
        let format = isJSON ? "\(command) --json" : command
        let needsKey = Self.cipher.contains(command)
        let some = own.filter { $0.isJSON == isJSON && $0.isEncrypted == needsKey }
        #expect(some.contains { $0.exitCode == 0 }, "no success of \(format)")
        #expect(needsKey || some.contains { $0.exitCode != 0 }, "no failure of \(format)")
      }
      guard Self.repeatable.contains(command) else { continue }
      #expect(own.contains { $0.exitCode == 0 && $0.saysNothingToDo }, "\(command) with nothing to do")
    }
  }

  @Test("They show each exit code")
  func exitCodes() throws {
    let seen = Set(try Self.entries().map(\.exitCode))
    // Ctrl-C needs a terminal or a signal: PseudoTerminalTests, SignalTests.
    for code in ExitCode.allCases where code != .interrupted { #expect(seen.contains(Int(code.rawValue)), "\(code)") }
  }

  private static func entries() throws -> [Entry] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")
    var entries: [Entry] = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for block in ("\n" + text).components(separatedBy: "\n$ ").dropFirst() {
        let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
        let line = String(lines[0])
        // The exit code is that of the last command in a line.
        guard let command = line.matches(of: /migrator ([a-z-]+)/).last?.output.1,
          let code = lines.last(where: { $0.hasPrefix("[") && $0.hasSuffix("]") }).flatMap({
            Int($0.dropFirst().dropLast())
          })
        else { continue }
        entries.append(Entry(command: String(command), line: line, output: block, exitCode: code))
      }
    }
    return entries
  }
}
