import Foundation
import Migrator
import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@Suite("Layouts of migration folders")
struct FolderLayoutTests {
  private let sql = "CREATE TABLE a(b);"

  private func order(_ names: [String]) throws -> [String] {
    let fixture = try FolderFixture(Dictionary(uniqueKeysWithValues: names.map { ($0, sql) }))
    return try fixture.read().files.map(\.identifier)
  }

  @Test("Plain files are in the order of their numbers, and those of a folder without numbers by name")
  func plainOrder() throws {
    let names = ["10_b.sql", "2_a.sql", "002_b.sql", "1.10_x.sql", "1.9_x.sql", "v3_x.sql"]

    #expect(try order(names) == ["1.9_x", "1.10_x", "002_b", "2_a", "v3_x", "10_b"])
    #expect(try order(["zeta.sql", "alpha.SQL", "2fa.sql"]) == ["2fa", "alpha", "zeta"])
  }

  @Test(
    "A file without a number among numbered files is refused: no tool with numbers runs it",
    arguments: [
      "drop_all.sql", "reset.sql", "seed.sql", "schema.sql", "testdata.sql", "current.sql", "bootstrap.sql", "init.sql",
      "clean.up.sql", "post-apply.sql",
    ])
  func strayFile(name: String) throws {
    let folders: [[String: String]] = [
      ["1_a.sql": sql], ["1_a.up.sql": sql, "1_a.down.sql": ""], ["V1__a.sql": sql],
      ["2024-01-01-000000_a/up.sql": sql],
      ["20240101_a/migration.sql": sql], ["20240101120000_a.sql": "-- migrate:up\n\(sql)\n-- migrate:down\n"],
      ["00001_a.sql": "-- +goose Up\n\(sql)", "more.sql": "SELECT 1;", "z.sql": "SELECT 2;"],
      ["0001.a.sql": sql, "0002.b.sql": sql, "0001.a.rollback.sql": ""],
      // Those without a number are the majority; the answer is the same.
      ["001_init.sql": sql, "other.sql": sql], ["1a.sql": sql, "1b.sql": "SELECT 1;", "x.sql": sql],
      ["20240101T120000_a.sql": sql, "other.sql": sql], ["v1.sql": sql, "x.sql": sql],
      ["2024-01-01.sql": sql, "x.sql": sql],
    ]
    for files in folders {
      let findings = try FolderFixture(files.merging([name: "DROP TABLE a;"]) { $1 }).findings()
      #expect(findings.contains(.init(name, .noPlace)) && findings.allSatisfy { $0.kind == .noPlace }, "\(files)")
    }
    // The ways out that the message names, and a folder in which nothing has a number.
    let old = name.prefix { $0 != "." }
    let texts = ["1_a.sql": "CREATE TABLE a(b);", "2_\(name)": "-- migrator: merges \(old)\nSELECT 1;"]
    #expect(try FolderFixture(texts).read().files.count == 2)
    #expect(try order([name, "users.sql", "a_first.sql"]).count == 3)
  }

