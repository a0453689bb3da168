#if os(Linux)
  import TestEngines
  import Testing

  @Suite("Rehearsals on a real terminal")
  struct RehearsalTerminalTests {
    @Test(
      "Ctrl-C in a long rehearsal exits with 130, erases the bar, and does not change the database",
      arguments: TestTier.pick([40], full: [40, 80]))
    func rehearsal(columns: UInt16) throws {
      let transcript = try Transcript()
      let rows = """
        CREATE TABLE first (a);
        INSERT INTO first
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500000) SELECT i FROM n;
        """
      try transcript.write(rows, to: "migrations/0001_first.sql")
      #expect(try transcript.run("migrator migrate --quiet --database app.sqlite").exitCode == 0)
      let before = try transcript.folder.bytes(of: "app.sqlite")
      try transcript.write(
        SampleMigrations.endless, to: "migrations/0002_a_long_name_that_no_narrow_terminal_holds.sql")
      for (options, expected) in [([], "copying"), (["--rows", "10"], "0002_a")] {
        let terminal = try PseudoTerminal(columns: columns)
        try terminal.start(["plan", "--database", "app.sqlite"] + options, folder: transcript.folder.path)
        #expect(terminal.waits(for: expected), "\(terminal.text)")
        terminal.type("\u{3}")
        #expect(terminal.end() == 130, "\(terminal.text)")
        #expect(terminal.isCooked)
        let words = terminal.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("interrupted") && words.contains("app.sqlite was not changed"), "\(terminal.text)")
        for form in terminal.text.split(separator: "\r\u{1B}[K").dropFirst() {
          let line = form.prefix { !"^\r\n\r\n\u{1B}".contains($0) }
          #expect(line.count < Int(columns), "\(line)")
        }
        #expect(!(terminal.text.split(separator: "\u{1B}[K").last ?? "").contains("\u{2588}"))
      }
      #expect(try transcript.folder.bytes(of: "app.sqlite") == before)
    }

    @Test("A quick plan shows no bar")
    func shortRehearsal() throws {
      let transcript = try Transcript.withSamples()
      let terminal = try PseudoTerminal()
      try terminal.start(["plan", "--database", "app.sqlite"], folder: transcript.folder.path)
      #expect(terminal.end() == 0, "\(terminal.text)")
      #expect(!terminal.text.contains("\u{2588}") && !terminal.text.contains("\u{1B}[K"), "\(terminal.text)")
    }
  }
#endif
