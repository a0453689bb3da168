import SQLMigrations
import SQLSyntax
import TestEngines
import Testing

@Suite("Folders whose order or contents a tool lists")
struct ToolFolderTests {
  private let sql = "CREATE TABLE a(b);"

  // MARK: Prisma

  @Test("A folder with a migration.sql is a migration, and its down.sql undoes it")
  func prisma() throws {
    let fixture = try FolderFixture([
      "20240102000000_b/migration.sql": sql, "20240102000000_b/down.sql": "DROP TABLE a", "0_init/migration.sql": sql,
      "migration_lock.toml": "provider = \"sqlite\"", "20240103000000_c/migration.sql": sql,
      "20240103000000_c/more.sql": sql,
    ])

    let folder = try fixture.read()

    #expect(folder.files.map(\.identifier) == ["0_init", "20240102000000_b", "20240103000000_c"])
    #expect(folder.files.first?.path == fixture.path + "/0_init/migration.sql")
    #expect(folder.files.allSatisfy { $0.layout == .prisma })
    #expect(folder.notices == [])
    let inner = fixture.path + "/20240103000000_c"
    #expect(folder.skippedFiles == [inner: [inner + "/more.sql"]])
  }

  @Test("The folder of one migration is not a folder of migrations", arguments: ["up.sql", "migration.sql"])
  func singleMigration(name: String) throws {
    #expect(try FolderFixture([name: sql, "README.md": ""]).problems().map(\.kind) == [.singleMigrationFolder])
  }

  @Test("A folder above the migrations names the folder that contains them")
  func folderAbove() throws {
    let fixture = try FolderFixture(["schema.prisma": "", "migrations/0_init/migration.sql": sql])
    #expect(fixture.problems().map(\.kind) == [.migrationsBelow([fixture.path + "/migrations"])])
  }

  // MARK: Drizzle

  private func journal(_ tags: String...) -> String {
    let entries = tags.enumerated().map {
      #"{"idx":\#($0),"version":"6","when":17\#($0),"tag":"\#($1)","breakpoints":true}"#
    }
    return #"{"version":"7","dialect":"sqlite","entries":[\#(entries.joined(separator: ","))]}"#
  }

  @Test("Drizzle's journal decides the order")
  func journalOrder() throws {
    let folder = try FolderFixture([
      "0000_a.sql": sql, "0001_b.sql": sql, "0002_c.sql": sql,
      "meta/_journal.json": journal("0001_b", "0000_a", "0002_c"), "meta/0000_snapshot.json": "{}",
    ]).read()

    #expect(folder.files.map(\.identifier) == ["0001_b", "0000_a", "0002_c"])
    #expect(folder.files.allSatisfy { $0.layout == .drizzle })
    #expect(folder.notices.isEmpty)
    #expect(folder.warnings.isEmpty)
  }

  @Test(
    "A file that the journal does not list is refused, until the journal is deleted",
    arguments: ["0001_c.sql", "0002_c.sql", "9_c.sql", "0002_c.up.sql"])
  func notInJournal(name: String) throws {
    var files = ["0000_a.sql": sql, "0001_b.sql": sql, name: sql]
    files["meta/_journal.json"] = journal("0000_a", "0001_b")
    #expect(try FolderFixture(files).findings() == [.init(name, .notInJournal)])
    files["meta/_journal.json"] = journal()
    #expect(try FolderFixture(files).problems().count == 3)
    files["meta/_journal.json"] = nil
    #expect(try FolderFixture(files).read().files.count == 3)
  }

