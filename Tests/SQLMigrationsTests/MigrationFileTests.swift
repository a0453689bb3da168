import Foundation
import Migrator
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@Suite("Migration files")
struct MigrationFileTests {
  private func kinds(_ text: String) throws -> [FolderFixture.Finding] {
    try FolderFixture(["1_a.sql": text]).findings()
  }

  @Test("Directives are read from comments of any kind, and only from comments")
  func directives() throws {
    let file = try FolderFixture.file(
      """
      -- migrator: foreign-keys immediate
      /* migrator: merges 1_x, "2 y" */
      --migrator:no-transaction
      SELECT '
      -- migrator: nonsense
      '; -- Migrator: allow drop-column  it was never used, "really"
      """)

    #expect(file.foreignKeyMode == .immediate)
    #expect(file.merges == ["1_x", "2 y"])
    #expect(!file.runsInTransaction)
    #expect(file.allowances == [.init(rule: "drop-column", reason: "it was never used, \"really\"", line: 6)])
    #expect(file.statements.count == 1)
  }

  @Test("A file of any size is read completely", arguments: [1, 510, 511, 512, 513, 1023, 1024, 4096, 100_000])
  func sizes(size: Int) throws {
    let text = "--" + String(repeating: "x", count: size)
    #expect(try FolderFixture.file(text).text == text)
  }

  #if os(Linux)
    @Test("A virtual file of the system, with size zero, is read completely")
    func withoutSize() throws {
      let source = "/proc/self/limits"
      let fixture = try FolderFixture([:])
      try FileManager.default.createSymbolicLink(
        atPath: fixture.path + "/1_limits.sql", withDestinationPath: source)
      let text = try #require(FileManager.default.contents(atPath: source))
      #expect(text.count > 512)
      #expect(try fixture.read().files.first?.text == String(decoding: text, as: UTF8.self))
    }
  #endif

  @Test("By default, a file runs in a transaction with foreign keys deferred")
  func defaults() throws {
    let file = try FolderFixture.file("SELECT 1")

    #expect(file.foreignKeyMode == .deferred)
    #expect(file.runsInTransaction)
    #expect(file.merges == [])
    #expect(file.notices == [])
  }

  @Test(
    "Invalid directives are problems",
    arguments: [
      ("-- migrator: no-transactoin", MigrationProblem.Kind.unknownDirective("no-transactoin")),
      ("-- migrator:", .unknownDirective("")), ("-- migrator: merges", .invalidDirective("merges", .argument)),
      ("-- migrator: foreign-keys off", .invalidDirective("foreign-keys", .argument)),
      ("-- migrator: no-transaction please", .invalidDirective("no-transaction", .argument)),
      ("-- migrator: allow drop-table", .invalidDirective("allow", .argument)),
      ("-- migrator no-transaction", .invalidDirective("no-transaction", .missingColon)),
    ])
  func brokenDirectives(text: String, kind: MigrationProblem.Kind) throws {
    #expect(try kinds("SELECT 1;\n " + text) == [.init("1_a.sql:2:2", kind)])
  }

  @Test("A comment about the migrator is not a directive")
  func prose() throws {
    #expect(try kinds("-- migrator is great\n-- the migrator: not first\nSELECT 1") == [])
  }

  @Test(
    "BEGIN and COMMIT around a file are dropped with a note",
    arguments: [
      "BEGIN; SELECT 1; COMMIT;", "-- x\nbegin immediate transaction; SELECT 1; END",
      "PRAGMA user_version = 1; BEGIN; SELECT 1; COMMIT; PRAGMA foreign_key_check;",
    ])
  func wrapped(text: String) throws {
    let file = try FolderFixture.file(text)

    #expect(file.statements.map(\.text).filter { !$0.hasPrefix("PRAGMA") } == ["SELECT 1"])
    #expect(file.notices.count == 1)
    #expect(file.runsInTransaction)
  }

