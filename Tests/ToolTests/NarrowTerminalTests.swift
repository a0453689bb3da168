#if os(Linux)
  import Foundation
  import TestEngines
  import Testing

  @Suite("The tool on a terminal of 40 columns")
  struct NarrowTerminalTests {
    @Test("On 40 columns, no command breaks a line inside a word")
    func narrow() throws {
      let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
      try transcript.write(
        "ALTER TABLE book ADD COLUMN isbn TEXT NOT NULL; -- which cannot be right, since there may be books already\n"
          + "DELETE FROM author;\n", to: "migrations/0003_isbn.sql")
      let commands = [
        "plan", "migrate --to 0002_books", "status", "lint", "check", "verify", "baseline", "adopt", "diff", "migrate",
        "migrate --to nothing", "verify --migrations nowhere", "help",
        "rebuild --force --yes --keep-data",
        "new prices", "status --check", "erase --yes",
      ]
      for command in commands {
        let terminal = try PseudoTerminal(columns: 40)
        try terminal.start(
          command.split(separator: " ").map(String.init) + ["--database", "app.db", "--no-color"],
          folder: transcript.folder.path)
        _ = terminal.end()
        #expect(!Self.lines(of: terminal).isEmpty)
        Self.expectNarrow(terminal, command)
      }
    }

    @Test("A watch shows mistakes, questions and differences in lines that fit")
    func watch() throws {
      let transcript = try Transcript()
      try transcript.write("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n", to: "m/1_author.sql")
      let terminal = try PseudoTerminal(columns: 40)
      try terminal.start(
        ["watch", "--database", "app.db", "--migrations", "m", "--keep-data", "--no-color"],
        folder: transcript.folder.path)
      let saves = [
        ("2_book.sql", "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL isbn TEXT);", "Ctrl-C ends it."),
        (
          "2_book.sql", "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, isbn TEXT);", "Ctrl-C ends it."
        ),
        ("1_author.sql", "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born);", "[y/N] "),
      ]
      var shown = ""
      #expect(terminal.waits(for: "Ctrl-C ends it."), "\(terminal.text)")
      for (file, sql, expected) in saves {
        shown += terminal.text
        terminal.forget()
        try transcript.write(sql + "\n", to: "m/\(file)")
        #expect(terminal.waits(for: expected), "\(terminal.text)")
        Self.expectNarrow(terminal, "watch")
      }
      terminal.type("y\n")
      #expect(terminal.waits(for: "Ctrl-C ends it."), "\(terminal.text)")
      terminal.type("\u{3}")
      #expect(terminal.end() == 0, "\(terminal.text)")
      #expect(terminal.isCooked)
      Self.expectNarrow(terminal, "watch")
      shown += terminal.text
      for words in ["syntax error", "restored", "~ table author", "Ended."] {
        #expect(shown.contains(words), "\(shown)")
      }
    }

    @Test("Conversions show a bar that fits, and erase it")
    func conversions() throws {
      let transcript = try Transcript(variables: ["MIGRATOR_DATABASE": "app.db", "K": "correct horse"])
      let rows = """
        CREATE TABLE t (a, b);
        INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
          SELECT i, hex(randomblob(100)) FROM n;
        """
      try transcript.write(rows, to: "migrations/0001_rows.sql")
      #expect(try transcript.run("migrator migrate --quiet").exitCode == 0)
      let commands = ["encrypt", "upgrade-cipher --new-cipher-page-size 8192"]
      for command in commands {
        let terminal = try PseudoTerminal(columns: 40)
        try terminal.start(
          command.split(separator: " ").map(String.init) + ["--database", "app.db", "--key-env", "K"],
          folder: transcript.folder.path, variables: ["K": "correct horse"])
        #expect(terminal.end() == 0, "\(terminal.text)")
        #expect(terminal.text.contains("\u{2591}"), "\(command) shows no bar: \(terminal.text)")
        // After the last erased bar comes a line that may be as wide as the terminal.
        for form in terminal.text.split(separator: "\r\u{1B}[K").dropFirst() where form.hasPrefix("[") {
          #expect(form.prefix { !$0.isNewline && $0 != "\u{1B}" }.count < 40, "\(form)")
        }
        Self.expectNarrow(terminal, command)
        #expect(!(Self.lines(of: terminal).last ?? "\u{2591}").contains("\u{2591}"))
      }
    }

    /// Returns the lines on the screen, without erased bars.
    private static func lines(of terminal: PseudoTerminal) -> [Substring] {
      terminal.text.split(whereSeparator: \.isNewline).map { $0.split(separator: "\u{1B}[K").last ?? "" }
    }

    private static func expectNarrow(_ terminal: PseudoTerminal, _ command: String) {
      for line in lines(of: terminal) where line.count > 40 {
        // A word or a command that is wider than the terminal has a separate line.
        let words = line.split(separator: " ")
        #expect(words.count == 1 || words.first?.hasPrefix("`") ?? false, "\(command): \(line)")
      }
    }
  }
#endif
