import Foundation
import TestEngines
import Testing

/// What the README shows of the tool, typed again.
///
/// `Tools/demo` makes the transcripts; after a change of what the tool prints, they are copied out of it anew.
@Suite("The README's transcripts")
struct ReadmeTranscriptTests {
  @Test("the tool still prints them, times and versions aside")
  func commands() throws {
    let transcripts = try Self.transcripts().filter { $0.hasPrefix("$ ") }
    #expect(transcripts.count >= 2)
    for transcript in transcripts {
      let tool = try Self.sample()
      // The README shows an encrypted database from its second command on.
      if transcript.contains("music.db") {
        #expect(try tool.shell("migrator migrate --database music.db --key-file key").exitCode == 0)
      }
      let printed = try Self.commands(of: transcript).map { command in
        let outcome = try tool.shell("\(command) 2>&1 </dev/null")
        let code = outcome.exitCode == 0 ? "" : "(exit code \(outcome.exitCode))\n"
        return "$ \(command)\n\(outcome.output)\(code)"
      }
      #expect(Self.normalize(printed.joined()) == Self.normalize(transcript))
    }
  }

  @Test("the first steps do what they say")
  func steps() throws {
    let readme = try String(contentsOfFile: "\(BuiltEngines.packageRoot)/README.md", encoding: .utf8)
    let blocks = readme.components(
      separatedBy: "<!-- typed again by Tests/ToolTests/ReadmeTranscriptTests.swift -->\n```sh\n")
    #expect(blocks.count == 2)
    let steps = try #require(blocks.last).components(separatedBy: "\n```")[0]
    let folder = try TemporaryFolder()
    let outcome = try ToolProcess(folder: folder.path).shell("set -eu\n\(steps)")
    #expect(outcome.exitCode == 0, "\(outcome.output)\n\(outcome.errors)")
    #expect(outcome.output.contains("migrations/0004_add_prices.sql\n"))
    let plain = try folder.bytes(of: "library/library.sqlite")
    let encrypted = try folder.bytes(of: "library/library.db")
    #expect(plain.firstRange(of: Data("CREATE TABLE".utf8)) != nil)
    #expect(encrypted.firstRange(of: Data("CREATE TABLE".utf8)) == nil)
  }

  @Test("what is on the disk is as the README says")
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

  /// The tool in a folder of its own, with the demo's migrations and keys.
  private static func sample() throws -> Sample {
    let sample = Sample(temporary: try TemporaryFolder())
    try FileManager.default.copyItem(
      atPath: "\(BuiltEngines.packageRoot)/Tools/sample/migrations", toPath: sample.temporary.file("migrations"))
    try sample.temporary.write(Array("5ec2e7".utf8), to: "key")
    try sample.temporary.write(Array("not the key".utf8), to: "wrong-key")
    return sample
  }

  /// Keeps the folder for as long as the tool is used.
  private struct Sample {
    let temporary: TemporaryFolder
    var folder: String { temporary.path }

    func shell(_ command: String) throws -> ToolProcess.Outcome { try ToolProcess(folder: folder).shell(command) }
  }

  /// The blocks behind the comment that says where they come from.
  private static func transcripts() throws -> [String] {
    let readme = try String(contentsOfFile: "\(BuiltEngines.packageRoot)/README.md", encoding: .utf8)
    return readme.components(separatedBy: "<!-- transcript: made by Tools/demo -->\n```text\n").dropFirst().map {
      rest in
      rest.components(separatedBy: "\n```")[0] + "\n"
    }
  }

  private static func commands(of transcript: String) -> [String] {
    transcript.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
  }

  /// Without what differs from run to run and between SQLCipher 3 and 4.
  private static func normalize(_ text: String) -> String {
    Normalization.normalize(text, folder: "/nowhere")
      .replacingOccurrences(of: #"in \d+(\.\d+)? (ms|s)\b"#, with: "in <duration>", options: .regularExpression)
  }

  private static func count(of text: String, in bytes: Data) -> Int {
    var count = 0
    var rest = bytes[...]
    while let found = rest.firstRange(of: Data(text.utf8)) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}
