import Foundation
import SQLMigrations
import TestEngines
import Testing

@testable import MigratorCommand

@Suite("The name of the next file")
struct MigrationNamingTests {
  /// 2026-11-21 19:03:59 in UTC.
  private let now = UTCTime(secondsSince1970: 1_795_287_839)

  /// Returns the next file in a folder whose files contain no statement.
  private func next(_ slug: String, after files: [String]) throws -> String? {
    let fixture = try FolderFixture(Dictionary(uniqueKeysWithValues: files.map { ($0, "-- nothing") }))
    let folder = MigrationFolder(fixture.path)
    let file = NextMigrationFile(folder).path(slug: slug, time: now)
    if let file { try expectLast(file, in: fixture, after: folder.files.count) }
    return file
  }

  /// Expects that the tool applies the file after all others.
  private func expectLast(_ file: String, in fixture: FolderFixture, after count: Int) throws {
    try fixture.write(Data("-- nothing".utf8), to: file)
    let files = MigrationFolder(fixture.path).files
    #expect(files.last?.path == fixture.path + "/" + file)
    #expect(files.count == count + 1)
    #expect(fixture.findings() == [])
  }

  @Test("After a name without a number comes another one without a number that sorts after it")
  func unnumbered() throws {
    let files = ["add_books.sql", "create_authors.sql"]

    #expect(try next("zebra", after: files) == "zebra.sql")
    #expect(try next("zebra", after: ["add_books.up.sql", "add_books.down.sql"]) == "zebra.up.sql")
    #expect(try next("zebra", after: ["add_books/up.sql"]) == "zebra/up.sql")
  }

  @Test(
    "There is no next file if its name would sort before a file without a number, or is not a migration's",
    arguments: ["books", "create_authors", "2_zebras", "v2_zebras", "down"])
  func notLast(slug: String) throws {
    #expect(try next(slug, after: ["add_books.sql", "create_authors.sql"]) == nil)
  }

  @Test("A Flyway callback is not a model for the next name")
  func callback() throws {
    let fixture = try FolderFixture(["V1__a.sql": "", "afterMigrate.sql": ""])
    let next = NextMigrationFile(MigrationFolder(fixture.path))

    #expect(next.path(slug: "c", time: now) == "V2__c.sql")
  }

  @Test(
    "After a date comes today's date in the same format",
    arguments: [
      (["2024-01-31_a.sql", "2026-11-20_b.sql"], "2026-11-21_c.sql"),
      (["2024_01_31_a.sql", "2026_11_20_b.sql"], "2026_11_21_c.sql"),
      (["2026.11.20.b.sql"], "2026.11.21.c.sql"), (["2026-11-20-b.sql"], "2026-11-21-c.sql"),
      (["2026-11-20.sql"], "2026-11-21_c.sql"), (["v2026-11-20__b.up.sql"], "v2026-11-21__c.up.sql"),
      (["V2026_11_20__b.sql"], "V2026_11_21__c.sql"), (["V2026.11.20.3__b.sql"], "V2026.11.21__c.sql"),
      (["2026-11-20_b/up.sql"], "2026-11-21_c/up.sql"), (["2026-11-20-7_b.sql"], "2026-11-21_c.sql"),
      (["2026-11-20-235958_b/up.sql"], "2026-11-21-190359_c/up.sql"),
      (["2026-11-20-235958-0012_b/up.sql"], "2026-11-21-190359-0000_c/up.sql"),
      (["2026_11_20_235958_b.sql"], "2026_11_21_190359_c.sql"),
    ])
  func dates(files: [String], name: String) throws {
    #expect(try next("c", after: files) == name)
  }

  @Test(
    "If today's date does not sort last, the name gets another number or the next day",
    arguments: [
      ("2026-11-21_b.sql", "2026-11-21_c.sql"), ("2026-11-21_x.sql", "2026-11-21-2_c.sql"),
      ("2026-11-21-2_b.sql", "2026-11-21-3_c.sql"), ("2026.11.21_x.sql", "2026.11.21.2_c.sql"),
      ("2026_11_21_x.sql", "2026_11_22_c.sql"), ("V2026_11_21__b.sql", "V2026_11_21_2__c.sql"),
      ("2026-11-21_b/up.sql", "2026-11-21-2_c/up.sql"), ("2026-12-31_b.sql", "2026-12-31-2_c.sql"),
      ("2026_12_31_x.sql", "2027_01_01_c.sql"), ("2028_02_28_x.sql", "2028_02_29_c.sql"),
      ("2026-11-21-190359_b/up.sql", "2026-11-21-190360_c/up.sql"),
      ("2026-11-21-190359-0000_b/up.sql", "2026-11-21-190359-0001_c/up.sql"),
      // The tools of this layout read the year as the number, which must be unique.
      ("2026_11_20_b.up.sql", "2027_c.up.sql"),
    ])
  func sameDay(file: String, name: String) throws {
    #expect(try next("c", after: [file]) == name)
  }

  @Test(
    "A number that only looks like a date is incremented",
    arguments: [
      ("2026-13-20_b.sql", "2027-c.sql"), ("2026-00-20_b.sql", "2027-c.sql"), ("2026-11-32_b.sql", "2027-c.sql"),
      ("2026-11_20_b.sql", "2027-c.sql"), ("2026-11-2_b.sql", "2027-c.sql"), ("2026-11-20th.sql", "2027-c.sql"),
      ("0001_02_03_b.sql", "0002_c.sql"), ("20261120_b.sql", "20261121_c.sql"), ("9_b.sql", "10_c.sql"),
      ("V0.31.2__b.sql", "V0.31.3__c.sql"), ("0.31.02__b.sql", "0.31.03__c.sql"), ("V1_9__b.sql", "V1_10__c.sql"),
      ("20241010-000001.sql", "20261121-c.sql"), ("20261121-000009_b.sql", "20261122-c.sql"),
      ("00000000000000_b/up.sql", "2026-11-21-190359_c/up.sql"), ("20260101000000_b.sql", "20261121190359_c.sql"),
    ])
  func numbers(file: String, name: String) throws {
    #expect(try next("c", after: [file]) == name)
  }
}
