#if os(Linux)
  import Foundation
  import Migrator
  import TestEngines
  import Testing

  @Suite("The tool on a real terminal")
  struct PseudoTerminalTests {
    @Test(
      "Ctrl-C in a long migration rolls back, exits with 130, and restores the terminal", arguments: [40, 80])
    func interrupt(columns: UInt16) throws {
      let transcript = try Transcript()
      try transcript.write("CREATE TABLE first (a);\n", to: "migrations/0001_first.sql")
      try transcript.write(
        SampleMigrations.endless, to: "migrations/0002_a_long_name_that_no_narrow_terminal_holds.sql")
      let terminal = try PseudoTerminal(columns: columns)
      try terminal.start(["migrate", "--database", "app.sqlite"], folder: transcript.folder.path)
      // The bar comes half a second later.
      #expect(terminal.waits(for: "2/2"), "\(terminal.text)")
      #expect(terminal.text.contains("\u{2588}"))
      terminal.type("\u{3}")
      #expect(terminal.end() == 130, "\(terminal.text)")
      #expect(terminal.isCooked)
      #expect(terminal.text.contains("interrupted"), "\(terminal.text)")
      // Each bar first clears the one before it; a bar that filled the line would wrap.
      for form in terminal.text.split(separator: "\r\u{1B}[K").dropFirst() {
        let line = form.prefix { !"^\r\n\r\n\u{1B}".contains($0) }
        #expect(line.count < Int(columns), "\(line)")
      }
      // No part of the bar is left on the screen.
      let last = terminal.text.split(separator: "\u{1B}[K").last ?? ""
      #expect(!last.contains("\u{2588}"))
      let status = try transcript.run("migrator status --database app.sqlite")
      #expect(status.output.contains("1 applied, 1 pending"))
    }

    @Test("A question is not drawn over by the bar")
    func undisturbedQuestion() throws {
      let transcript = try Transcript()
      try transcript.write("CREATE TABLE a (b);\nINSERT INTO a VALUES (1), (2);\n", to: "migrations/1_a.sql")
      #expect(try transcript.run("migrator migrate --quiet --database app.sqlite").exitCode == 0)
      try transcript.write("DELETE FROM a WHERE b = 1;\n", to: "migrations/2_b.sql")
      let terminal = try PseudoTerminal()
      try terminal.start(["migrate", "--confirm-loss", "--database", "app.sqlite"], folder: transcript.folder.path)
      #expect(terminal.waits(for: "[y/N]"), "\(terminal.text)")
      // The bar would come after half a second.
      Thread.sleep(forTimeInterval: 1)
      #expect(terminal.text.hasSuffix("Commit migration 2_b to app.sqlite? [y/N] "), "\(terminal.text)")
      terminal.type("y\r")
      #expect(terminal.end() == 0, "\(terminal.text)")
    }

    @Test("A run that waits for another process says so, and continues when that process is done")
    func waiting() throws {
      let transcript = try Transcript.withSamples()
      #expect(try transcript.run("migrator migrate --quiet --to 0001_authors --database app.sqlite").exitCode == 0)
      let other = try TestEngine.sqlite.queue(path: transcript.folder.file("app.sqlite"))
      let terminal = try PseudoTerminal()
      try other.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN IMMEDIATE")
        try terminal.start(["migrate", "--database", "app.sqlite"], folder: transcript.folder.path)
        #expect(terminal.waits(for: "waiting to write"), "\(terminal.text)")
        try db.execute(sql: "COMMIT")
      }
      #expect(terminal.end() == 0, "\(terminal.text)")
      #expect(terminal.text.contains("Applied 1 migration in"))
    }

    @Test("An ASCII terminal gets an ASCII bar, and a narrow terminal a short one")
    func plainBar() throws {
      let transcript = try Transcript()
      try transcript.write("CREATE TABLE first (a);\n", to: "migrations/0001_first.sql")
      try transcript.write(SampleMigrations.endless, to: "migrations/0002_endless.sql")
      let terminal = try PseudoTerminal(columns: 40)
      try terminal.start(
        ["migrate", "--database", "app.sqlite"], folder: transcript.folder.path, variables: ["LANG": "C"])
      #expect(terminal.waits(for: "[######--] 2/2"), "\(terminal.text)")
      #expect(!terminal.text.unicodeScalars.contains { $0.value > 127 })
      terminal.type("\u{3}")
      #expect(terminal.end() == 130, "\(terminal.text)")
      #expect(terminal.isCooked)
    }

    @Test("Keys typed for conversions are not echoed, and the prompts say which key is needed")
    func conversionKeys() throws {
      let transcript = try Transcript.withSamples(variables: ["MIGRATOR_DATABASE": "app.db"])
      #expect(try transcript.run("migrator rebuild --quiet").exitCode == 0)
      let steps = [
        ("encrypt", [("New key for app.db: ", "first horse"), ("Repeat the key: ", "first horse")]),
        (
          "rekey",
          [
            ("Key for app.db: ", "first horse"), ("New key for app.db: ", "second horse"),
            ("Repeat the key: ", "second horse"),
          ]
        ),
        ("upgrade-cipher", [("Key for app.db: ", "second horse")]), ("verify", [("Key for app.db: ", "second horse")]),
        ("decrypt", [("Key for app.db: ", "second horse")]),
      ]
      for (command, answers) in steps {
        let terminal = try PseudoTerminal(columns: 40)
        try terminal.start([command, "--database", "app.db"], folder: transcript.folder.path)
        for (question, key) in answers {
          #expect(terminal.waits(for: question), "\(command): \(terminal.text)")
          terminal.forget()
          terminal.type(key + "\n")
        }
        #expect(terminal.end() == 0, "\(command): \(terminal.text)")
        #expect(!terminal.text.contains("horse"), "\(terminal.text)")
        #expect(terminal.isCooked)
      }
      #expect(try transcript.run("migrator status --check --quiet").exitCode == 0)
    }

    @Test("A typed key is not echoed, and later input is")
    func key() throws {
      let transcript = try Transcript.withSamples()
      let terminal = try PseudoTerminal()
      try terminal.start(["migrate", "--database", "sqlcipher:app.db"], folder: transcript.folder.path)
      #expect(terminal.waits(for: "Key for the new database app.db: "))
      terminal.type("correct horse\n")
      #expect(terminal.waits(for: "Repeat the key: "))
      terminal.type("correct horse\n")
      #expect(terminal.end() == 0, "\(terminal.text)")
      #expect(!terminal.text.contains("horse"))
      #expect(terminal.isCooked)
    }

    @Test("A key typed after the process was stopped and continued is not echoed")
    func continued() throws {
      let transcript = try Transcript.withSamples()
      let terminal = try PseudoTerminal()
      try terminal.start(["migrate", "--database", "sqlcipher:app.db"], folder: transcript.folder.path)
      for question in ["Key for the new database app.db: ", "Repeat the key: "] {
        #expect(terminal.waits(for: question))
        terminal.forget()
        terminal.stopAndContinue()
        // The question is asked again.
        #expect(terminal.waits(for: question), "\(terminal.text)")
        terminal.type("correct horse\n")
      }
      #expect(terminal.end() == 0, "\(terminal.text)")
      #expect(!terminal.text.contains("horse"))
      #expect(terminal.isCooked)
    }

    @Test("Ctrl-C at the prompt for a key restores the terminal's echo")
    func interruptedQuestion() throws {
      let transcript = try Transcript.withSamples()
      let terminal = try PseudoTerminal()
      try terminal.start(["migrate", "--database", "sqlcipher:app.db"], folder: transcript.folder.path)
      #expect(terminal.waits(for: "Key for the new database app.db: "))
      terminal.type("corr")
      terminal.type("\u{3}")
      #expect(terminal.end() == 130, "\(terminal.text)")
      #expect(terminal.isCooked)
      #expect(try transcript.folder.names() == ["migrations"])
    }

    @Test("Colors and questions work; NO_COLOR turns colors off")
    func question() throws {
      let transcript = try Transcript.withSamples()
      for (variables, isColored) in [([:], true), (["NO_COLOR": "1"], false)] {
        let terminal = try PseudoTerminal()
        try terminal.start(
          ["rebuild", "--database", isColored ? "a.db" : "b.db"], folder: transcript.folder.path, variables: variables)
        #expect(terminal.end() == 0)
        #expect(terminal.text.contains("\u{1B}[32m") == isColored)
      }
      let terminal = try PseudoTerminal()
      try terminal.start(["erase", "--database", "a.db"], folder: transcript.folder.path)
      #expect(terminal.waits(for: "[y/N] "))
      terminal.type("y\n")
      #expect(terminal.end() == 0, "\(terminal.text)")
    }

    @Test("A watch on a terminal asks once, rebuilds at each save, and ends at Ctrl-C")
    func watch() throws {
      let transcript = try Transcript.withSamples()
      #expect(try transcript.run("migrator rebuild --quiet --database app.db").exitCode == 0)
      let terminal = try PseudoTerminal()
      try terminal.start(["watch", "--database", "app.db"], folder: transcript.folder.path)
      #expect(terminal.waits(for: "Ctrl-C ends it."))
      try transcript.write(SampleMigrations.authors + "SELECT 1;\n", to: "migrations/0001_authors.sql")
      #expect(terminal.waits(for: "[y/N] "), "\(terminal.text)")
      terminal.forget()
      terminal.type("y\n")
      #expect(terminal.waits(for: "Ctrl-C ends it."), "\(terminal.text)")
      #expect(terminal.text.contains("Applied 2 migrations"))
      terminal.type("\u{3}")
      #expect(terminal.end() == 0, "\(terminal.text)")
      #expect(terminal.isCooked)
    }
  }
#endif