  @Test("A journal that names a missing file, or cannot be read, is a problem")
  func brokenJournal() throws {
    #expect(
      try FolderFixture(["0000_a.sql": sql, "meta/_journal.json": journal("0000_a", "0001_b")]).findings()
        == [.init("meta/_journal.json", .journalEntryWithoutFile("0001_b.sql"))])
    #expect(
      try FolderFixture(["0000_a.sql": sql, "meta/_journal.json": "<<<<<<< HEAD"]).findings()
        == [.init("meta/_journal.json", .brokenJournal)])
  }

  @Test("A breakpoint ends a statement, and the text after it on its line runs")
  func breakpoints() throws {
    let file = try FolderFixture.file(
      """
      CREATE TABLE `a` (`b` integer);
      --> statement-breakpoint
      CREATE TABLE c(d)
      --> statement-breakpoint
      CREATE INDEX e ON c(d);--> statement-breakpoint
      CREATE INDEX f ON c(d) --> statement-breakpoint CREATE INDEX g ON c(d)
      """)

    #expect(file.statements.map(\.line) == [1, 3, 5, 6, 6])
    #expect(file.statements.last?.text == "CREATE INDEX g ON c(d)")
  }

  // MARK: Atlas

  /// The file that Atlas wrote for the first two files of its own test folder.
  private let atlas = [
    "20230727105553_init.sql": "CREATE TABLE t1 ( c1 int );\n",
    "20230727105615_t2.sql": "CREATE TABLE t2 ( c1 int, c2 text );\n",
    "atlas.sum": """
    h1:QNam/TUdByc0NShpdLNZ0ojLMN6bJWxZ6bSLTF4X0JM=
    20230727105553_init.sql h1:jxgvnWO6tZD3lSPpH1ao5E/6VjapP7iwvBCUJ6aez58=
    20230727105615_t2.sql h1:UvzeoFxe90Y/7b21ziwg6pPzWJQSV7LeYwJl8J63lMU=

    """,
  ]

  @Test("A folder that matches its atlas.sum is read, and may hold a file that Atlas ignores")
  func atlasSum() throws {
    let folder = try FolderFixture(atlas).read()
    #expect(folder.files.map(\.identifier) == ["20230727105553_init", "20230727105615_t2"])
    #expect(folder.files.allSatisfy { $0.layout == .atlas })
    let ignoring = try FolderFixture([
      "1_a.sql": sql, "2_b.sql": "-- atlas:sum ignore\n\nSELECT 1;", "3_c.sql": sql,
      "atlas.sum": """
      h1:GcBoXzXBYHx+LnNmZE0efSNdNHSziE5In05EBA2DgNU=
      1_a.sql h1:vb3+88RRdOSHc3opEbifJCWNUYdCjw6o+0zi/BWNKTc=
      3_c.sql h1:f075Gm9461IAtEknM8CTKHpAsYG6owD9Jzwm+6cd3dU=
      """,
    ])
    #expect(try ignoring.read().files.count == 3)
  }

  @Test("An edited, added, removed or listed file that does not fit atlas.sum is a problem")
  func atlasDifferences() throws {
    func findings(_ change: (inout [String: String]) -> Void) throws -> [FolderFixture.Finding] {
      var files = atlas
      change(&files)
      return try FolderFixture(files).findings()
    }
    #expect(
      try findings { $0["20230727105553_init.sql"]? += "-- edited" }
        == [.init("20230727105553_init.sql", .atlasSum(.edited))])
    #expect(
      try findings { $0["20230727105554_new.sql"] = "SELECT 1;" }
        == [.init("20230727105554_new.sql", .atlasSum(.notListed))])
    #expect(
      try findings { $0["20230727105615_t2.sql"] = nil }
        == [.init("atlas.sum", .atlasSum(.missing("20230727105615_t2.sql")))])
    #expect(
      try findings { $0["atlas.sum"] = $0["atlas.sum"]?.replacing("_t2", with: "_t3") }
        == [.init("atlas.sum", .atlasSum(.broken))])
  }

  // MARK: Flyway

  @Test("The folders of a Flyway folder are read, and other SQL files in them are named")
  func flywayFolders() throws {
    let fixture = try FolderFixture([
      "V1__a.sql": sql, "2024/V3__c.sql": "VACUUM", "2024/V3__c.sql.conf": "executeInTransaction=false",
      "2024/q1/V2.1__b.sql": sql, "2024/U3__c.sql": "DROP", "2024/seed.sql": sql, "old/x.sql": sql,
    ])

    let folder = try fixture.read()

    #expect(folder.files.map(\.identifier) == ["V1__a", "V2.1__b", "V3__c"])
    #expect(folder.files.map(\.runsInTransaction) == [true, true, false])
    #expect(folder.files.allSatisfy { $0.layout == .versioned })
    #expect(
      folder.skippedFiles == [
        fixture.path + "/2024": [fixture.path + "/2024/seed.sql"], fixture.path + "/old": [fixture.path + "/old/x.sql"],
      ])
  }

  @Test("Flyway's rules hold across folders, and folders of other layouts are not searched")
  func flywayRules() throws {
    let fixture = try FolderFixture([
      "a/V1__x.sql": sql, "b/V1__y.sql": sql, "b/R__z.sql": sql, "b/afterMigrate.sql": sql,
    ])
    #expect(
      fixture.findings()
        == [
          .init("b/R__z.sql", .repeatableMigration), .init("b/afterMigrate.sql", .flywayCallback),
          .init("b/V1__y.sql", .duplicateVersion("1", other: fixture.path + "/a/V1__x.sql")),
        ])
    let plain = try FolderFixture(["1_a.sql": sql, "old/V1__x.sql": sql]).read()
    #expect(plain.files.map(\.identifier) == ["1_a"])
    #expect(plain.warnings.count == 1)
  }

  @Test(
    "A script configuration of Flyway that may keep a file from running is refused",
    arguments: [
      ("shouldExecute=false", false), ("# only there\nshouldExecute = ${env}==\"dev\"\n", false),
      ("shouldExecute=", false),
      ("encoding=UTF-8\nshouldExecute=FALSE", false), ("shouldExecute=${run}", false), ("shouldExecute=true", true),
      ("# shouldExecute=false", true), ("executeInTransaction=true", true),
    ])
  func condition(setting: String, isQuiet: Bool) throws {
    let files = ["V1__a.sql": sql, "V2__b.sql": "DROP TABLE a;", "V2__b.sql.conf": setting]
    let places = try FolderFixture(files).findings().map(\.place)
    #expect(places == (isQuiet ? [] : ["V2__b.sql.conf"]))
  }

  // MARK: Others

  @Test(
    "A rule with which another tool skips statements, or runs them under a condition, is refused with its line",
    arguments: [
      "changeset a:2 dbms:postgresql", "changeset a:2 dbms:!sqlite", "changeset a:2 dbms:mysql,oracle",
      "changeset a:2 DBMS:\"mssql, h2\"", "changeset a:2 dbms: postgresql", "changeset a:2 dbms:none",
      "changeset a:2 context:test", "changeset a:2 contextFilter:\"dev or test\"", "changeset a:2 labels:x",
      "changeset \"A B\":2 runOnChange:true contexts:prod", "changeset a:2 ignore:true", "changeset a:2 endDelimiter:/",
      "changeset a:2 runOrder:last", "preconditions onFail:MARK_RAN",
      "precondition-sql-check expectedResult:0 SELECT count(*) FROM a", "ignoreLines:start", "ignoreLines:2",
      "property name:n value:v", "Changeset a:2 Context:!prod",
    ].map { "-- liquibase formatted sql\n--\($0)" } + ["-- x\n-- changeset a:1 dbms:h2"]
      + [
        "-- atlas:txtar", "-- atlas:checkpoint", "-- atlas:delimiter \\n\\n", "-- atlas:import ../a.sql",
        "--atlas:assert DS103",
        "-- @marv SKIP = true", "-- @marv skip=true", "/* @marv SKIP */",
      ].map { "-- x\n\($0)" })
  func unreadRules(text: String) throws {
    let problems = try FolderFixture(["1_a.sql": "\(text)\n\(sql)"]).problems()
    #expect(problems.map(\.line) == [2])
    guard case .unreadRule = problems.first?.kind else { throw MigrationFolderError(folder: text, problems: problems) }
  }

  @Test(
    "A rule that does not keep a statement from running is quiet",
    arguments: [
      "--changeset a:1", "--changeset a:2 dbms:sqlite", "--changeset a:2 dbms:all", "--changeset a:2 dbms:h2,sqlite",
      "--changeset a:2 dbms:!oracle,!mysql", "--changeset a:2 runOnChange:true splitStatements:false endDelimiter:;",
      "--changeset a:2 ignore:false labels:\"\"", "--comment: context:test", "-- the changeset of May", "-- a property",
    ].map { "--liquibase formatted sql\n\($0)" } + [
      "-- atlas:nolint destructive", "-- atlas:txmode none", "-- @marv AUDIT = false", "-- @marv SKIP = false",
      "-- property n",
      "-- preconditions: 1_a has run", "-- skip the rest", "-- atlas", "-- depends: on the weather",
      "-- requires 0_none",
      "-- depends:", "-- Requires SQLite 3.35: 2_b", "-- requires the table of 2_b", "-- depends on users (2_b)",
      "-- Requires: a backup, 2_b", "-- requires version 3 or 2_b",
    ])
  func quietRules(text: String) throws {
    #expect(try FolderFixture(["1_a.sql": "\(text)\n\(sql)", "2_b.sql": "SELECT 1;"]).problems().isEmpty)
  }

  @Test(
    "A comment that requires a later file is refused, and one that requires an earlier one is quiet",
    arguments: [
      "-- depends: #", "--depends:  #  9_other", "-- requires: #", "-- depends on #", "-- @depends #.sql",
      "-- Requires [#]", "-- depends on 1.a and #", "-- depends: 1.a, #",
    ])
  func requirements(comment: String) throws {
    func findings(_ name: String) throws -> [FolderFixture.Finding] {
      let text = "-- x\n\(comment.replacing("#", with: name))\n\(sql)"
      return try FolderFixture(["1.a.sql": sql, "2.b.sql": text, "3.c.sql": "SELECT 1;"]).findings()
    }
    #expect(try findings("3.c") == [.init("2.b.sql:2:1", .laterRequirement("3.c"))])
    #expect(try findings("1.a").isEmpty)
  }

  @Test("The plan of Sqitch is refused beside files without numbers", arguments: ["deploy/", ""])
  func sqitch(folder: String) throws {
    let fixture = try FolderFixture([
      "sqitch.plan": "%project=x\nusers 2020\n", "\(folder)users.sql": sql, "\(folder)audit.sql": "SELECT 1;",
    ])
    let path = folder.isEmpty ? fixture.path : fixture.path + "/deploy"
    #expect(MigrationFolder(path).problems.map(\.kind) == [.unreadPlan])
    let numbered = try FolderFixture(["sqitch.plan": "", "deploy/1_a.sql": sql])
    #expect(MigrationFolder(numbered.path + "/deploy").problems.isEmpty)
  }

  @Test("The unfinished migration of graphile-migrate is not run")
  func graphile() throws {
    let fixture = try FolderFixture(["committed/000001.sql": "--! Previous: -\n\(sql)", "current.sql": "DROP TABLE a;"])
    #expect(fixture.problems().map(\.kind) == [.migrationsBelow([fixture.path + "/committed"])])
    #expect(try MigrationFolder.read(fixture.path + "/committed").files.map(\.identifier) == ["000001"])
  }
}