  @Test("Numbers of any length compare as numbers")
  func longNumbers() throws {
    let long = "9" + String(repeating: "0", count: 30)

    #expect(
      try order([long + "_a.sql", "20240101120000_b.sql", "0_c.sql"]) == ["0_c", "20240101120000_b", long + "_a"])
  }

  @Test("Plain files that share a number are in the order of their names, with a note")
  func sharedNumber() throws {
    let folder = try FolderFixture(["1_b.sql": sql, "1_a.sql": "CREATE TABLE c(d);"]).read()

    #expect(folder.files.map(\.identifier) == ["1_a", "1_b"])
    #expect(folder.notices.count == 1)
    #expect(folder.files.allSatisfy { $0.layout == .plain })
  }

  @Test(
    "Of plain files with the same first number, further numbers determine the order",
    arguments: [
      (["2024_01_31_000001_b", "2024_02_01_000001_a"], 0), (["20240131_01_b", "20240131_02_a"], 0),
      (["2024_1_31_1_a", "2024_1_31_b"], 1), (["3_1_b", "3_1_c"], 1), (["3_10_b", "3_2_a"], 1), (["3_1_b", "3_a"], 1),
      (["3_2fa", "3_3d"], 1),
    ])
  func furtherNumbers(names: [String], count: Int) throws {
    let texts = zip(names, 0...).map { ($0 + ".sql", "CREATE TABLE a\($1) (b);") }
    let folder = try FolderFixture(Dictionary(uniqueKeysWithValues: texts)).read()

    #expect(folder.files.map(\.identifier) == names.sorted())
    #expect(folder.notices.count == count)
  }

  @Test("Up files are migrations, down files are skipped")
  func upDown() throws {
    let folder = try FolderFixture([
      "2_b.up.sql": sql, "2_b.down.sql": "DROP TABLE a;", "1_a.up.sql": sql, "1_a.down.sql": "'not even SQL",
    ]).read()

    #expect(folder.files.map(\.identifier) == ["1_a", "2_b"])
    #expect(folder.files.allSatisfy { $0.layout == .upDown })
    #expect(folder.notices == [])
  }

  @Test("yoyo's rollback files are skipped")
  func rollbackFiles() throws {
    let folder = try FolderFixture([
      "0001.a.sql": "-- depends:\n" + sql, "0001.a.rollback.sql": "DROP TABLE a;", "0002.b.sql": sql,
      "9999.gone.rollback.sql": "DROP TABLE b;",
    ]).read()

    #expect(folder.files.map(\.identifier) == ["0001.a", "0002.b"])
    #expect(folder.notices.count == 1)
  }

  @Test("A down file without its up file causes a note")
  func lonelyDown() throws {
    let folder = try FolderFixture(["1_a.up.sql": sql, "2_b.down.sql": "DROP TABLE b;", "down.sql": "DELETE FROM a;"])
      .read()

    #expect(folder.files.map(\.identifier) == ["1_a"])
    #expect(folder.notices.count == 2)
  }

  @Test("diesel folders are migrations, and their metadata is read")
  func diesel() throws {
    let fixture = try FolderFixture([
      "2023-01-10-000000_b/up.sql": sql, "2023-01-10-000000_b/down.sql": "DROP TABLE a",
      "2023-01-09-000000_a/up.sql": "VACUUM;",
      "2023-01-09-000000_a/metadata.toml": "# how\n  run_in_transaction = false # why\n",
    ])

    let folder = try fixture.read()

    #expect(folder.files.map(\.identifier) == ["2023-01-09-000000_a", "2023-01-10-000000_b"])
    #expect(folder.files.map(\.runsInTransaction) == [false, true])
    #expect(folder.files.map(\.path) == folder.files.map { "\(fixture.path)/\($0.identifier)/up.sql" })
    #expect(folder.files.allSatisfy { $0.layout == .diesel })
  }

  @Test("A folder with only down.sql is a problem, and a diesel migration is not a folder of migrations")
  func dieselProblems() throws {
    #expect(try FolderFixture(["1_a/down.sql": sql]).findings() == [.init("1_a", .missingUpFile)])
    #expect(try FolderFixture(["up.sql": sql, "down.sql": sql]).problems().map(\.kind) == [.singleMigrationFolder])
  }

  @Test("Only the up part of dbmate's files runs")
  func dbmate() throws {
    let text = """
      -- head
      -- migrate:up transaction:false
      CREATE TABLE a(b); -- not a -- migrate:down
      INSERT INTO a VALUES ('
      -- migrate:down
      ')

      -- migrate:down transaction:true
      DROP TABLE 'a
      """

    let file = try FolderFixture.file(text)

    #expect(file.layout == .dbmate)
    #expect(file.statements.map(\.line) == [3, 4])
    #expect(!file.runsInTransaction)
  }

  @Test("Only the up part of sql-migrate's files runs")
  func sqlMigrate() throws {
    let text = """
      -- +migrate Up notransaction
      CREATE TABLE a(b);
      -- +migrate StatementBegin
      CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END
      -- +migrate StatementEnd
      INSERT INTO a VALUES (1);
      -- +migrate Down notransaction
      DROP TABLE a;
      """

    let file = try FolderFixture.file(text)

    #expect(file.layout == .sqlMigrate)
    #expect(file.statements.map(\.line) == [2, 4, 6])
    #expect(!file.runsInTransaction)
  }

  @Test("Only the up part of goose's files runs, and StatementEnd ends a statement")
  func goose() throws {
    let text = """
      -- +goose NO TRANSACTION
      -- +goose Up
      CREATE TABLE a(b);
      -- +goose StatementBegin
      CREATE TRIGGER t AFTER INSERT ON a BEGIN
        SELECT 1;
      END
      -- +goose StatementEnd
      SELECT 2;
      -- +goose Down
      DROP TABLE a;
      """

    let file = try FolderFixture.file(text)

    #expect(file.layout == .goose)
    #expect(file.statements.map(\.line) == [3, 5, 9])
    #expect(!file.runsInTransaction)
    #expect(!file.text.contains("DROP"))
  }

  @Test(
    "Invalid markers are problems",
    arguments: [
      ("-- migrate:down\nSELECT 1;", "1_a.sql:1:1", "migrate:down"),
      ("-- migrate:up\n-- migrate:up\n", "1_a.sql:2:1", "migrate:up"),
      ("-- migrate:up transaction:maybe\n", "1_a.sql:1:1", "migrate:up transaction:maybe"),
      ("-- +goose Down\n", "1_a.sql:1:1", "+goose Down"),
      ("-- +goose NO TRANSACTION\nSELECT 1", "1_a.sql:1:1", "+goose NO TRANSACTION"),
      ("-- +goose Up\n-- +goose ENVSUB ON\nSELECT '${A}';", "1_a.sql:2:1", "+goose ENVSUB ON"),
      ("-- +goose ENVSUB ON\n-- +goose Up\nSELECT '$A';", "1_a.sql:1:1", "+goose ENVSUB ON"),
      ("-- +goose Up\n-- +goose ENVSUB OF\n", "1_a.sql:2:1", "+goose ENVSUB OF"),
      ("-- +goose Up\n-- migrate:down\n", "1_a.sql:2:1", "migrate:down"),
      ("-- +goose Up\n-- +migrate Down\n", "1_a.sql:2:1", "+migrate Down"),
      ("-- +goose Up notransaction\n", "1_a.sql:1:1", "+goose Up notransaction"),
    ])
  func brokenMarkers(text: String, place: String, marker: String) throws {
    #expect(try FolderFixture(["1_a.sql": text]).findings() == [.init(place, .invalidMarker(marker))])
  }

  @Test(
    "All markers that a tool documents are known",
    arguments: [
      "-- +goose Up\n-- +goose ENVSUB ON\nSELECT 1;\n-- +goose ENVSUB OFF\n-- +goose Down",
      "-- +goose ENVSUB ON\n-- +goose Up\nSELECT 1;\n-- +goose Down\nSELECT '${A}';",
      "-- +goose Up\n-- +goose ENVSUB ON\nSELECT '$', '$.a', '$1';\n-- +goose envsub off\n",
      "-- +goose Up\n-- +goose ENVSUB ON\n-- +goose StatementBegin\nSELECT 1;\n-- +goose StatementEnd\n",
      "-- +goose Up\n-- +goose ENVSUB OFF\nSELECT '${A}';", "-- +goose NO TRANSACTION\n-- +goose Up\nSELECT 1;",
      "-- +migrate Up notransaction\nSELECT 1;\n-- +migrate Down notransaction",
      "-- migrate:up transaction:false\nSELECT 1;\n-- migrate:down transaction:false",
    ])
  func knownMarkers(text: String) throws {
    #expect(try FolderFixture.file(text).statements.count == 1)
  }

  @Test(
    "A warning names a file that is not read because an editor or a file manager has changed its ending",
    arguments: ["2_b.sql.txt", "2_b.sql ", "2_b.SQL ", "2_b.sql.", "2_b.sql .TXT", "2_b.sql\u{A0}", "b.sql.txt"])
  func misspelledEnding(name: String) throws {
    let folder = try FolderFixture(["1_a.sql": sql, name: sql, "3_c.sql.bak": sql, "sql.txt": sql, "a.txt": sql]).read()
    #expect(folder.files.count == 1)
    #expect(folder.warnings.count == 1 && folder.warnings.allSatisfy { $0.what.contains("/\(name)\" is not read") })
  }

  @Test("A statement before the up marker is a problem")
  func statementBeforeUp() throws {
    let fixture = try FolderFixture(["1_a.sql": "SELECT 1;\n-- migrate:up\nSELECT 2;"])

    #expect(fixture.findings() == [.init("1_a.sql:1:1", .statementBeforeUp)])
  }

  @Test("Versioned files are in the order of their version parts, and Flyway's undo files are skipped")
  func versioned() throws {
    let folder = try FolderFixture([
      "V1.10__c.sql": sql, "V1.2__b.sql": sql, "V1_1__a.sql": sql, "V20__d.sql": "SELECT '${x}'", "U1.2__b.sql": "DROP",
      "U3__gone.sql": "DROP", "V20__d.sql.conf": "executeInTransaction=false",
    ]).read()

    #expect(folder.files.map(\.identifier) == ["V1_1__a", "V1.2__b", "V1.10__c", "V20__d"])
    #expect(folder.files.map(\.runsInTransaction) == [true, true, true, false])
    #expect(folder.files.allSatisfy { $0.layout == .versioned })
    #expect(folder.notices.count == 2)
  }

  @Test("A folder of U files only is refinery's and runs forward; a U file among V files is ambiguous")
  func undoOrForward() throws {
    #expect(try order(["U2__b.sql", "U10__c.sql"]) == ["U2__b", "U10__c"])
    #expect(
      try FolderFixture(["V1__a.sql": sql, "U2__b.sql": sql]).findings() == [.init("U2__b.sql", .ambiguousUndo)])
  }

  @Test("Features that only Flyway supports are refused")
  func flyway() throws {
    let fixture = try FolderFixture([
      "V2__a.sql": sql, "R__views.sql": sql, "B1__base.sql": sql, "afterMigrate.sql": sql,
      "beforeEachMigrate__x.sql": sql,
    ])

    #expect(
      fixture.findings() == [
        .init("B1__base.sql", .baselineMigration), .init("R__views.sql", .repeatableMigration),
        .init("afterMigrate.sql", .flywayCallback), .init("beforeEachMigrate__x.sql", .flywayCallback),
      ])
  }

  @Test("sqlx's no-transaction comment counts only at the beginning of a file")
  func sqlx() throws {
    #expect(try !FolderFixture.file("\u{FEFF}-- no-transaction\r\nVACUUM;").runsInTransaction)
    #expect(try FolderFixture.file("SELECT 1; -- no-transaction").runsInTransaction)
  }

  @Test("A folder may contain several layouts")
  func mixed() throws {
    let folder = try FolderFixture([
      "3_c/up.sql": sql, "V2__b.sql": sql, "1_a.up.sql": sql, "4_d.sql": "-- migrate:up\nSELECT 1", "5_e.sql": sql,
    ]).read()

    #expect(folder.files.map(\.identifier) == ["1_a", "V2__b", "3_c", "4_d", "5_e"])
    #expect(folder.files.map(\.layout) == [.upDown, .versioned, .diesel, .dbmate, .plain])
  }

  @Test("Dot files and other files are ignored; files that look like migrations cause a note")
  func otherFiles() throws {
    let fixture = try FolderFixture([
      "1_a.sql": sql, ".2_b.sql": "'", "README.md": "", "2_b.sql.bak": "", "V3__c.rs": "", "mod.rs": "",
      "old/1_x.sql": "",
      "notes/a.txt": "",
    ])
    let folder = try fixture.read()

    #expect(folder.files.map(\.identifier) == ["1_a"])
    #expect(folder.notices.count == 2)
    #expect(folder.skippedFiles == [fixture.path + "/old": [fixture.path + "/old/1_x.sql"]])
  }

  /// A tree of folders and files with the names that projects give them.
  private func randomTree(_ generator: inout SeededGenerator) -> [String: String] {
    let folders = ["", "", "", "v1/", "1_a/", "v1/deep/", "2_b/", "2_b/more/", "old.d/", "x y/"]
    let names = [
      "1_a.sql", "2_b.SQL", "up.sql", "down.sql", "3_c.up.sql", "3_c.down.sql", "V4__d.sql", "U4__d.sql",
      "e.rollback.sql",
      "notes.txt", "R__f.sql", "seed.sql", "migration.sql", "afterMigrate.sql", "V5_1__g.sql", "meta/_journal.json",
      "atlas.sum",
    ]
    var files: [String: String] = [:]
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      let folder = folders[Int.random(in: folders.indices, using: &generator)]
      files[folder + names[Int.random(in: names.indices, using: &generator)]] = sql
    }
    return files
  }

  @Test("Each SQL file of a tree is read, named in a warning or a problem, or the backward part of a layout")
  func randomTrees() throws {
    for seed in UInt64(0)..<TestTier.pick(100, full: 400) {
      var generator = SeededGenerator(seed: seed)
      let files = randomTree(&generator)
      let fixture = try FolderFixture(files)
      let folder = MigrationFolder(fixture.path)
      let read = Set(folder.files.map(\.path))
      let warned = Set(folder.skippedFiles.values.joined())
      let refused = fixture.problems().map(\.path)
      for path in files.keys.map({ fixture.path + "/" + $0 }) where path.lowercased().hasSuffix(".sql") {
        let isBackward = ["down.sql", ".rollback.sql", "/U4__d.sql"].contains(where: path.hasSuffix)
        let isRefused = refused.contains { path == $0 || path.hasPrefix($0 + "/") }
        #expect(
          read.contains(path) || warned.contains(path) || isBackward || isRefused,
          "seed \(seed): \(path) is passed over")
      }
      for (skipped, paths) in folder.skippedFiles {
        #expect(folder.warnings.contains { $0.what.hasPrefix("\(skipped) holds \(paths.count) SQL file") }, "\(seed)")
      }
    }
  }

  @Test("A warning names the files that are not read, also those of a folder whose name is not ASCII")
  func namesOfSkippedFiles() throws {
    let folder = try FolderFixture(["1_a.sql": sql, "donn\u{E9}es/1_x.sql": sql]).read()
    #expect(folder.warnings.count == 1)
    #expect(folder.warnings.allSatisfy { $0.what.hasSuffix(" that is not read: 1_x.sql") })
  }

  @Test("A link that leads back to its own folder is followed once")
  func linkedFolder() throws {
    let fixture = try FolderFixture(["1_a.sql": sql, "old/1_x.sql": sql])
    try FileManager.default.createSymbolicLink(atPath: fixture.path + "/old/again", withDestinationPath: ".")
    #expect(try fixture.read().skippedFiles.values.joined().count == 1)
  }

  #if os(Linux)
    @Test("A file whose name is no UTF-8 is refused by its name, and not said to be missing")
    func nameNotUTF8() throws {
      let fixture = try FolderFixture(["1_a.sql": sql])
      let path = Array(fixture.path.utf8) + Array("/2_caf".utf8) + [0xE9] + Array(".sql".utf8)
      let file: UnsafeMutablePointer<FILE>? = (path.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer {
        fopen($0.baseAddress, "w")
      }
      if let file { fclose(file) }
      #expect(fixture.problems().map(\.kind) == [.nameNotUTF8])
    }
  #endif
}