  @Test(
    "PRAGMA foreign_keys at the beginning becomes the mode",
    arguments: [
      ("PRAGMA foreign_keys=OFF; SELECT 1; PRAGMA foreign_keys=ON;", MigrationFile.ForeignKeyMode.deferred, 1),
      ("PRAGMA foreign_keys=0; BEGIN; SELECT 1; COMMIT; PRAGMA foreign_keys(1);", .deferred, 2),
      ("BEGIN; PRAGMA foreign_keys = 'off'; SELECT 1; PRAGMA foreign_keys = on; COMMIT", .deferred, 2),
      ("PRAGMA main.foreign_keys = ON; SELECT 1", .immediate, 1), ("SELECT 1; PRAGMA foreign_keys = ON", .deferred, 1),
      ("SELECT 1; PRAGMA foreign_keys = OFF", .deferred, 1),
      ("PRAGMA foreign_keys=ON; SELECT 1; PRAGMA foreign_keys=OFF", .immediate, 2),
    ])
  func foreignKeys(text: String, mode: MigrationFile.ForeignKeyMode, notices: Int) throws {
    let file = try FolderFixture.file(text)

    #expect(file.foreignKeyMode == mode)
    #expect(file.statements.map(\.text) == ["SELECT 1"])
    #expect(file.notices.count == notices)
  }

  @Test(
    "PRAGMA foreign_keys between statements leaves foreign keys off, to be checked before the commit",
    arguments: [
      ("PRAGMA foreign_keys=OFF; SELECT 1; PRAGMA foreign_keys=ON; SELECT 2", 1),
      ("PRAGMA foreign_keys=OFF; SELECT 1; PRAGMA foreign_keys=ON; PRAGMA foreign_keys=OFF; SELECT 2", 1),
      ("SELECT 1; PRAGMA foreign_keys=OFF; SELECT 2; PRAGMA foreign_keys=ON", 1),
      ("SELECT 1; PRAGMA foreign_keys=ON; SELECT 2", 1),
    ])
  func foreignKeysBetween(text: String, notices: Int) throws {
    let file = try FolderFixture.file(text)

    #expect(file.foreignKeyMode == .deferred)
    #expect(file.statements.map(\.text) == ["SELECT 1", "SELECT 2"])
    #expect(file.notices.count == notices, "\(file.notices)")
  }

  @Test("A comment with a carriage return in its middle hides no statement and runs none")
  func carriageReturn() throws {
    #expect(try kinds("SELECT 1; -- a\rDROP TABLE b;\n") == [.init("1_a.sql:1:11", .carriageReturnInComment)])
    #expect(try kinds("-- a\r\nSELECT 1; -- b\r\r\n/* c\rd */") == [])
  }

