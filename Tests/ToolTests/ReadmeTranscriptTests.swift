import Foundation
import TestEngines
import Testing

/// Runs the commands in the README and in the article "Using the tool" again.
///
/// `Tools/demo` prints the transcripts of the article; after a change to the tool's output, copy them from there.
@Suite("The transcripts of the README and of the tool's article")
struct ReadmeTranscriptTests {
  private static let readme = "README.md"
  private static let article = "Modules/MigratorCommand/MigratorCommand.docc/UsingTheTool.md"

  @Test("The tool still prints them, except for times and versions")
  func commands() throws {
    let transcripts = try Self.transcripts().filter { $0.hasPrefix("$ ") }
    #expect(transcripts.count >= 2)
    for transcript in transcripts {
      let tool = try Self.sample()
      // The article shows an encrypted database only from the second command on.
      if transcript.contains("music.db") {
        #expect(try tool.shell("migrator migrate --database music.db --key-file key").exitCode == 0)
      }
      try Self.expect(transcript) { command in try tool.shell(command) }
    }
  }

  @Test("The README's session works, and its failing migration prints this message")
  func session() throws {
    let folder = try TemporaryFolder()
    let tool = ToolProcess(folder: folder.path)
    let outcome = try tool.shell("set -eu\n\(Self.steps(Self.readme))")
    #expect(outcome.exitCode == 0, "\(outcome.output)\n\(outcome.errors)")
    let transcripts = try Self.blocks(
      after: "<!-- transcript: continues the session above -->\n```text\n", Self.readme)
    #expect(transcripts.count == 1)
    try Self.expect(#require(transcripts.first)) { command in try tool.shell(command) }
  }

  @Test("The article's first steps work")
  func steps() throws {
    let steps = try Self.steps(Self.article)
    let folder = try TemporaryFolder()
    let outcome = try ToolProcess(folder: folder.path).shell("set -eu\n\(steps)")
    #expect(outcome.exitCode == 0, "\(outcome.output)\n\(outcome.errors)")
    #expect(outcome.output.contains("migrations/0004_add_prices.sql\n"))
    let plain = try folder.bytes(of: "library/library.sqlite")
    let encrypted = try folder.bytes(of: "library/library.db")
    #expect(plain.firstRange(of: Data("CREATE TABLE".utf8)) != nil)
    #expect(encrypted.firstRange(of: Data("CREATE TABLE".utf8)) == nil)
  }

  @Test("The development loop prints this transcript")
  func loop() throws {
    let folder = try TemporaryFolder()
    let transcripts = try Self.blocks(
      after: "<!-- typed again by Tests/ToolTests/ReadmeTranscriptTests.swift -->\n```text\n",
      "Modules/Migrator/Migrator.docc/TheDevelopmentLoop.md")
    #expect(transcripts.count == 1)
    try Self.expect(#require(transcripts.first)) { try ToolProcess(folder: folder.path).shell($0) }
  }

  @Test("The files on disk match the article")
  func files() throws {
    let lines = try #require(Self.transcripts().first { !$0.hasPrefix("$ ") }).split(separator: "\n")
    #expect(lines.count == 3)
    let tool = try Self.sample()
    for (file, options) in [("music.sqlite", ""), ("music.db", "--key-file key")] {
      #expect(try tool.shell("migrator migrate --database \(file) \(options)").exitCode == 0)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(tool.folder)/\(file)"))
      let count = Self.count(of: "Lanterns", in: bytes)
      let line = try #require(lines.first { $0.hasPrefix("  \(file) ") })
      #expect(line.hasSuffix(" \(count) times \"Lanterns\""), "\(line)")
      #expect(line.contains(">SQLite format 3.<") == bytes.starts(with: Array("SQLite format 3\0".utf8)))
    }
  }

  /// The tool in a separate folder, with the demo's migrations and keys.
  private static func sample() throws -> Sample {
    let sample = Sample(temporary: try TemporaryFolder())
    try FileManager.default.copyItem(
      atPath: "\(BuiltEngines.packageRoot)/Tools/sample/migrations", toPath: sample.temporary.file("migrations"))
    try sample.temporary.write(Array("5ec2e7".utf8), to: "key")
    try sample.temporary.write(Array("not the key".utf8), to: "wrong-key")
    return sample
  }

  /// Keeps the folder while the tool is in use.
  private struct Sample {
    let temporary: TemporaryFolder
    var folder: String { temporary.path }

    func shell(_ command: String) throws -> ToolProcess.Outcome { try ToolProcess(folder: folder).shell(command) }
  }

  /// Returns the transcripts that `Tools/demo` printed.
  private static func transcripts() throws -> [String] {
    try blocks(after: "<!-- transcript: made by Tools/demo -->\n```text\n", article)
  }

  /// Returns the block of commands in a page that is marked as typed again.
  private static func steps(_ page: String) throws -> String {
    let marked = try blocks(
      after: "<!-- typed again by Tests/ToolTests/ReadmeTranscriptTests.swift -->\n```sh\n", page)
    #expect(marked.count == 1)
    return try #require(marked.first)
  }

  /// Returns the blocks of a page that follow a mark.
  private static func blocks(after mark: String, _ page: String) throws -> [String] {
    try String(contentsOfFile: "\(BuiltEngines.packageRoot)/\(page)", encoding: .utf8)
      .components(separatedBy: mark).dropFirst().map { rest in rest.components(separatedBy: "\n```")[0] + "\n" }
  }

  /// Expects that a transcript's commands print its output.
  private static func expect(
    _ transcript: String, run: (_ command: String) throws -> ToolProcess.Outcome
  ) throws {
    let printed = try commands(of: transcript).map { command in
      let outcome = try run("\(command) 2>&1 </dev/null")
      let code = outcome.exitCode == 0 ? "" : "(exit code \(outcome.exitCode))\n"
      return "$ \(command)\n\(outcome.output)\(code)"
    }
    #expect(normalize(printed.joined()) == normalize(transcript))
  }

  private static func commands(of transcript: String) -> [String] {
    transcript.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
  }

  /// Removes the differences between runs, and between SQLCipher 3 and 4.
  private static func normalize(_ text: String) -> String {
    Normalization.normalize(text, folder: "/nowhere")
      .replacingOccurrences(of: #"in \d+(\.\d+)? (ms|s)\b"#, with: "in <duration>", options: .regularExpression)
  }

  private static func count(of text: String, in bytes: Data) -> Int {
    var count = 0
    var start = bytes.startIndex
    while let found = bytes.range(of: Data(text.utf8), in: start..<bytes.endIndex) {
      count += 1
      start = found.upperBound
    }
    return count
  }
}
