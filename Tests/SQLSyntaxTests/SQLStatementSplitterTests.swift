import SQLSyntax
import Testing

@Suite("SQLStatementSplitter")
struct SQLStatementSplitterTests {
  private func texts(_ script: String) throws -> [String] {
    try SQLStatementSplitter.split(script).map(\.text)
  }

  @Test("Semicolons end statements, empty ones are dropped, and the last needs none")
  func semicolons() throws {
    #expect(try texts(";; SELECT 1;;\n; SELECT 2 ") == ["SELECT 1", "SELECT 2"])
    #expect(try texts("") == [])
    #expect(try texts(" -- nothing\n/* at all */") == [])
  }

  @Test("Semicolons in strings, names and comments do not end a statement")
  func hiddenSemicolons() throws {
    let script = "SELECT ';', \";\", `;`, [;] /* ; */ -- ;\n FROM a; SELECT 2"

    #expect(try texts(script) == ["SELECT ';', \";\", `;`, [;] /* ; */ -- ;\n FROM a", "SELECT 2"])
  }

  @Test("Comments around a statement are not part of it")
  func comments() throws {
    let statement = try #require(
      try SQLStatementSplitter.split("-- head\n  SELECT /* in */ 1 /* end */ ; -- tail").first)

    #expect(statement.text == "SELECT /* in */ 1")
    #expect(statement.utf8Range == 10..<27)
    #expect((statement.line, statement.column) == (2, 3))
  }

  @Test(
    "A trigger is one statement",
    arguments: [
      "CREATE TRIGGER", "create temp trigger", "EXPLAIN CREATE TEMPORARY TRIGGER",
      "EXPLAIN QUERY PLAN CREATE /* ; */ TRIGGER IF NOT EXISTS",
    ])
  func triggers(head: String) throws {
    let trigger = """
      \(head) t AFTER UPDATE ON begin WHEN CASE WHEN new.begin THEN new.end END BEGIN
        UPDATE a SET b = CASE WHEN c THEN CASE d WHEN 1 THEN 2 END ELSE new.begin END;
        DELETE FROM end; -- END;
        SELECT 'END;';
      END
      """

    #expect(try texts("SELECT 1;\(trigger);SELECT 2") == ["SELECT 1", trigger, "SELECT 2"])
    #expect(try texts(trigger) == [trigger])
  }

  @Test("Keywords of a trigger in other places have no effect")
  func noTrigger() throws {
    #expect(try texts("DROP TRIGGER a; CREATE TABLE trigger_log(a); BEGIN; END; SELECT \"CREATE TRIGGER\"").count == 5)
    #expect(try texts("CREATE TABLE \"trigger\"(a); SELECT 1").count == 2)
  }

  @Test("Lines end with LF or CR LF", arguments: ["\n", "\r\n"])
  func lineEnds(end: String) throws {
    let script = ["\u{FEFF}-- head", "CREATE TABLE a(", "  b, -- the b", "  c", ");", "", "SELECT 1"].joined(
      separator: end)

    let statements = try SQLStatementSplitter.split(script)

    #expect(statements.map(\.line) == [2, 7])
    #expect(SQLNormalization.canonicalText(of: statements[0].text) == "create table a ( b , c )")
    #expect(statements[0].text.utf8.count == statements[0].utf8Range.count)
  }

  @Test(
    "An element without an end is an error with its position",
    arguments: [
      ("SELECT 1;\n 'abc", SQLTextError.Kind.unterminatedString, 2, 2), ("SELECT x'00", .unterminatedString, 1, 8),
      ("SELECT \"a", .unterminatedIdentifier, 1, 8), ("SELECT [a", .unterminatedIdentifier, 1, 8),
      ("SELECT `a;", .unterminatedIdentifier, 1, 8),
      ("SELECT 1;\n /* a note\nSELECT 2;\n", .unterminatedComment, 2, 2), ("SELECT 1 /*/", .unterminatedComment, 1, 10),
      ("/*", .unterminatedComment, 1, 1), ("/* a */ /* b *", .unterminatedComment, 1, 9),
      ("CREATE TRIGGER a BEGIN SELECT 1; /* END;", .unterminatedComment, 1, 34),
      ("\r\n CREATE TRIGGER a BEGIN SELECT 1; ", .unfinishedTrigger, 2, 2),
      ("CREATE TRIGGER a AFTER INSERT ON b; SELECT 1", .unfinishedTrigger, 1, 1),
      ("CREATE TRIGGER a BEGIN SELECT 1; END\nSELECT 2", .missingSemicolonAfterTrigger, 2, 1),
      ("SELECT 1;\nSELECT 2 /*\0*/", .nulByte, 2, 12),
    ])
  func errors(script: String, kind: SQLTextError.Kind, line: Int, column: Int) throws {
    let error = try #require(throws: SQLTextError.self) { try SQLStatementSplitter.split(script) }

    #expect(error.kind == kind)
    #expect(error.position == SQLTextPosition(line: line, column: column))
  }

  @Test("The start of a comment has no meaning inside a string, a name or another comment")
  func noComment() throws {
    for script in ["SELECT '/*'", "SELECT \"/*\", `/*`, [/*]", "SELECT 1 -- /*", "SELECT 1 /* /* */", "SELECT 1 /**/"] {
      #expect(try texts(script).count == 1, "\(script)")
    }
  }

  @Test("Invalid SQL is left for the engine to report")
  func passedOn() throws {
    #expect(try texts("#!; SELECT FROM;\\") == ["#!", "SELECT FROM", "\\"])
  }

  @Test("An offset in a statement converts to a position in the script")
  func positions() throws {
    let statement = try #require(try SQLStatementSplitter.split("SELECT 1; SELECT\r\n ä, b").last)

    #expect(statement.position(ofUTF8Offset: 3) == SQLTextPosition(line: 1, column: 14))
    #expect(statement.position(ofUTF8Offset: 13) == SQLTextPosition(line: 2, column: 5))
    #expect(statement.position(ofUTF8Offset: 99) == SQLTextPosition(line: 2, column: 6))
    #expect(statement.position(ofUTF8Offset: -1) == SQLTextPosition(line: 1, column: 11))
  }

  @Test("LF, CR LF and CR each count as one line end, and a byte order mark does not count")
  func textPositions() {
    let text = "\u{FEFF}a\nb\r\nc\rd"

    #expect([0, 3, 5, 8, 10].map { SQLTextPosition(ofUTF8Offset: $0, in: text).line } == [1, 1, 2, 3, 4])
    #expect([0, 3, 4, 5, 8].map { SQLTextPosition(ofUTF8Offset: $0, in: text).column } == [1, 1, 2, 1, 1])
  }
}