  @Test(
    "A directive about violations names a later migration, and says why",
    arguments: [
      ("violations-until 2_b it adds the rows", nil), ("violations-until 2_b", MigrationProblem.Misuse.argument),
      ("violations-until 1_a no", .noLaterMigration), ("violations-until 3_c no", .noLaterMigration),
    ])
  func violations(directive: String, misuse: MigrationProblem.Misuse?) throws {
    let fixture = try FolderFixture(["1_a.sql": "SELECT 1;\n-- migrator: \(directive)", "2_b.sql": "SELECT 1"])
    #expect(
      fixture.findings() == (misuse.map { [.init("1_a.sql:2:1", .invalidDirective("violations-until", $0))] } ?? []))
  }

  @Test(
    "A statement after BEGIN, COMMIT or a pragma without a semicolon is not lost",
    arguments: [
      "PRAGMA foreign_keys = OFF\nINSERT INTO a VALUES (1);", "PRAGMA main.foreign_keys(0)\nINSERT INTO a VALUES (1);",
      "BEGIN TRANSACTION\nINSERT INTO a VALUES (1);\nSELECT 1;\nCOMMIT",
      "SELECT 1;\nPRAGMA foreign_keys = -1 INSERT INTO a",
      "BEGIN IMMEDIATE INSERT INTO a VALUES (1); COMMIT;", "BEGIN;\nSELECT 1;\nCOMMIT\nINSERT INTO a VALUES (1);",
      "-- migrator: no-transaction\nBEGIN;\nPRAGMA foreign_keys = ON\nINSERT INTO a VALUES (1);\nCOMMIT;",
    ])
  func missingSemicolon(text: String) throws {
    let fixture = try FolderFixture(["1_a.sql": text])
    let isRefused = !fixture.findings().isEmpty
    #expect(try isRefused || FolderFixture.file(text).statements.contains { $0.text.contains("INSERT") })
  }

  @Test(
    "BEGIN, COMMIT and pragmas in all their forms are still left out",
    arguments: [
      "BEGIN", "begin deferred transaction", "BEGIN TRANSACTION t", "BEGIN EXCLUSIVE",
      "PRAGMA foreign_keys = OFF;BEGIN",
      "PRAGMA foreign_keys=0; BEGIN", "PRAGMA main . foreign_keys ( off ) /* c */; BEGIN",
    ])
  func leftOut(start: String) throws {
    for end in ["COMMIT", "END TRANSACTION", "commit transaction t", "END; PRAGMA foreign_keys = 'on'"] {
      #expect(try FolderFixture.file("\(start);\nSELECT 1;\n\(end);").statements.map(\.text) == ["SELECT 1"])
    }
  }

  @Test(
    "Statements that the migrator does not support are refused with their position",
    arguments: [
      ("SELECT 1;\nCOMMIT;\nSELECT 2;", ["1_a.sql:2:1"], [MigrationProblem.Kind.transactionControl("COMMIT")]),
      ("SELECT 1;\nROLLBACK;", ["1_a.sql:2:1"], [.transactionControl("ROLLBACK")]),
      ("BEGIN;\nSELECT 1;", ["1_a.sql:1:1"], [.transactionLeftOpen]),
      (
        "BEGIN; SELECT 1; COMMIT;\nSELECT 2;", ["1_a.sql:1:1", "1_a.sql:1:18"],
        [.transactionControl("BEGIN"), .transactionControl("COMMIT")]
      ),
      (
        "PRAGMA foreign_keys=ON;\nSELECT 1;\nPRAGMA foreign_keys=OFF;\nSELECT 2;", ["1_a.sql:3:1"],
        [.contradictoryForeignKeys]
      ),
      ("PRAGMA foreign_keys=maybe;", ["1_a.sql:1:1"], [.unknownForeignKeysValue("maybe")]),
      ("PRAGMA journal_mode=WAL;", ["1_a.sql:1:1"], [.needsNoTransaction("PRAGMA journal_mode")]),
      (
        "PRAGMA page_size=1024; VACUUM", ["1_a.sql:1:1", "1_a.sql:1:24"],
        [.needsNoTransaction("PRAGMA page_size"), .needsNoTransaction("VACUUM")]
      ),
      (
        "ATTACH 'a' AS b; DETACH b", ["1_a.sql:1:1", "1_a.sql:1:18"],
        [.needsNoTransaction("ATTACH"), .needsNoTransaction("DETACH")]
      ),
      ("-- migrator: no-transaction\nPRAGMA rekey='secret'", ["1_a.sql:2:1"], [.misplacedPragma("rekey")]),
      ("PRAGMA encoding = \"UTF-8\";\nPRAGMA encoding = 'UTF-16'", ["1_a.sql:2:1"], [.misplacedPragma("encoding")]),
      ("-- migrator: no-transaction\nPRAGMA main.encoding('utf16')", ["1_a.sql:2:1"], [.misplacedPragma("encoding")]),
      ("-- migrator: no-transaction\nBEGIN;\nSELECT 1", ["1_a.sql:2:1"], [.transactionLeftOpen]),
      (
        "-- migrator: no-transaction\nBEGIN;\nPRAGMA foreign_keys=OFF;\nVACUUM;\nEND", ["1_a.sql:3:1", "1_a.sql:4:1"],
        [.misplacedForeignKeys, .needsNoTransaction("VACUUM")]
      ),
      ("-- migrator: no-transaction\nCOMMIT", ["1_a.sql:2:1"], [.unpairedTransaction("COMMIT")]),
      (
        "-- migrator: no-transaction\nBEGIN; SELECT 1;\nROLLBACK;\nROLLBACK", ["1_a.sql:4:1"],
        [.unpairedTransaction("ROLLBACK")]
      ),
      (
        "-- migrator: no-transaction\nBEGIN;\nBEGIN;\nCOMMIT", ["1_a.sql:3:1"], [.unpairedTransaction("BEGIN")]
      ),
      ("-- migrator: no-transaction\nSELECT 1;\nEND", ["1_a.sql:3:1"], [.transactionControl("END")]),
      (
        "SELECT 1;\n/*!50003 CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW SELECT 1 */;", ["1_a.sql:2:1"],
        [.mySQLComment("/*!50003 CREATE TRIGGER ... */")]
      ),
      (
        "/*M!100100 ALTER TABLE a ADD b */;\nSELECT 1", ["1_a.sql:1:1"],
        [.mySQLComment("/*M!100100 ALTER TABLE ... */")]
      ),
      ("SELECT 1; /*!50001 drop view if exists v*/;", ["1_a.sql:1:11"], [.mySQLComment("/*!50001 drop view ... */")]),
      (
        "CREATE OR REPLACE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END;", ["1_a.sql:1:63"],
        [.transactionControl("END")]
      ),
      ("-- migrator: foreign-keys immediate\nPRAGMA foreign_keys=OFF", ["1_a.sql:2:1"], [.contradictoryForeignKeys]),
      (".read other.sql\n;", ["1_a.sql:1:1"], [.shellCommand(".read")]),
    ])
  func refused(text: String, places: [String], refusals: [MigrationProblem.Kind]) throws {
    #expect(try kinds(text) == zip(places, refusals).map { .init($0, $1) })
  }

  @Test("Comments that only set something up in MySQL, or only look like such comments, are comments")
  func commentsOfMySQL() throws {
    let texts = [
      "/*!40101 SET NAMES utf8 */;", "/*!40000 ALTER TABLE `t` DISABLE KEYS */;", "-- ! create the table later",
      "/* 50003 CREATE TRIGGER */", "/*! create a table */", "CREATE TABLE b (c) /*!50100 PARTITION BY HASH (c) */;",
    ]
    for text in texts { #expect(try kinds(text + "\nSELECT 1;").isEmpty, "\(text)") }
  }

  @Test("A file without a transaction retains its own BEGIN and COMMIT, and savepoints are always retained")
  func kept() throws {
    let free =
      "-- migrator: no-transaction\nPRAGMA foreign_keys=OFF; BEGIN; SELECT 1; COMMIT; PRAGMA foreign_keys=ON; VACUUM"

    #expect(try FolderFixture.file(free).statements.count == 6)
    #expect(try FolderFixture.file("SAVEPOINT a; SELECT 1; ROLLBACK TO a; RELEASE a").statements.count == 4)
    #expect(try FolderFixture.file("PRAGMA foreign_keys; PRAGMA journal_mode; SELECT 1").statements.count == 3)
  }

  @Test(
    "An empty file is a migration that does nothing, and is recognized as such",
    arguments: ["", "-- later", ";;", "\u{FEFF}"])
  func empty(text: String) throws {
    let file = try FolderFixture.file(text)

    #expect(file.statements.isEmpty)
    #expect(file.isLeftEmpty)
  }

  @Test(
    "Comments, whitespace between tokens and a byte order mark do not change the checksum",
    arguments: [
      "SELECT 1,\n 2;", " SELECT 1,\n\n  2; --", "-- migrator: allow destructive it is meant\nSELECT 1/**/,2;",
      "\u{FEFF}SELECT 1,\n\n 2;\n", "SELECT 1,\r\n\r\n 2;", "SELECT 1,\r\r 2;\r", "SELECT 1, \t\n  \n 2;  \n\n \n",
    ])
  func checksum(text: String) throws {
    let checksum = try FolderFixture.file(text).checksum

    #expect(checksum == (try FolderFixture.file("SELECT 1,\n\n 2;").checksum))
    #expect(checksum.utf8.count == 64)
  }

  @Test(
    "Any other change of the forward part changes the checksum",
    arguments: ["SELECT 12;", "SELECT 1, '2';", "SELECT 1,\n\n 2;;", "SELECT 1, \u{A0}\n\n 2;", "SELECT 1, \"2\";"])
  func changedChecksum(text: String) throws {
    #expect(try FolderFixture.file(text).checksum != (try FolderFixture.file("SELECT 1,\n\n 2;").checksum))
  }

  @Test("A change to the down part does not change the checksum")
  func downChecksum() throws {
    let up = "-- migrate:up\nSELECT 1;\n-- migrate:down"

    #expect(try FolderFixture.file(up + "\nSELECT 2").checksum == (try FolderFixture.file(up).checksum))
  }
}
