import Foundation
import TestEngines
import Testing

@Suite("Output files")
struct ResultFileTests {
  private static func transcript() throws -> Transcript {
    let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.sqlite"])
    try transcript.write("CREATE TABLE a (x);\n", to: "migrations/1_a.sql")
    try transcript.run("migrator migrate --quiet")
    return transcript
  }

  @Test("A file that the command did not write is overwritten only with --yes", arguments: ["dump", "diagram"])
  func others(command: String) throws {
    let transcript = try Self.transcript()
    try transcript.write("my notes\n", to: "notes.md")
    let refused = try transcript.run("migrator \(command) --output notes.md")
    #expect(refused.exitCode == 5)
    #expect(refused.errors.contains("`\(command)` did not create this file"), "\(refused.errors)")
    #expect(try transcript.folder.bytes(of: "notes.md") == Data("my notes\n".utf8))
    #expect(try transcript.run("migrator \(command) --output notes.md --yes").exitCode == 0)
    let written = try transcript.folder.bytes(of: "notes.md")
    #expect(written != Data("my notes\n".utf8))
    #expect(try transcript.run("migrator \(command) --output notes.md").exitCode == 0)
    #expect(try transcript.folder.bytes(of: "notes.md") == written)
  }

  @Test("A diagram is replaced with a newer one", arguments: ["er.mmd", "er.dot", "er.svg"])
  func drawings(file: String) throws {
    let transcript = try Self.transcript()
    // Graphviz may be missing, so a small SVG file represents the older diagram.
    try transcript.write("<?xml version=\"1.0\"?>\n<svg>\n<title>schema</title>\n</svg>\n", to: "er.svg")
    try transcript.run("migrator diagram --output \(file) --format \(file == "er.dot" ? "dot" : "mermaid")")
    try transcript.write("CREATE TABLE newer (x);\n", to: "migrations/2_b.sql")
    try transcript.run("migrator migrate --quiet")
    let again = try transcript.run("migrator diagram --output \(file) --format mermaid")
    #expect(again.exitCode == 0, "\(again.errors)")
    #expect(String(decoding: try transcript.folder.bytes(of: file), as: UTF8.self).contains("newer"))
  }

  @Test("A database is never overwritten, not even with --yes", arguments: ["dump", "diagram"])
  func database(command: String) throws {
    let transcript = try Self.transcript()
    let before = try transcript.folder.bytes(of: "app.sqlite")
    for line in ["migrator \(command) --output app.sqlite", "migrator \(command) --output app.sqlite --yes"] {
      let refused = try transcript.run(line)
      #expect(refused.exitCode == 5)
      #expect(refused.errors.contains("may be a database"), "\(refused.errors)")
    }
    #expect(try transcript.folder.bytes(of: "app.sqlite") == before)
  }

  @Test("Other files in the folder are not touched", arguments: ["dump", "diagram"])
  func otherFiles(command: String) throws {
    let transcript = try Self.transcript()
    try transcript.write("mine", to: "schema.partial")
    #expect(try transcript.run("migrator \(command) --output schema").exitCode == 0)
    #expect(try transcript.folder.bytes(of: "schema.partial") == Data("mine".utf8))
    #expect(try transcript.folder.names() == ["app.sqlite", "migrations", "schema", "schema.partial"])
  }

  @Test("A link is followed, and the file keeps its permissions", arguments: ["dump", "diagram"])
  func links(command: String) throws {
    let transcript = try Self.transcript()
    try transcript.run("mkdir real; touch real/schema; chmod 640 real/schema; ln -s real/schema link; ln -s none gone")
    #expect(try transcript.run("migrator \(command) --output link").exitCode == 0)
    #expect(try transcript.run("readlink link").output == "real/schema\n")
    #expect(try transcript.run("ls -l real/schema").output.hasPrefix("-rw-r-----"))
    #expect(try !transcript.folder.bytes(of: "real/schema").isEmpty)
    let gone = try transcript.run("migrator \(command) --output gone")
    #expect(gone.exitCode == 5)
    #expect(gone.errors.contains("a link to a file that does not exist"), "\(gone.errors)")
  }

  @Test("A dash is standard output, not a file of that name", arguments: ["dump", "diagram", "diff --suggest"])
  func dash(command: String) throws {
    let transcript = try Self.transcript()
    let printed = try transcript.run("migrator \(command)")
    #expect(try transcript.run("migrator \(command) --output -").output == printed.output)
    #expect(try !transcript.folder.names().contains("-"))
  }

  @Test("A pipe is written to, and stays a pipe", arguments: ["dump", "diagram"])
  func pipes(command: String) throws {
    let transcript = try Self.transcript()
    let piped = try transcript.run(
      "mkfifo pipe; cat pipe & migrator \(command) --quiet --output pipe; wait; ls -l pipe")
    #expect(piped.output.contains("a") && piped.output.contains("\nprw"), "\(piped.output) \(piped.errors)")
  }
}
